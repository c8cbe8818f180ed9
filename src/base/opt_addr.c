/* SPDX-License-Identifier: BSD-3-Clause */
#include "opt_types.h"

#include <errno.h>
#include <string.h>

#include "tgen/units.h"

#define MASK_IP4 UINT64_C(0xffffffff)
#define MAC_LEN	 17u /* characters of a MAC address */
#define VID_MAX	 4094u

const char *opt_split(const char *text, char sep, char head[UNITS_TEXT_MAX])
{
	const char *at = strchr(text, sep);

	if (at == NULL || (size_t)(at - text) >= UNITS_TEXT_MAX)
		return NULL;
	memcpy(head, text, (size_t)(at - text));
	head[at - text] = '\0';
	return at + 1;
}

static int one_value(int rc, struct opt_val *out)
{
	out->hi = out->lo;
	out->up.hi = out->up.lo;
	return rc;
}

/* 0, or -EDOM when the range runs backwards. */
static int range_order(const struct opt_val *val)
{
	if (val->up.lo != val->up.hi)
		return val->up.lo < val->up.hi ? 0 : -EDOM;
	return val->lo <= val->hi ? 0 : -EDOM;
}

/* ---- MAC ---- */

/* The address may be written with '-' as well: a range is told by its place. */
int opt_parse_mac(const char *text, struct opt_val *out)
{
	char head[UNITS_TEXT_MAX];
	const char *mask = opt_split(text, '/', head);

	if (mask != NULL) {
		if (units_parse_mac(head, &out->lo) != 0 || units_parse_mac(mask, &out->mask) != 0)
			return -EINVAL;
		return one_value(0, out);
	}
	if (strlen(text) <= MAC_LEN || text[MAC_LEN] != '-')
		return one_value(units_parse_mac(text, &out->lo), out);
	memcpy(head, text, MAC_LEN);
	head[MAC_LEN] = '\0';
	if (units_parse_mac(head, &out->lo) != 0 ||
		units_parse_mac(text + MAC_LEN + 1, &out->hi) != 0)
		return -EINVAL;
	return range_order(out);
}

/* ---- IPv4 ---- */

static int parse_ip4_plain(const char *text, uint64_t *out)
{
	uint32_t ip;
	int rc = units_parse_ip4(text, &ip);

	if (rc == 0)
		*out = ip;
	return rc;
}

/* A prefix length, in decimal. */
static int parse_len(const char *text, unsigned max, unsigned *out)
{
	uint64_t len;
	int rc = strchr(text, 'x') != NULL ? -EINVAL : units_parse_u64(text, &len);

	if (rc != 0)
		return rc;
	*out = (unsigned)len;
	return len > max ? -ERANGE : 0;
}

static int parse_ip4_len(const char *text, uint64_t *mask)
{
	unsigned len;
	int rc = parse_len(text, 32, &len);

	if (rc == 0)
		*mask = len == 0 ? 0 : MASK_IP4 << (32 - len) & MASK_IP4;
	return rc;
}

int opt_parse_ip4_if(const char *text, struct opt_val *out)
{
	char head[UNITS_TEXT_MAX];
	const char *len = opt_split(text, '/', head);
	int rc = len == NULL ? -EINVAL : parse_ip4_plain(head, &out->lo);

	if (rc == 0)
		rc = parse_ip4_len(len, &out->mask);
	return one_value(rc, out);
}

int opt_parse_ip4(const char *text, struct opt_val *out)
{
	char head[UNITS_TEXT_MAX];
	const char *tail = opt_split(text, '/', head);
	int rc;

	if (tail != NULL && strchr(tail, '.') == NULL)
		return opt_parse_ip4_if(text, out);
	if (tail != NULL) {
		rc = parse_ip4_plain(head, &out->lo);
		if (rc == 0)
			rc = parse_ip4_plain(tail, &out->mask);
		return one_value(rc, out);
	}
	tail = opt_split(text, '-', head);
	if (tail == NULL)
		return one_value(parse_ip4_plain(text, &out->lo), out);
	rc = parse_ip4_plain(head, &out->lo);
	if (rc == 0)
		rc = parse_ip4_plain(tail, &out->hi);
	return rc == 0 ? range_order(out) : rc;
}

/* ---- IPv6 ---- */

static int parse_ip6_len(const char *text, struct opt_val *out)
{
	unsigned len;
	int rc = parse_len(text, 128, &len);

	if (rc != 0)
		return rc;
	out->up.mask = len == 0 ? 0 : len >= 64 ? UINT64_MAX : UINT64_MAX << (64 - len);
	out->mask = len <= 64 ? 0 : UINT64_MAX << (128 - len);
	return 0;
}

static int parse_ip6_plain(const char *text, struct opt_val *out)
{
	out->is_ip6 = true;
	return one_value(units_parse_ip6(text, &out->up.lo, &out->lo), out);
}

int opt_parse_ip6(const char *text, struct opt_val *out)
{
	char head[UNITS_TEXT_MAX];
	const char *tail = opt_split(text, '/', head);
	int rc;

	if (tail != NULL) {
		rc = parse_ip6_plain(head, out);
		if (rc != 0)
			return rc;
		return strchr(tail, ':') != NULL ? units_parse_ip6(tail, &out->up.mask, &out->mask)
						 : parse_ip6_len(tail, out);
	}
	tail = opt_split(text, '-', head);
	rc = parse_ip6_plain(tail == NULL ? text : head, out);
	if (rc == 0 && tail != NULL)
		rc = units_parse_ip6(tail, &out->up.hi, &out->hi);
	return rc == 0 ? range_order(out) : rc;
}

/* ---- either ---- */

int opt_parse_addr(const char *text, struct opt_val *out)
{
	if (strchr(text, ':') != NULL)
		return parse_ip6_plain(text, out);
	out->mask = MASK_IP4;
	out->up.mask = 0;
	return one_value(parse_ip4_plain(text, &out->lo), out);
}

static int parse_vid(const char *text, uint16_t *out)
{
	uint64_t vid;
	int rc = units_parse_u64(text, &vid);

	if (rc != 0)
		return rc;
	*out = (uint16_t)vid;
	return vid == 0 || vid > VID_MAX ? -ERANGE : 0;
}

/* `VID` or `OUTER.INNER`. */
static int parse_tags(const char *text, uint16_t tags[2])
{
	char outer[UNITS_TEXT_MAX];
	const char *inner = opt_split(text, '.', outer);
	int rc = parse_vid(inner == NULL ? text : outer, &tags[0]);

	return rc == 0 && inner != NULL ? parse_vid(inner, &tags[1]) : rc;
}

int opt_parse_addr_if(const char *text, struct opt_val *out)
{
	char whole[UNITS_TEXT_MAX], head[UNITS_TEXT_MAX];
	const char *tags = opt_split(text, '@', whole);
	const char *addr = tags == NULL ? text : whole, *len;
	int rc;

	if (strchr(addr, ':') == NULL) {
		out->up.mask = 0;
		rc = opt_parse_ip4_if(addr, out);
	} else {
		len = opt_split(addr, '/', head);
		rc = len == NULL ? -EINVAL : parse_ip6_plain(head, out);
		if (rc == 0)
			rc = parse_ip6_len(len, out);
	}
	return rc == 0 && tags != NULL ? parse_tags(tags, out->tags) : rc;
}
