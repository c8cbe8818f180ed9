/* SPDX-License-Identifier: BSD-3-Clause */
#include "compose.h"

#include <stdio.h>
#include <string.h>

#include "tgen/random.h"

#define MAX_TUNNELS 2
#define FREE_PORT   62000 /* nobody's, so that no decoder takes the payload for his */
#define MAX_VARY    12	  /* an IPv6 address takes the room of two */
#define NB(array)   ((unsigned)(sizeof(array) / sizeof((array)[0])))

static unsigned draw(struct compose *c, unsigned below)
{
	return (unsigned)random_below(random_at(c->seed, c->drawn++), below);
}

/* ---- stacks ---- */

static void push(struct compose *c, const char *header)
{
	c->stack[c->nb_stack++] = header;
}

static bool has(const struct compose *c, const char *header)
{
	for (unsigned i = 0; i < c->nb_stack; i++)
		if (strcmp(c->stack[i], header) == 0)
			return true;
	return false;
}

static unsigned room(const struct compose *c)
{
	return COMPOSE_MAX_STACK - c->nb_stack;
}

/* What can be between the beginning of a frame and its packet. */
static void push_link(struct compose *c)
{
	push(c, "mac");
	for (unsigned nb = draw(c, 3); nb > 0; nb--)
		push(c, "vlan");
	switch (draw(c, 5)) {
	case 0:
		for (unsigned nb = 1 + draw(c, 2); nb > 0; nb--)
			push(c, "mpls");
		break;
	case 1:
		push(c, "pppoe");
		break;
	default:
		break;
	}
}

/* Returns the version. */
static unsigned push_ip(struct compose *c)
{
	static const char *const extensions[] = {
		"hop-by-hop", "routing", "fragment", "destination"};

	if (draw(c, 2) == 0) {
		push(c, "ip");
		return 4;
	}
	push(c, "ipv6");
	for (unsigned i = 0; i < NB(extensions); i++)
		if (draw(c, 6) == 0 && room(c) > 7)
			push(c, extensions[i]);
	return 6;
}

static void push_last(struct compose *c, unsigned version)
{
	static const char *const any[] = {"udp", "tcp", "sctp", "esp", "udp", "tcp", NULL};
	unsigned k = draw(c, NB(any) + 2);

	if (k >= NB(any))
		push(c, version == 4 ? (k == NB(any) ? "icmp" : "igmp") : "icmpv6");
	else if (any[k] != NULL)
		push(c, any[k]);
}

/* True when a whole frame is in the tunnel. */
static bool push_tunnel(struct compose *c)
{
	static const struct {
		const char *header;
		bool udp, frame, packet;
	} tunnels[] = {{NULL, false, false, true}, {"gre", false, true, true},
		{"vxlan", true, true, false}, {"geneve", true, true, true},
		{"gtpu", true, false, true}, {"l2tp", true, false, true}};
	unsigned k = draw(c, NB(tunnels));

	if (tunnels[k].udp)
		push(c, "udp");
	if (tunnels[k].header != NULL)
		push(c, tunnels[k].header);
	return tunnels[k].frame && (!tunnels[k].packet || draw(c, 2) == 0);
}

static void make_stack(struct compose *c, bool received)
{
	unsigned version;

	push_link(c);
	if (!received && draw(c, 20) == 0 && !has(c, "mpls") && !has(c, "pppoe")) {
		push(c, "arp");
		return;
	}
	version = push_ip(c);
	for (unsigned nb = draw(c, MAX_TUNNELS + 1); nb > 0 && room(c) > 8; nb--) {
		if (push_tunnel(c))
			push_link(c);
		version = push_ip(c);
	}
	push_last(c, version);
}

/* ---- fields ---- */

enum kind { NUMBER, IP4, IP6, MAC };

/* Fields that leave a frame whole whatever they hold, and how often they are given, in percent. */
static const struct {
	const char *header, *field;
	unsigned lo, hi;
	enum kind kind;
	unsigned often;
} fields[] = {
	{"mac", "mac-src", 0, 0xffffff, MAC, 30},
	{"mac", "mac-dst", 0, 0xffffff, MAC, 30},
	{"vlan", "vlan-id", 1, 4094, NUMBER, 50},
	{"vlan", "vlan-priority", 0, 7, NUMBER, 30},
	{"vlan", "vlan-dei", 0, 1, NUMBER, 20},
	{"mpls", "mpls-label", 16, 0xfffff, NUMBER, 50},
	{"mpls", "mpls-exp", 0, 7, NUMBER, 30},
	{"mpls", "mpls-ttl", 1, 255, NUMBER, 30},
	{"pppoe", "pppoe-session-id", 1, 65535, NUMBER, 50},
	{"ip", "ip-src", 0, 0xffffff, IP4, 50},
	{"ip", "ip-dst", 0, 0xffffff, IP4, 100},
	{"ip", "ip-dscp", 0, 255, NUMBER, 20},
	{"ip", "ip-id", 0, 65535, NUMBER, 30},
	{"ip", "ip-ttl", 1, 255, NUMBER, 30},
	{"ipv6", "ipv6-src", 0, 0xffffffff, IP6, 50},
	{"ipv6", "ipv6-dst", 0, 0xffffffff, IP6, 100},
	{"ipv6", "ipv6-traffic-class", 0, 255, NUMBER, 20},
	{"ipv6", "ipv6-flow-label", 0, 0xfffff, NUMBER, 30},
	{"ipv6", "ipv6-hop-limit", 1, 255, NUMBER, 30},
	{"routing", "routing-address", 0, 0xffffffff, IP6, 50},
	{"routing", "routing-tag", 0, 65535, NUMBER, 50},
	{"fragment", "fragment-id", 0, 0xffffffff, NUMBER, 50},
	{"udp", "udp-src-port", FREE_PORT, 64000, NUMBER, 50},
	{"tcp", "tcp-src-port", FREE_PORT, 64000, NUMBER, 50},
	{"tcp", "tcp-dst-port", FREE_PORT, 64000, NUMBER, 50},
	{"tcp", "tcp-syn", 0, 0xffffffff, NUMBER, 40},
	{"tcp", "tcp-window-size", 0, 65535, NUMBER, 40},
	{"sctp", "sctp-src-port", FREE_PORT, 64000, NUMBER, 50},
	{"sctp", "sctp-vtag", 1, 0xffffffff, NUMBER, 50},
	{"sctp", "sctp-tsn", 0, 0xffffffff, NUMBER, 50},
	{"icmp", "icmp-id", 0, 65535, NUMBER, 50},
	{"icmp", "icmp-seq", 0, 65535, NUMBER, 50},
	{"icmpv6", "icmpv6-id", 0, 65535, NUMBER, 50},
	{"icmpv6", "icmpv6-seq", 0, 65535, NUMBER, 50},
	{"igmp", "igmp-max-resp", 0, 255, NUMBER, 50},
	{"esp", "esp-spi", 256, 0xffffffff, NUMBER, 50},
	{"esp", "esp-seq", 0, 0xffffffff, NUMBER, 50},
	{"gre", "gre-key", 0, 0xffffffff, NUMBER, 40},
	{"gre", "gre-sequence", 0, 0xffffffff, NUMBER, 40},
	{"vxlan", "vxlan-vni", 0, 0xffffff, NUMBER, 50},
	{"geneve", "geneve-vni", 0, 0xffffff, NUMBER, 50},
	{"gtpu", "gtpu-teid", 0, 0xffffffff, NUMBER, 50},
	{"l2tp", "l2tp-tunnel-id", 1, 65535, NUMBER, 50},
	{"l2tp", "l2tp-session-id", 1, 65535, NUMBER, 50},
	{"arp", "arp-dst-ip", 0, 0xffffff, IP4, 100},
};

static int put_value(char *out, size_t size, enum kind kind, unsigned value)
{
	switch (kind) {
	case MAC:
		return snprintf(out, size, "02:00:5e:%02x:%02x:%02x", value >> 16 & 255,
			value >> 8 & 255, value & 255);
	case IP4:
		return snprintf(
			out, size, "10.%u.%u.%u", value >> 16 & 255, value >> 8 & 255, value & 255);
	case IP6:
		return snprintf(
			out, size, "2001:db8::ffff:%x:%x", value >> 16 & 0xffff, value & 0xffff);
	case NUMBER:
		break;
	}
	return snprintf(out, size, "%u", value);
}

/* One item: a value, a range up or down, or a list. */
static int put_item(struct compose *c, char *out, size_t size, unsigned f)
{
	enum kind kind = fields[f].kind;
	unsigned span = fields[f].hi - fields[f].lo, nb = 1 + draw(c, span < 300 ? span : 300);
	unsigned lo = fields[f].lo + (span > nb ? draw(c, span - nb) : 0);
	int used = 0;

	c->nb_vary++;
	switch (c->nb_vary < MAX_VARY ? draw(c, 4) : 0) {
	case 0:
		return put_value(out, size, kind, lo);
	case 1:
		used = snprintf(out, size, "list:");
		for (unsigned i = 0; i < 2; i++) {
			used += put_value(out + used, size - (unsigned)used, kind, lo + nb * i);
			used += snprintf(out + used, size - (unsigned)used, "+");
		}
		return used + put_value(out + used, size - (unsigned)used, kind, lo);
	default:
		used = snprintf(out, size, draw(c, 2) == 0 ? "inc:" : "dec:");
	}
	used += put_value(out + used, size - (unsigned)used, kind, lo);
	used += snprintf(out + used, size - (unsigned)used, "-");
	used += put_value(out + used, size - (unsigned)used, kind, lo + nb);
	if (nb > 8 && draw(c, 3) == 0)
		used += snprintf(out + used, size - (unsigned)used, "+step=%u", 1 + draw(c, 7));
	return used;
}

static unsigned count(const struct compose *c, const char *header)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < c->nb_stack; i++)
		nb += strcmp(c->stack[i], header) == 0;
	return nb;
}

/* What the plan of a port would have to find out. */
static bool needs_value(const char *field)
{
	return strcmp(field, "mac-dst") == 0 || strcmp(field, "ip-src") == 0 ||
	       strcmp(field, "ipv6-src") == 0;
}

static void make_fields(struct compose *c, bool received)
{
	for (unsigned f = 0; f < NB(fields); f++) {
		unsigned nb = count(c, fields[f].header);
		char *out = c->words[c->nb_words];
		int used;

		if (nb == 0 || (draw(c, 100) >= fields[f].often &&
				       !(received && needs_value(fields[f].field))))
			continue;
		used = snprintf(out, COMPOSE_WORD_MAX, "%s=", fields[f].field);
		for (unsigned i = 0; i < nb; i++) {
			used += snprintf(out + used, COMPOSE_WORD_MAX - (unsigned)used, "%s",
				i == 0 ? "" : ",");
			used += put_item(c, out + used, COMPOSE_WORD_MAX - (unsigned)used, f);
		}
		c->nb_words++;
	}
}

static void put_word(struct compose *c, const char *word)
{
	snprintf(c->words[c->nb_words++], COMPOSE_WORD_MAX, "%s", word);
}

/* One size or a mix. */
static void make_sizes(struct compose *c)
{
	static const unsigned sizes[] = {0, 0, 1, 2, 3, 17, 100, 511, 1400};
	unsigned k = draw(c, NB(sizes));

	c->sizes[c->nb_sizes++] = sizes[k];
	if (draw(c, 3) != 0)
		return;
	while (++k < NB(sizes) && c->nb_sizes < COMPOSE_MAX_SIZES)
		if (sizes[k] > c->sizes[c->nb_sizes - 1])
			c->sizes[c->nb_sizes++] = sizes[k];
}

void compose_make(struct compose *out, uint64_t seed, bool received)
{
	static const char *const data[] = {
		"data=uninitialized", "data=incrementing", "data=specific-byte"};
	const char *word;
	int used;

	*out = (struct compose){.seed = seed};
	make_stack(out, received);
	used = snprintf(out->words[0], COMPOSE_WORD_MAX, "header-stack=");
	for (unsigned i = 0; i < out->nb_stack; i++)
		used += snprintf(out->words[0] + used, COMPOSE_WORD_MAX - (unsigned)used, "%s%s",
			i == 0 ? "" : ",", out->stack[i]);
	out->nb_words = 1;
	make_fields(out, received);
	if (has(out, "udp") && draw(out, 4) != 0)
		put_word(out, "udp-checksum=good");
	if (has(out, "routing") && draw(out, 2) == 0)
		put_word(out, "routing-segments-left=1");
	if (has(out, "gre") && draw(out, 2) == 0)
		put_word(out, "gre-checksum=good");
	/* tshark shows tags of 802.1ad in other fields */
	if (has(out, "vlan") && draw(out, 3) == 0)
		put_word(out, "vlan-tpid=0x9100");
	word = data[draw(out, NB(data))];
	put_word(out, word);
	if (strcmp(word, "data=specific-byte") == 0)
		put_word(out, "data-byte=a5");
	make_sizes(out);
}
