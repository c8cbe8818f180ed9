/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever stack, whatever varies, whatever size: what is sent on a ring comes back good. */
#include "bench.h"

#include "../golden/compose.h"

#include <stdio.h>

#define STREAMS	 BENCH_STREAMS_MAX /* of a case */
#define JSON_MAX 131072
#define LARGEST	 1514u /* a ring's MTU and the Ethernet header; tags come on top */

/* The same compositions as tshark judges, seed by seed: a million a seed. */
#define SEED	    1000000u
#define QUICK_CASES 4u /* without TGEN_LONG=1; each takes seconds */

/* Writes the packet-size of a template: one, or a mix. */
static void put_sizes(FILE *words, const struct compose *c)
{
	const char *before = "";
	struct err err = {0};
	struct opt_set set;
	int least;

	opt_set_init(&set, &pkt_template_menu);
	for (unsigned w = 0; w < c->nb_words; w++)
		if (opt_set_arg(&set, c->words[w], &err) != 0)
			fail_msg("%s", err.text);
	least = pkt_min_size(&set, &err);
	if (least < 0)
		fail_msg("%s", err.text);
	opt_set_fini(&set);
	for (unsigned k = 0; k < c->nb_sizes; k++) {
		unsigned size = (unsigned)least + c->sizes[k];

		if (k > 0 && size > LARGEST)
			break;
		fprintf(words, "%s%u=%u", before, size <= LARGEST ? size : (unsigned)least, k + 1);
		before = "+";
	}
}

/* The template as an object of the file. */
static void put_template(FILE *json, const struct compose *c, unsigned i)
{
	fprintf(json, "%s{'name': 'c%u', 'rx-port': 'loop'", i == 0 ? "" : ",", i);
	for (unsigned w = 0; w < c->nb_words; w++) {
		const char *word = c->words[w], *value = strchr(word, '=') + 1;

		fprintf(json, ", '%.*s': '%s'", (int)(value - word - 1), word, value);
	}
	fputc('}', json);
}

static void run_case(unsigned nth)
{
	char *json = calloc(1, JSON_MAX), *words = calloc(1, JSON_MAX),
	     *sizes = calloc(1, JSON_MAX);
	FILE *json_file = fmemopen(json, JSON_MAX - 1, "w");
	FILE *words_file = fmemopen(words, JSON_MAX - 1, "w");
	FILE *sizes_file = fmemopen(sizes, JSON_MAX - 1, "w");
	struct compose *compose = malloc(sizeof(*compose));
	struct bench b;

	assert_true(json != NULL && words != NULL && sizes != NULL && sizes_file != NULL &&
		    json_file != NULL && words_file != NULL && compose != NULL);
	fprintf(json_file, "{'ports': [{'name': 'loop', 'device': 'ring:loop', 'address': "
			   "['1.1.1.1/24']}], 'packet-templates': [");
	fputs("tx-template=", words_file);
	for (unsigned i = 0; i < STREAMS; i++) {
		compose_make(compose, SEED + nth * STREAMS + i, true);
		put_template(json_file, compose, i);
		fputs(i == 0 ? "" : ",", sizes_file);
		put_sizes(sizes_file, compose);
		fprintf(words_file, "%sc%u", i == 0 ? "" : ",", i);
	}
	fputs("]}", json_file);
	fclose(sizes_file);
	fprintf(words_file, " packet-size=%s pps=500 packet-count=50", sizes);
	fclose(json_file);
	fclose(words_file);
	bench_open(&b, json, words);
	bench_trial(&b, 0);
	for (unsigned i = 0; i < STREAMS; i++)
		if (b.result.totals[i].n.good != b.result.totals[i].n.tx_packet)
			print_error("composition %u: not all are good\n", SEED + nth * STREAMS + i);
	bench_assert_all_back(&b);
	bench_close(&b);
	free(compose);
	free(json);
	free(words);
	free(sizes);
}

/* Each a process of its own, as EAL starts once in each. */
/* clang-format off */
#define CASES(CASE) \
	CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) \
	CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
/* clang-format on */
#define CASE_DEFINE(n_)                                                                            \
	static void random_compositions_are_received_good_##n_(void **state)                       \
	{                                                                                          \
		(void)state;                                                                       \
		if (n_ < QUICK_CASES || getenv("TGEN_LONG") != NULL)                               \
			run_case(n_);                                                              \
	}
#define CASE_LIST(n_) cmocka_unit_test(random_compositions_are_received_good_##n_),

CASES(CASE_DEFINE)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {CASES(CASE_LIST)};

	return bench_main(argc, argv, tests, NB(tests));
}
