/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A core that cannot do both. Three ports send flat out through a bridge to a fourth, all on one
 * worker: a round of it sends three times 64 frames and receives at most 64, so that frames are missed
 * however fast the machine is. They must be counted as missed, named, and taken from nobody's share.
 */
#include "bench.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#define NB_SENDERS 3u
#define NB_PORTS   (NB_SENDERS + 1)
#define RX	   NB_SENDERS /* index of the port that receives */
#define COUNT	   100000u    /* frames of each: several times what a receiver's ring holds */
#define ROUND	   192u	      /* frames sent in one */
#define HOST_MAX   100u	      /* ARP and echo, beside the streams */

#define CONF                                                                                       \
	"{'ports': [{'name': 'p0', 'device': 'auto:a0', 'address': ['1.1.1.1/24']},"               \
	"{'name': 'p1', 'device': 'auto:a1', 'address': ['1.1.1.2/24']},"                          \
	"{'name': 'p2', 'device': 'auto:a2', 'address': ['1.1.1.3/24']},"                          \
	"{'name': 'p3', 'device': 'auto:a3', 'address': ['1.1.1.4/24']}],"                         \
	"'packet-templates': ["                                                                    \
	"{'name': 't0', 'port': 'p0', 'ip-dst': '1.1.1.4'},"                                       \
	"{'name': 't1', 'port': 'p1', 'ip-dst': '1.1.1.4'},"                                       \
	"{'name': 't2', 'port': 'p2', 'ip-dst': '1.1.1.4'}]}"

static bool shell(const char *commands)
{
	char line[1024];

	snprintf(line, sizeof(line), "set -e; { %s; } >/dev/null 2>&1", commands);
	return system(line) == 0;
}

/* A namespace of this process's own, with a bridge and its four ports. */
static void bridge_make(void)
{
	if (unshare(CLONE_NEWNET) != 0)
		bench_skip("a network namespace is not permitted");
	if (!shell("echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6;"
		   "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6;"
		   "ip link add br0 type bridge mcast_snooping 0; ip link set br0 up;"
		   "for i in 0 1 2 3; do ip link add a$i type veth peer name b$i;"
		   "ip link set b$i master br0; ip link set a$i up; ip link set b$i up; done"))
		bench_skip("ip, veth or a bridge is not to be had");
}

/* Frames that the kernel brought to an interface of this namespace. */
static uint64_t arrived(const char *name)
{
	FILE *f = fopen("/proc/thread-self/net/dev", "re");
	uint64_t packets = 0;
	char line[512];
	bool found = false;

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f) != NULL) {
		char *colon = strchr(line, ':');
		char *at = line + strspn(line, " ");

		if (colon == NULL)
			continue;
		*colon = '\0';
		found = strcmp(at, name) == 0 && sscanf(colon + 1, "%*u %" SCNu64, &packets) == 1;
	}
	fclose(f);
	assert_true(found);
	return packets;
}

static bool reason_has(const struct bench *b, const char *text)
{
	for (unsigned i = 0; i < b->verdict.summary.nb_reasons; i++)
		if (strstr(b->verdict.summary.reasons[i], text) != NULL)
			return true;
	return false;
}

static void frames_that_the_core_cannot_read_are_missed_and_not_lost(void **state)
{
	const struct result_port_counts *rx;
	uint64_t before, came, missed, good;
	struct plan_cpu *cpus = NULL;
	char words[256];
	struct bench b;

	(void)state;
	bridge_make();
	assert_true(engine_cpus(&cpus) > 0);
	snprintf(words, sizeof(words),
		"tx-template=t0,t1,t2 packet-size=60 pps=max packet-count=%u cpu-core=%u", COUNT,
		cpus[0].cpu);
	free(cpus);
	bench_open(&b, CONF, words);
	assert_int_equal(b.plan->nb_workers, 1);
	before = arrived("a3");
	assert_int_equal(bench_trial_once(&b, 0), 0);
	came = arrived("a3") - before;
	rx = &b.result.ports[RX];
	missed = rx->rx_missed + rx->rx_kernel_dropped;
	good = b.result.total.n.good;

	/* all were sent: receiving took nothing from the senders */
	for (unsigned i = 0; i < NB_SENDERS; i++)
		assert_int_equal(b.result.totals[i].n.tx_packet, COUNT);
	/* what came and was not read is missed: nothing of it is the bridge's loss */
	assert_true(missed > 0);
	assert_in_range(came, good + missed, good + missed + HOST_MAX);
	assert_int_equal(b.result.total.n.duplicate, 0);
	assert_int_equal(b.result.total.n.bad, 0);
	/* and sending took no more than its own: of three times 64 frames 64 were read */
	assert_true(good + ROUND >= came / NB_SENDERS);
	assert_false(b.verdict.summary.clean);
	assert_int_equal(b.verdict.summary.status, TGEN_INVALID);
	assert_true(reason_has(&b, "port p3: "));
	assert_true(reason_has(&b, "which are not the device's loss"));
	bench_assert_conserved(&b);
	bench_close(&b);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_that_the_core_cannot_read_are_missed_and_not_lost),
	};

	return bench_main(argc, argv, tests, NB(tests));
}
