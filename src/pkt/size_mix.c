/* SPDX-License-Identifier: BSD-3-Clause */
#include "size_mix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tgen/units.h"

#define MAX_PARTS  256u
#define WEIGHT_MAX PKT_SIZES_PERIOD_MAX
#define GENOME	   "genome:"
#define PART_CHARS 64

/*
 * The mixes that go by the name of IMIX: 7:4:1 of the IP lengths 40, 576 and 1500, whose Ethernet
 * frames are padded to 64, and the two that take 570 or 576 for the frame; 28:16:4 for IPv6, with the
 * smallest frame that holds IPv6, UDP and the signature; the mix that the Tolly Group tested with.
 */
static const struct {
	const char *name, *mix;
} presets[] = {
	{"imix", "64=7+594=4+1518=1"},
	{"imix-570", "64=7+570=4+1518=1"},
	{"imix-576", "64=7+576=4+1518=1"},
	{"imix-ipv6", "84=28+570=16+1518=4"},
	{"imix-tolly", "64=55+78=5+576=17+1518=23"},
};
#define NB_PRESETS (sizeof(presets) / sizeof(presets[0]))

/* RFC 6985, section 4: bytes with FCS. z, the MTU's size, is told apart. */
static const char genome_letters[] = "abcdefghij";
static const uint16_t genome_bytes[] = {64, 128, 256, 512, 1024, 1280, 1518, 2112, 9000, 16000};

/* The sizes being read. */
struct mix {
	const char *item;
	struct pkt_size_facts facts;
	struct size_part parts[MAX_PARTS];
	unsigned nb;
	struct err *err;
};

const char *pkt_sizes_preset(unsigned i, const char **mix)
{
	if (i >= NB_PRESETS)
		return NULL;
	if (mix != NULL)
		*mix = presets[i].mix;
	return presets[i].name;
}

static int not_a_size(const struct mix *m, const char *part)
{
	const char *words[NB_PRESETS + 1];
	const char *near;
	char head[PART_CHARS];

	for (unsigned i = 0; i < NB_PRESETS; i++)
		words[i] = presets[i].name;
	words[NB_PRESETS] = "genome";
	snprintf(head, sizeof(head), "%.*s", (int)strcspn(part, ":"), part);
	near = opt_nearest(head, words, NB_PRESETS + 1);
	return err_usage(m->err,
		"\"%.80s\" is not a size, a range N-M, a mix N=WEIGHT+N=WEIGHT or "
		"genome:LETTERS%s%s%s",
		part, near != NULL ? ", did you mean \"" : "", near != NULL ? near : "",
		near != NULL ? "\"?" : "");
}

/* A size as written, in bytes without FCS. */
static int size_take(const struct mix *m, uint64_t size, uint16_t *out)
{
	unsigned fcs = m->facts.with_fcs ? UNITS_FCS_BYTES : 0;

	if (size == 0) {
		*out = (uint16_t)(m->facts.most < UINT16_MAX ? m->facts.most : UINT16_MAX);
		return 0;
	}
	if (size < PKT_MIN_BYTES + fcs)
		return err_usage(m->err,
			"%llu is less than %u, the smallest Ethernet frame %s FCS (0: MTU + %u)",
			(unsigned long long)size, PKT_MIN_BYTES + fcs, fcs ? "with" : "without",
			UNITS_ETH_BYTES + fcs);
	if (size > UINT16_MAX + fcs)
		return err_usage(m->err, "%llu is more than %u bytes", (unsigned long long)size,
			UINT16_MAX + fcs);
	*out = (uint16_t)(size - fcs);
	return 0;
}

/* N, N-M, each perhaps with =WEIGHT. */
static int part_read(struct mix *m, char *text)
{
	struct size_part *part = &m->parts[m->nb];
	char *weight = strchr(text, '='), *to = strchr(text, '-');
	uint64_t lo, hi, w = 1;
	int rc;

	if (m->nb == MAX_PARTS)
		return err_usage(m->err, "a mix of more than %u parts", MAX_PARTS);
	if (weight != NULL)
		*weight++ = '\0';
	if (weight != NULL && (units_parse_u64(weight, &w) != 0 || w == 0 || w > WEIGHT_MAX))
		return err_usage(m->err, "\"%.80s\" is not a weight (1..%u)", weight, WEIGHT_MAX);
	if (to != NULL)
		*to++ = '\0';
	if (units_parse_u64(text, &lo) != 0)
		return not_a_size(m, text);
	hi = lo;
	if (to != NULL && units_parse_u64(to, &hi) != 0)
		return not_a_size(m, to);
	if (lo > hi || (to != NULL && lo == 0))
		return err_usage(m->err, "\"%s-%s\" is not a range of sizes", text, to);
	rc = size_take(m, lo, &part->lo);
	if (rc == 0)
		rc = size_take(m, hi, &part->hi);
	part->weight = w;
	m->nb++;
	return rc;
}

static int mix_read(struct mix *m, const char *text)
{
	char part[PART_CHARS];
	int rc = 0;

	while (rc == 0) {
		size_t len = strcspn(text, "+");

		if (len == 0 || len >= sizeof(part))
			return not_a_size(m, text);
		snprintf(part, sizeof(part), "%.*s", (int)len, text);
		rc = part_read(m, part);
		if (text[len] == '\0')
			break;
		text += len + 1;
	}
	return rc;
}

static int too_long(const struct mix *m)
{
	return err_usage(m->err,
		"\"%.80s\" repeats after more than %u frames: give smaller weights, ranges or "
		"counts",
		m->item, PKT_SIZES_PERIOD_MAX);
}

/* ---- genomes ---- */

static int letter_size(const struct mix *m, char letter, uint16_t *out)
{
	const char *at = letter != '\0' ? strchr(genome_letters, letter) : NULL;

	if (letter == 'z')
		return size_take(m, 0, out);
	if (at == NULL)
		return err_usage(m->err,
			"'%c' is no size of RFC 6985 (letters a..j and z, as genome:aaafg or "
			"genome:20xabcd+5xggga; sizes of your own: 60=7+1514=1)",
			letter);
	return size_take(m, genome_bytes[at - genome_letters], out);
}

/* Adds one run, COUNTxLETTERS or LETTERS, of len characters. */
static int run_add(
	const struct mix *m, const char *run, size_t len, uint16_t *sequence, unsigned *nb)
{
	size_t digits = strspn(run, "0123456789");
	uint64_t count = 1;

	if (digits > 0) {
		char number[PART_CHARS];

		snprintf(number, sizeof(number), "%.*s", (int)digits, run);
		if (digits >= len || run[digits] != 'x' || units_parse_u64(number, &count) != 0 ||
			count == 0)
			return err_usage(
				m->err, "\"%.*s\" is not COUNTxLETTERS, as 20xabcd", (int)len, run);
		run += digits + 1;
		len -= digits + 1;
	}
	if (len == 0)
		return err_usage(m->err, "\"%.80s\" has an empty sequence", m->item);
	if (count > PKT_SIZES_PERIOD_MAX || count * len > PKT_SIZES_PERIOD_MAX - *nb)
		return too_long(m);
	for (uint64_t i = 0; i < count * len; i++)
		if (letter_size(m, run[i % len], &sequence[(*nb)++]) < 0)
			return -EINVAL;
	return 0;
}

static int genome_read(struct mix *m, const char *text, struct pkt_sizes *out)
{
	uint16_t *sequence = malloc(PKT_SIZES_PERIOD_MAX * sizeof(*sequence));
	unsigned nb = 0;
	int rc = sequence != NULL ? 0 : -ENOMEM;

	m->facts.with_fcs = true;
	while (rc == 0) {
		size_t len = strcspn(text, "+");

		rc = run_add(m, text, len, sequence, &nb);
		if (text[len] == '\0')
			break;
		text += len + 1;
	}
	if (rc == 0)
		rc = size_sequence_take(out, sequence, nb);
	free(sequence);
	return rc;
}

/* ---- all of them ---- */

/* One size needs no round. */
static int one_size(struct pkt_sizes *out, uint16_t size)
{
	*out = (struct pkt_sizes){.nb = 1, .period = 1, .sum = size};
	out->bytes = malloc(sizeof(*out->bytes));
	out->order = calloc(1, sizeof(*out->order));
	if (out->bytes == NULL || out->order == NULL) {
		pkt_sizes_fini(out);
		return -ENOMEM;
	}
	out->bytes[0] = size;
	return 0;
}

static int parts_take(const struct mix *m, struct pkt_sizes *out)
{
	uint16_t *sequence;
	int rc;

	if (m->nb == 1 && m->parts[0].lo == m->parts[0].hi)
		return one_size(out, m->parts[0].lo);
	rc = size_parts_lay_out(m->parts, m->nb, m->facts.seed, &sequence);
	if (rc == 0)
		return too_long(m);
	if (rc > 0)
		rc = size_sequence_take(out, sequence, (unsigned)rc);
	free(sequence);
	return rc;
}

int pkt_sizes_parse(const char *item, const struct pkt_size_facts *facts, struct pkt_sizes *out,
	struct err *err)
{
	struct mix m = {.item = item, .facts = *facts, .err = err};
	const char *text = item;
	int rc;

	*out = (struct pkt_sizes){0};
	for (unsigned i = 0; i < NB_PRESETS; i++) {
		if (strcmp(item, presets[i].name) != 0)
			continue;
		text = presets[i].mix;
		m.facts.with_fcs = true;
	}
	if (strncmp(text, GENOME, strlen(GENOME)) == 0) {
		rc = genome_read(&m, text + strlen(GENOME), out);
	} else {
		rc = mix_read(&m, text);
		if (rc == 0)
			rc = parts_take(&m, out);
	}
	return rc == -ENOMEM ? err_device(err, ENOMEM, "packet sizes") : rc;
}
