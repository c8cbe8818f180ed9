/* SPDX-License-Identifier: BSD-3-Clause */
/* What packet-size and frame-size say: sizes, ranges, mixes, presets and genomes. */
#include "tgen/conf.h"
#include "tgen/pkt.h"
#include "tgen/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define MTU_SIZE  1514u

static void parse(struct pkt_sizes *sizes, const char *item, bool fcs, uint64_t seed)
{
	const struct pkt_size_facts facts = {.most = MTU_SIZE, .with_fcs = fcs, .seed = seed};
	struct err err = {0};

	if (pkt_sizes_parse(item, &facts, sizes, &err) != 0)
		fail_msg("%s: %s", item, err.text);
}

static unsigned size_at(const struct pkt_sizes *sizes, unsigned n)
{
	return sizes->bytes[sizes->order[n % sizes->period]];
}

static unsigned times(const struct pkt_sizes *sizes, unsigned size)
{
	unsigned nb = 0;

	for (unsigned n = 0; n < sizes->period; n++)
		nb += size_at(sizes, n) == size;
	return nb;
}

/* What every user of the sizes relies on. */
static void assert_sound(const struct pkt_sizes *sizes, const char *item)
{
	uint64_t sum = 0;

	for (unsigned k = 1; k < sizes->nb; k++)
		if (sizes->bytes[k] <= sizes->bytes[k - 1])
			fail_msg("%s: sizes do not rise", item);
	for (unsigned n = 0; n < sizes->period; n++) {
		assert_true(sizes->order[n] < sizes->nb);
		sum += size_at(sizes, n);
	}
	assert_int_equal(sum, sizes->sum);
	for (unsigned k = 0; k < sizes->nb; k++)
		assert_true(times(sizes, sizes->bytes[k]) > 0);
}

static void means_are_exact_over_a_round(void **state)
{
	static const struct {
		const char *item;
		bool fcs;
		unsigned nb, num, den; /* different sizes; mean packet-size as a fraction */
	} cases[] = {
		{"60", false, 1, 60, 1},
		{"64", true, 1, 60, 1},
		{"0", false, 1, MTU_SIZE, 1},
		{"0", true, 1, MTU_SIZE, 1},
		{"60-61", false, 2, 121, 2},
		{"60-1514", false, 1455, 787, 1},
		{"64-1518", true, 1455, 787, 1},
		{"60=7+590=4+1514=1", false, 3, 4294, 12},
		{"60=14+590=8+1514=2", false, 3, 4294, 12},
		{"60=1+60=1", false, 1, 60, 1},
		{"60+1514", false, 2, 787, 1},
		{"64-128=2+1514=1", false, 66, 1706, 3},
		{"60-62=1+61-64=1", false, 5, 247, 4},
		{"0=1+60=1", false, 2, 787, 1},
		/* the published means of methodology, FCS included: 361.83, 353.83, 355.83, 486.16 */
		{"imix", false, 3, 4342 - 12 * 4, 12},
		{"imix", true, 3, 4342 - 12 * 4, 12},
		{"imix-570", false, 3, 4246 - 12 * 4, 12},
		{"imix-576", false, 3, 4270 - 12 * 4, 12},
		{"imix-ipv6", false, 3, 84 * 28 + 570 * 16 + 1518 * 4 - 48 * 4, 48},
		{"imix-tolly", false, 4, 48616 - 400, 100},
		{"genome:aaaaaaaddddg", false, 3, 7 * 64 + 4 * 512 + 1518 - 48, 12},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct pkt_sizes sizes;

		parse(&sizes, cases[i].item, cases[i].fcs, 1);
		assert_sound(&sizes, cases[i].item);
		if (sizes.nb != cases[i].nb ||
			sizes.sum * cases[i].den != (uint64_t)cases[i].num * sizes.period)
			fail_msg("%s: %u sizes, %llu bytes in %u frames", cases[i].item, sizes.nb,
				(unsigned long long)sizes.sum, sizes.period);
		pkt_sizes_fini(&sizes);
	}
}

static void a_range_has_every_size_once_a_round_in_random_order(void **state)
{
	struct pkt_sizes sizes, again, other;
	unsigned in_order = 0;

	(void)state;
	parse(&sizes, "60-1514", false, 7);
	parse(&again, "60-1514", false, 7);
	parse(&other, "60-1514", false, 8);
	assert_int_equal(sizes.period, 1455);
	for (unsigned size = 60; size <= 1514; size++)
		assert_int_equal(times(&sizes, size), 1);
	for (unsigned n = 1; n < sizes.period; n++)
		in_order += size_at(&sizes, n) == size_at(&sizes, n - 1) + 1;
	assert_true(in_order < 20);
	assert_memory_equal(sizes.order, again.order, sizes.period * sizeof(*sizes.order));
	assert_memory_not_equal(sizes.order, other.order, sizes.period * sizeof(*sizes.order));
	pkt_sizes_fini(&sizes);
	pkt_sizes_fini(&again);
	pkt_sizes_fini(&other);
}

static void a_range_in_a_mix_has_its_sizes_equally_often(void **state)
{
	struct pkt_sizes sizes;

	(void)state;
	parse(&sizes, "64-128=2+1514=1", false, 0);
	assert_int_equal(sizes.period, 195);
	assert_int_equal(times(&sizes, 1514), 65);
	for (unsigned size = 64; size <= 128; size++)
		assert_int_equal(times(&sizes, size), 2);
	pkt_sizes_fini(&sizes);
}

/* Within one frame of its share at every moment, whatever the weights. */
static void a_mix_is_spread_evenly(void **state)
{
	static const struct {
		const char *item;
		unsigned nb, size[5], weight[5];
	} cases[] = {
		{"60=7+590=4+1514=1", 3, {60, 590, 1514}, {7, 4, 1}},
		{"imix-tolly", 4, {60, 74, 572, 1514}, {55, 5, 17, 23}},
		{"60=1+61=1+62=1+63=1+64=9", 5, {60, 61, 62, 63, 64}, {1, 1, 1, 1, 9}},
		{"60=97+100=89+200=1+300=2+400=53", 5, {60, 100, 200, 300, 400},
			{97, 89, 1, 2, 53}},
		{"60=100000+1514=1", 2, {60, 1514}, {100000, 1}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		int64_t total = 0, seen[5] = {0};
		struct pkt_sizes sizes;

		parse(&sizes, cases[i].item, false, 0);
		for (unsigned k = 0; k < cases[i].nb; k++)
			total += cases[i].weight[k];
		assert_int_equal(sizes.period, total);
		for (unsigned n = 0; n < sizes.period; n++) {
			for (unsigned k = 0; k < cases[i].nb; k++) {
				int64_t lag;

				seen[k] += size_at(&sizes, n) == cases[i].size[k];
				lag = (int64_t)(n + 1) * cases[i].weight[k] - seen[k] * total;
				if (lag >= total || lag <= -total)
					fail_msg("%s: size %u after %u frames: %lld/%lld away",
						cases[i].item, cases[i].size[k], n + 1,
						(long long)lag, (long long)total);
			}
		}
		pkt_sizes_fini(&sizes);
	}
}

static void genomes_are_the_sequence_of_rfc_6985(void **state)
{
	/* RFC 6985, section 4; packet-size is without FCS */
	static const unsigned letters[] = {64, 128, 256, 512, 1024, 1280, 1518, 2112, 9000, 16000};
	static const unsigned runs[] = {64, 128, 64, 128, 64, 128, 1518, 1518, 64};
	struct pkt_sizes sizes;

	(void)state;
	parse(&sizes, "genome:abcdefghijz", false, 0);
	assert_int_equal(sizes.period, 11);
	for (unsigned n = 0; n < NB(letters); n++)
		assert_int_equal(size_at(&sizes, n), letters[n] - UNITS_FCS_BYTES);
	assert_int_equal(size_at(&sizes, 10), MTU_SIZE);
	pkt_sizes_fini(&sizes);
	parse(&sizes, "genome:3xab+2xg+a", true, 0);
	assert_int_equal(sizes.period, NB(runs));
	for (unsigned n = 0; n < NB(runs); n++)
		assert_int_equal(size_at(&sizes, n), runs[n] - UNITS_FCS_BYTES);
	assert_int_equal(sizes.nb, 3);
	pkt_sizes_fini(&sizes);
	parse(&sizes, "genome:20xabcd+5xggga+10xdcba", false, 0);
	assert_int_equal(sizes.period, 20 * 4 + 5 * 4 + 10 * 4);
	pkt_sizes_fini(&sizes);
}

static void what_the_mtu_decides_is_zero_while_it_is_not_known(void **state)
{
	static const char *const items[] = {"0", "0=1+60=3", "genome:az"};
	const struct pkt_size_facts unknown = {0};

	(void)state;
	for (unsigned i = 0; i < NB(items); i++) {
		struct pkt_sizes sizes;
		struct err err = {0};

		assert_int_equal(pkt_sizes_parse(items[i], &unknown, &sizes, &err), 0);
		assert_int_equal(sizes.bytes[0], 0);
		pkt_sizes_fini(&sizes);
	}
}

static void the_words_of_the_menu_are_the_presets(void **state)
{
	const struct opt_word *words = conf_stream_opts[STREAM_PACKET_SIZE].words;
	unsigned i = 0;

	(void)state;
	assert_ptr_equal(words, conf_stream_opts[STREAM_FRAME_SIZE].words);
	for (; words[i].name != NULL; i++)
		assert_string_equal(words[i].name, pkt_sizes_preset(i, NULL));
	assert_null(pkt_sizes_preset(i, NULL));
}

static void wrong_sizes_say_what_is_wrong(void **state)
{
	static const struct {
		const char *item;
		bool fcs;
		const char *says;
	} cases[] = {
		{"59", false, "59 is less than 60, the smallest Ethernet frame without FCS"},
		{"63", true, "63 is less than 64, the smallest Ethernet frame with FCS"},
		{"65536", false, "more than 65535"},
		{"65540", true, "more than 65539"},
		{"20-100", false, "20 is less than 60"},
		{"0-100", false, "\"0-100\" is not a range"},
		{"100-60", false, "\"100-60\" is not a range"},
		{"60=0", false, "\"0\" is not a weight"},
		{"60=x", false, "\"x\" is not a weight"},
		{"60=1048577", false, "is not a weight (1..1048576)"},
		{"60=7+", false, "is not a size"},
		{"+60", false, "is not a size"},
		{"60=7+x=1", false, "\"x\" is not a size"},
		{"60=1048576+61=1048575", false, "repeats after more than 1048576 frames"},
		{"60-1514=1+60-1513=1+60-1510=1", false, "repeats after more than"},
		{"genome:", false, "has an empty sequence"},
		{"genome:a+", false, "has an empty sequence"},
		{"genome:aak", false, "'k' is no size of RFC 6985"},
		{"genome:A", false, "'A' is no size of RFC 6985"},
		{"genome:0xa", false, "is not COUNTxLETTERS"},
		{"genome:3a", false, "is not COUNTxLETTERS"},
		{"genome:3x", false, "has an empty sequence"},
		{"genome:1048577xa", false, "repeats after more than"},
		{"genome:1048576xa+a", false, "repeats after more than"},
		{"genom:aa", false, "did you mean \"genome\"?"},
		{"imux", false, "did you mean \"imix\"?"},
		{"imix+60", false, "is not a size"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		const struct pkt_size_facts facts = {.most = MTU_SIZE, .with_fcs = cases[i].fcs};
		struct err err = {0};
		struct pkt_sizes sizes;

		if (pkt_sizes_parse(cases[i].item, &facts, &sizes, &err) == 0)
			fail_msg("%s is taken", cases[i].item);
		if (strstr(err.text, cases[i].says) == NULL || err.status != TGEN_USAGE)
			fail_msg("%s: \"%s\"", cases[i].item, err.text);
		assert_null(sizes.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_exact_over_a_round),
		cmocka_unit_test(a_range_has_every_size_once_a_round_in_random_order),
		cmocka_unit_test(a_range_in_a_mix_has_its_sizes_equally_often),
		cmocka_unit_test(a_mix_is_spread_evenly),
		cmocka_unit_test(genomes_are_the_sequence_of_rfc_6985),
		cmocka_unit_test(what_the_mtu_decides_is_zero_while_it_is_not_known),
		cmocka_unit_test(the_words_of_the_menu_are_the_presets),
		cmocka_unit_test(wrong_sizes_say_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
