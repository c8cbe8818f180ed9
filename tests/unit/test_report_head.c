/* SPDX-License-Identifier: BSD-3-Clause */
/* What the first lines say of streams that are more than one size at one rate. */
#include "report_run.h"

/* A mix shows its sizes and exact mean, a schedule what it adds; in the table's head and in JSON. */
static void head_names_mixes_and_schedules(void **state)
{
	static const char *const json = "json";
	static const struct sched bursts = {.num = 0,
		.den = 1,
		.burst_packets = 1000,
		.burst_count = 30,
		.gap_ns = 20000000,
		.delay_ns = 2 * S};
	struct memory table, object;
	struct run run;

	run_init(&run);
	run.streams[0].size_min = 60;
	run.streams[0].size_max = 1514;
	run.streams[0].size_sum = 4230; /* 7 of 60, 4 of 574, 1 of 1514 */
	run.streams[0].size_nb = 12;
	run.streams[0].packet_size = run.streams[0].layer_bytes = 353;
	run.streams[0].asked_upps = 1000 * UNITS_MICROS;
	run.streams[1].sched = &bursts;
	memory_init(&table);
	memory_report(&table, &run);
	assert_non_null(strstr(table.text, "0 r12 ether1 -> ether2 60..1514, mean 352.5 bytes "
					   "1000 pps (capped from 4166.666667 pps) 2.8Mbps\n"));
	assert_non_null(strstr(
		table.text, ", from 2s, 30 bursts of 1 000, 20ms apart, 3 000 000 packets\n"));
	memory_fini(&table);
	memory_init(&object);
	object.options.outputs = &json;
	object.options.nb_outputs = 1;
	memory_report(&object, &run);
	assert_non_null(strstr(object.text, "\"packet-size-min\":\t60,"));
	assert_non_null(strstr(object.text, "\"packet-size-max\":\t1514,"));
	assert_non_null(strstr(object.text, "\"packet-size-mean\":\t352.5,"));
	assert_non_null(strstr(object.text, "\"start-delay-ns\":\t2000000000,"));
	assert_non_null(strstr(object.text, "\"burst-count\":\t30,"));
	assert_non_null(strstr(object.text, "\"inter-burst-gap-ns\":\t20000000,"));
	memory_fini(&object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_names_mixes_and_schedules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
