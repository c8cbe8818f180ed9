/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_run.h"

#include <cjson/cJSON.h>

#define MS (S / 1000)

struct samples {
	uint64_t from, to, step;
};

static struct hist *new_hist(const struct samples *samples, size_t nb)
{
	struct hist *h = malloc(sizeof(*h));

	assert_non_null(h);
	hist_reset(h);
	for (size_t i = 0; i < nb; i++)
		for (uint64_t ns = samples[i].from; ns <= samples[i].to; ns += samples[i].step)
			hist_record(h, ns);
	return h;
}

static uint64_t sum_of(const struct report_bins *bins)
{
	uint64_t sum = bins->overflow;

	for (unsigned i = 0; i < bins->nb; i++)
		sum += bins->bin[i].count;
	return sum;
}

static void every_sample_is_in_one_bin_or_above_them(void **state)
{
	static const struct {
		struct samples samples;
		uint64_t max_ns;
		bool overflow;
	} cases[] = {
		{{0, 0, 1}, 0, false},
		{{7, 7, 1}, 0, false},
		{{0, 200, 1}, 0, false},
		{{12100, 13000, 1}, 0, false},
		{{1000, 100 * MS, 997}, 0, false},
		{{1, 100 * S, S / 7}, 0, false},
		{{12100, 13000, 1}, 12500, true},
		{{12100, 13000, 1}, 100000, false},
		{{12100, 13000, 1}, 12099, true},
		{{12100, 13000, 1}, 1, true},
		{{12100, 13000, 1}, 60 * S, false},
		/* above what the histogram has buckets for */
		{{100 * S, 200 * S, S}, 0, true},
		{{150 * S, 200 * S, S}, 0, true},
		{{150 * S, 200 * S, S}, 5, true},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct hist *h = new_hist(&cases[i].samples, 1);
		struct report_bins bins;

		report_distribution_bins(&bins, h, cases[i].max_ns);
		assert_int_equal(sum_of(&bins), h->count);
		assert_int_equal(bins.overflow > 0, cases[i].overflow);
		assert_true(bins.nb <= REPORT_DISTRIBUTION_ROWS);
		for (unsigned b = 0; b < bins.nb; b++) {
			assert_true(bins.bin[b].low_ns <= bins.bin[b].high_ns);
			if (b > 0)
				assert_int_equal(bins.bin[b].low_ns, bins.bin[b - 1].high_ns + 1);
		}
		free(h);
	}
}

static void bins_cover_the_samples(void **state)
{
	static const struct samples samples[] = {{1000, 1000, 1}, {5 * MS, 5 * MS, 1}};
	struct hist *h = new_hist(samples, 2);
	struct report_bins bins;

	report_distribution_bins(&bins, h, 0);
	assert_int_equal(bins.bin[0].count, 1);
	assert_int_equal(bins.bin[bins.nb - 1].count, 1);
	assert_in_range(1000, bins.bin[0].low_ns, bins.bin[0].high_ns);
	assert_in_range(5 * MS, bins.bin[bins.nb - 1].low_ns, bins.bin[bins.nb - 1].high_ns);
	free(h);
}

static uint64_t width_of(const struct report_bin *bin)
{
	return bin->high_ns + 1 - bin->low_ns;
}

static void a_wide_range_is_cut_by_octaves_and_a_given_one_evenly(void **state)
{
	static const struct samples wide[] = {{1000, 100 * MS, 997}};
	static const struct samples narrow[] = {{10000, 109999, 1}};
	struct report_bins bins;
	struct hist *h = new_hist(wide, 1);

	report_distribution_bins(&bins, h, 0);
	assert_int_equal(bins.nb, REPORT_DISTRIBUTION_ROWS);
	assert_true(width_of(&bins.bin[bins.nb - 1]) > 1000 * width_of(&bins.bin[0]));
	free(h);

	h = new_hist(narrow, 1);
	report_distribution_bins(&bins, h, 109999);
	assert_int_equal(bins.nb, REPORT_DISTRIBUTION_ROWS);
	/* 100 us in 64 rows, to the width of the histogram's buckets: 512 ns there */
	for (unsigned i = 0; i < bins.nb; i++)
		assert_in_range(width_of(&bins.bin[i]), 1562 - 512, 1562 + 512 + 64);
	free(h);
}

static void a_given_range_ends_there_and_counts_what_is_above(void **state)
{
	static const struct samples samples[] = {{1000, 1000, 1}, {90000, 90009, 1}};
	struct hist *h = new_hist(samples, 2);
	struct report_bins bins;

	report_distribution_bins(&bins, h, 50000);
	assert_int_equal(bins.overflow, 10);
	/* to the end of the bucket that 50 us lies in */
	assert_in_range(bins.above_ns, 50000, 50000 + 256);
	assert_int_equal(bins.bin[bins.nb - 1].high_ns, bins.above_ns);
	free(h);
}

static void no_samples_no_bins(void **state)
{
	struct hist *h = new_hist(NULL, 0);
	struct report_bins bins;

	report_distribution_bins(&bins, h, 0);
	assert_int_equal(bins.nb, 0);
	assert_int_equal(bins.overflow, 0);
	free(h);
}

static void graph_is_as_routeros_draws_it(void **state)
{
	static const char dashes[] = "---------------------------------------------------*\n";
	static const struct samples samples[] = {
		{10, 10, 1}, {11, 11, 1}, {11, 11, 1}, {11, 11, 1}, {11, 11, 1}, {12, 12, 1}};
	static const struct report_distribution_options options = {.stream = "4", .max_ns = 11};
	char *text = NULL, expected[512];
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct hist *h = new_hist(samples, NB(samples));

	assert_int_equal(report_distribution(out, h, &options), 0);
	fclose(out);
	snprintf(expected, sizeof(expected), "%s%s%s%s%s",
		"STREAM-ID    LATENCY        COUNT     SHARE  GRAPH\n"
		"        4  10ns-10ns            1   16.666%  ------------*\n"
		"        4  11ns-11ns            4   66.666%  ",
		dashes, "        4      >11ns            1   16.666%  ", "------------*\n",
		"P50 11ns  P90 12ns  P99 12ns  P99.9 12ns  P99.99 12ns  max 12ns\n");
	assert_string_equal(text, expected);
	assert_int_equal(strlen(dashes), 52 + 1);
	free(text);
	free(h);
}

static void rows_of_nothing_have_no_graph(void **state)
{
	static const struct samples samples[] = {{10, 10, 1}, {12, 12, 1}};
	static const struct report_distribution_options options = {.stream = "TOT"};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	struct hist *h = new_hist(samples, NB(samples));

	assert_int_equal(report_distribution(out, h, &options), 0);
	fclose(out);
	assert_non_null(strstr(text, "      TOT  11ns-11ns            0    0.000%\n"));
	assert_null(strchr(text, '>'));
	free(text);
	free(h);
}

static void table_has_the_graph_of_each_stream_that_is_received(void **state)
{
	static const struct {
		bool asked, known;
		unsigned nb_streams;
		bool transmit_only;
		unsigned nb_graphs;
	} cases[] = {
		{false, true, 2, false, 0},
		{true, false, 2, false, 0},
		{true, true, 2, false, 3},
		{true, true, 2, true, 2},
		/* TOT over one stream says the same again */
		{true, true, 1, false, 1},
	};

	for (size_t i = 0; i < NB(cases); i++) {
		struct memory memory;
		struct run run;

		run_init(&run);
		run.info.nb_streams = cases[i].nb_streams;
		run.streams[1].transmit_only = cases[i].transmit_only;
		if (!cases[i].known)
			run.summary.latency = NULL;
		memory_init(&memory);
		memory.options.latency_distribution = cases[i].asked;
		memory_report(&memory, &run);
		assert_int_equal(count_text(memory.text, "STREAM-ID"), cases[i].nb_graphs);
		assert_int_equal(count_text(memory.text, "latency distribution (FILO):\n"),
			cases[i].nb_graphs > 0);
		memory_fini(&memory);
	}
}

static uint64_t sum_of_buckets(const cJSON *item)
{
	const cJSON *buckets = cJSON_GetObjectItemCaseSensitive(item, "buckets"), *bucket;
	uint64_t sum = 0;

	cJSON_ArrayForEach(bucket, buckets)
	{
		assert_int_equal(cJSON_GetArraySize(bucket), 3);
		assert_true(cJSON_GetArrayItem(bucket, 2)->valuedouble > 0);
		sum += (uint64_t)cJSON_GetArrayItem(bucket, 2)->valuedouble;
	}
	return sum;
}

static int number(const cJSON *item, const char *key)
{
	item = cJSON_GetObjectItemCaseSensitive(item, key);
	assert_true(cJSON_IsNumber(item));
	return item->valueint;
}

static void json_has_the_buckets_of_each_stream_and_all_when_asked(void **state)
{
	static const char *const forms[] = {"json", "jsonl"};
	static const int counts[] = {11, 10, 21}, overflows[] = {1, 0, 1};

	for (size_t i = 0; i < 2 * NB(forms); i++) {
		const cJSON *array, *item;
		struct memory memory;
		struct run run;
		cJSON *root;
		unsigned at = 0;

		run_init(&run);
		memory_init(&memory);
		memory.options.outputs = &forms[i / 2];
		memory.options.nb_outputs = 1;
		memory.options.latency_distribution = i % 2 == 0;
		memory_report(&memory, &run);
		root = cJSON_Parse(
			i / 2 == 0 ? memory.text : strstr(memory.text, "{\"type\":\"end\""));
		assert_non_null(root);
		array = cJSON_GetObjectItemCaseSensitive(root, "latency-distribution");
		assert_int_equal(cJSON_GetArraySize(array), i % 2 == 0 ? 3 : 0);
		cJSON_ArrayForEach(item, array)
		{
			assert_int_equal(number(item, "count"), counts[at]);
			assert_int_equal(number(item, "overflow"), overflows[at]);
			assert_int_equal(
				sum_of_buckets(item) + (uint64_t)overflows[at], counts[at]);
			at++;
		}
		cJSON_Delete(root);
		memory_fini(&memory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_is_in_one_bin_or_above_them),
		cmocka_unit_test(bins_cover_the_samples),
		cmocka_unit_test(a_wide_range_is_cut_by_octaves_and_a_given_one_evenly),
		cmocka_unit_test(a_given_range_ends_there_and_counts_what_is_above),
		cmocka_unit_test(no_samples_no_bins),
		cmocka_unit_test(graph_is_as_routeros_draws_it),
		cmocka_unit_test(rows_of_nothing_have_no_graph),
		cmocka_unit_test(table_has_the_graph_of_each_stream_that_is_received),
		cmocka_unit_test(json_has_the_buckets_of_each_stream_and_all_when_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
