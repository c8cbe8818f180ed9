/* SPDX-License-Identifier: BSD-3-Clause */
/* Who works: CPUs, queues of ports, and the lanes of streams on them. */
#include "plan_help.h"

#define NB_PORTS_MAX 8
#define CONF                                                                                       \
	"{'ports': ["                                                                              \
	"{'name': 'ether1', 'device': 'ring:a', 'address': ['1.1.1.1/24']},"                       \
	"{'name': 'ether2', 'device': 'ring:b', 'address': ['2.2.2.2/24']}],"                      \
	"'packet-templates': ["                                                                    \
	"{'name': 'r12', 'ip-gateway': '1.1.1.254', 'ip-dst': '2.2.2.2'},"                         \
	"{'name': 'r21', 'ip-gateway': '2.2.2.254', 'ip-dst': '1.1.1.1'}]}"

/* ---- CPUs ---- */

static void all_cpus_but_the_first_work_unless_told(void **state)
{
	static const struct {
		const char *word;
		unsigned nb_cpus, nb_workers, first, last;
	} cases[] = {
		{"", 1, 1, 0, 0}, {"", 2, 1, 1, 1}, {"", 4, 3, 1, 3}, {"", 256, 255, 1, 255},
		{"cpu-core=0", 4, 1, 0, 0}, {"cpu-core=2-3", 4, 2, 2, 3},
		{"cpu-core=3,1", 4, 2, 1, 3}, {"cpu-core=0-3", 4, 4, 0, 3},
		{"cpu-core=1-2,2-3", 4, 3, 1, 3}, /* each once */
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[128];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 pps=1 %s", cases[i].word);
		make(&m, CONF, words, cases[i].nb_cpus);
		assert_made(&m, words);
		assert_int_equal(m.plan->nb_workers, cases[i].nb_workers);
		assert_int_equal(m.plan->workers[0].cpu, cases[i].first);
		assert_int_equal(m.plan->workers[cases[i].nb_workers - 1].cpu, cases[i].last);
		made_fini(&m);
	}
}

static void cpus_that_are_not_allowed_are_refused(void **state)
{
	static const struct {
		const char *word, *says;
	} cases[] = {
		{"cpu-core=4", "CPU 4 is not one this process may use"},
		{"cpu-core=0,7", "CPU 7 is not"},
		{"cpu-core=2-5", "CPU 4 is not"},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		char words[128];
		struct made m;

		snprintf(words, sizeof(words), "tx-template=r12 pps=1 %s", cases[i].word);
		make(&m, CONF, words, 4);
		assert_refused(&m, words, "cpu-core: ", cases[i].says);
		made_fini(&m);
	}
}

/* ---- queues ---- */

static void queues_are_shared_out_up_to_what_devices_can(void **state)
{
	static const struct {
		unsigned nb_workers, nb_ports;
		uint16_t max[4], wanted[4];
	} cases[] = {
		{1, 1, {16}, {1}},
		{1, 4, {16, 16, 16, 16}, {1, 1, 1, 1}},
		{3, 4, {16, 16, 16, 16}, {1, 1, 1, 1}},
		{4, 4, {16, 16, 16, 16}, {1, 1, 1, 1}},
		{7, 2, {16, 16}, {4, 3}},
		{8, 2, {1, 16}, {1, 7}},
		{8, 3, {2, 1, 2}, {2, 1, 2}},
		{255, 2, {16, 16}, {16, 16}},
		{255, 1, {64}, {PLAN_MAX_QUEUES}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan plan = {
			.nb_workers = cases[i].nb_workers, .nb_ports = cases[i].nb_ports};
		uint16_t wanted[4] = {0};

		plan_queues_wanted(&plan, cases[i].max, wanted);
		for (unsigned p = 0; p < cases[i].nb_ports; p++)
			assert_int_equal(wanted[p], cases[i].wanted[p]);
	}
}

/* Queues of ports, grouped by port. Returns their number. */
static unsigned queues_make(
	struct plan_queue *queues, unsigned nb_ports, unsigned nb_workers, uint16_t max)
{
	struct plan plan = {.nb_workers = nb_workers, .nb_ports = nb_ports};
	uint16_t max_queues[NB_PORTS_MAX] = {0}, wanted[NB_PORTS_MAX];
	unsigned nb = 0;

	for (unsigned p = 0; p < nb_ports; p++)
		max_queues[p] = max;
	plan_queues_wanted(&plan, max_queues, wanted);
	for (unsigned p = 0; p < nb_ports; p++)
		for (uint16_t q = 0; q < wanted[p]; q++)
			queues[nb++] = (struct plan_queue){.port = (uint16_t)p, .queue = q};
	return nb;
}

/* From a laptop to the largest server: 2 to 256 CPUs, 1 to 8 ports. */
static void no_worker_has_two_queues_while_another_of_its_node_has_none(void **state)
{
	(void)state;
	for (unsigned nb_cpus = 2; nb_cpus <= NB_CPUS_MAX; nb_cpus++) {
		for (unsigned nb_ports = 1; nb_ports <= NB_PORTS_MAX; nb_ports++) {
			struct plan_queue queues[NB_PORTS_MAX * PLAN_MAX_QUEUES];
			uint16_t worker[NB_PORTS_MAX * PLAN_MAX_QUEUES];
			unsigned load[NB_CPUS_MAX] = {0}, least[2] = {UINT32_MAX, UINT32_MAX};
			unsigned most[2] = {0}, nb;
			struct plan_cpu cpus[NB_CPUS_MAX];
			int nodes[NB_PORTS_MAX];

			cpus_make(cpus, nb_cpus);
			for (unsigned p = 0; p < nb_ports; p++)
				nodes[p] = (int)(p % 2);
			nb = queues_make(queues, nb_ports, nb_cpus, PLAN_MAX_QUEUES);
			plan_assign_workers(queues, nb, nodes, cpus, nb_cpus, worker);
			for (unsigned q = 0; q < nb; q++) {
				assert_true(worker[q] < nb_cpus);
				assert_int_equal(cpus[worker[q]].numa_node, nodes[queues[q].port]);
				load[worker[q]]++;
			}
			for (unsigned c = 0; c < nb_cpus; c++) {
				int node = cpus[c].numa_node;

				least[node] = load[c] < least[node] ? load[c] : least[node];
				most[node] = load[c] > most[node] ? load[c] : most[node];
			}
			for (unsigned n = 0; n < 2; n++)
				assert_true(most[n] - least[n] <= 1);
		}
	}
}

static void a_node_without_workers_borrows_them(void **state)
{
	static const struct plan_queue queues[] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {2, 0, 0}};
	static const struct plan_cpu cpus[] = {{4, 0}, {5, 0}, {6, 1}};
	static const int nodes[] = {7, 0, -1}; /* none of its own, node 0, anywhere */
	uint16_t worker[4];

	(void)state;
	plan_assign_workers(queues, 4, nodes, cpus, 3, worker);
	assert_int_equal(worker[0], 0);
	assert_int_equal(worker[1], 1);
	assert_int_equal(worker[2], 0); /* its node, though busier than the third */
	assert_int_equal(worker[3], 2);
}

static void one_worker_takes_all_queues(void **state)
{
	struct plan_queue queues[NB_PORTS_MAX];
	static const struct plan_cpu cpu = {0, 0};
	static const int nodes[NB_PORTS_MAX] = {0, 1, -1, 0, 1, -1, 0, 1};
	uint16_t worker[NB_PORTS_MAX];
	unsigned nb = queues_make(queues, NB_PORTS_MAX, 1, PLAN_MAX_QUEUES);

	(void)state;
	assert_int_equal(nb, NB_PORTS_MAX);
	memset(worker, 0xff, sizeof(worker));
	plan_assign_workers(queues, nb, nodes, &cpu, 1, worker);
	for (unsigned q = 0; q < nb; q++)
		assert_int_equal(worker[q], 0);
}

static void a_sized_plan_has_the_queues_the_devices_have(void **state)
{
	static const struct plan_queue expected[] = {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {1, 0, 0}};
	struct plan_facts facts[2];
	struct made m;

	(void)state;
	make(&m, CONF, "tx-template=r12 pps=1", 4);
	assert_made(&m, "queues");
	facts_make(m.plan, facts);
	facts[0].nb_queues = 3;
	assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
	assert_int_equal(m.plan->nb_queues, NB(expected));
	for (unsigned q = 0; q < NB(expected); q++) {
		assert_int_equal(m.plan->queues[q].port, expected[q].port);
		assert_int_equal(m.plan->queues[q].queue, expected[q].queue);
		assert_int_equal(m.plan->queues[q].worker, expected[q].worker);
	}
	made_fini(&m);
}

/* ---- lanes ---- */

static void lanes_go_to_the_least_loaded_queue_of_their_port(void **state)
{
	static const struct {
		const char *words;
		uint16_t queue[5]; /* ether1 has the first two, ether2 the third */
	} cases[] = {
		{"tx-template=r12,r12,r12,r12,r21 pps=100,60,50,10,1", {0, 1, 1, 0, 2}},
		{"tx-template=r12,r12,r12,r12,r21 pps=10,10,10,10,10", {0, 1, 0, 1, 2}},
		{"tx-template=r21,r12,r21,r12,r21 pps=1,1,5,1,1", {2, 0, 2, 1, 2}},
		{"tx-template=r12,r12,r12,r12,r21 pps=max,10,10,10,max", {0, 1, 1, 1, 2}},
		{"tx-template=r12,r12,r12,r12,r21 pps=max", {0, 1, 0, 1, 2}},
		{"tx-template=r12,r12,r12,r12,r21 mbps=9,5,2,1,1 packet-size=60", {0, 1, 1, 1, 2}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[2];
		struct made m;

		make(&m, CONF, cases[i].words, 5);
		assert_made(&m, cases[i].words);
		facts_make(m.plan, facts);
		facts[0].nb_queues = 2;
		facts[1].nb_queues = 1;
		assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
		assert_int_equal(m.plan->nb_lanes, 5);
		for (unsigned l = 0; l < 5; l++) {
			assert_int_equal(m.plan->lanes[l].stream, l);
			if (m.plan->lanes[l].queue != cases[i].queue[l])
				fail_msg("%s: stream %u on queue %u", cases[i].words, l,
					m.plan->lanes[l].queue);
		}
		made_fini(&m);
	}
}

/* Lanes are grouped by stream, on queues of their own, and share out the packet-count. */
static void fewer_streams_than_queues_get_lanes_on_all(void **state)
{
	static const struct {
		const char *words;
		unsigned nb_streams, nb_lanes; /* on four queues of ether1 */
		uint64_t count[4];	       /* of the first stream's lanes */
	} cases[] = {
		{"tx-template=r12 pps=10 packet-count=10", 1, 4, {3, 3, 2, 2}},
		{"tx-template=r12,r12 pps=10 packet-count=5", 2, 2, {3, 2}},
		{"tx-template=r12,r12,r12 pps=10 packet-count=7", 3, 1, {7}},
		{"tx-template=r12,r12,r12,r12,r12 pps=10", 5, 1, {UINT64_MAX}},
		{"tx-template=r12 pps=max", 1, 4, {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
	};

	(void)state;
	for (unsigned i = 0; i < NB(cases); i++) {
		struct plan_facts facts[2];
		bool taken[5] = {false};
		struct made m;

		make(&m, CONF, cases[i].words, 5);
		assert_made(&m, cases[i].words);
		facts_make(m.plan, facts);
		facts[0].nb_queues = 4;
		facts[1].nb_queues = 1;
		assert_int_equal(plan_size(m.plan, facts, &m.err), 0);
		assert_int_equal(m.plan->nb_lanes, cases[i].nb_streams * cases[i].nb_lanes);
		for (unsigned l = 0; l < m.plan->nb_lanes; l++) {
			const struct plan_lane *lane = &m.plan->lanes[l];

			assert_int_equal(lane->stream, l / cases[i].nb_lanes);
			assert_int_equal(lane->index, l % cases[i].nb_lanes);
			assert_int_equal(lane->nb, cases[i].nb_lanes);
			assert_int_equal(m.plan->queues[lane->queue].port, 0);
			if (cases[i].nb_lanes > 1)
				assert_false(taken[lane->queue]);
			taken[lane->queue] = true;
			if (lane->stream == 0)
				assert_int_equal(lane->packet_count, cases[i].count[lane->index]);
		}
		made_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_cpus_but_the_first_work_unless_told),
		cmocka_unit_test(cpus_that_are_not_allowed_are_refused),
		cmocka_unit_test(queues_are_shared_out_up_to_what_devices_can),
		cmocka_unit_test(no_worker_has_two_queues_while_another_of_its_node_has_none),
		cmocka_unit_test(a_node_without_workers_borrows_them),
		cmocka_unit_test(one_worker_takes_all_queues),
		cmocka_unit_test(a_sized_plan_has_the_queues_the_devices_have),
		cmocka_unit_test(lanes_go_to_the_least_loaded_queue_of_their_port),
		cmocka_unit_test(fewer_streams_than_queues_get_lanes_on_all),
	};

	return cmocka_run_group_tests(tests, plan_enter, plan_leave);
}
