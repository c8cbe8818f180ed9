/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames themselves, as a capture file holds them in the order in which they left. */
#include "bench.h"

#include <pcap/pcap.h>

#include <stdio.h>
#include <unistd.h>

#define FILE_NAME    "/tmp/tgen-test-frames-%d.pcap"
#define NB_LANES_MAX 4u
#define SRC_PORT_OFF 34u /* MAC header and IPv4 header before it */
#define DST_PORT_OFF 36u
#define IP_SRC_OFF   26u
#define TEST_ID	     0x5a
#define SHORT_BYTES  60u /* no room for data */

#define CONF                                                                                       \
	"{'ports': [{'name': 'file', 'device': 'pcap:tx_pcap=%s', 'address': ['1.1.1.1/24']}],"    \
	"'settings': {'test-id': 90},"                                                             \
	"'packet-templates': ["                                                                    \
	"{'name': 'ports', 'ip-dst': '2.2.2.2', 'mac-dst': '02:00:00:00:00:0a',"                   \
	" 'udp-src-port': '1000-1016', 'udp-dst-port': '5-7', 'udp-checksum': 'compute',"          \
	" 'data': 'incrementing'},"                                                                \
	"{'name': 'hosts', 'ip-dst': '2.2.2.2', 'mac-dst': '02:00:00:00:00:0a',"                   \
	" 'ip-src': '10.0.0.250-10.0.1.5', 'data': 'specific-byte', 'data-byte': 'a5'},"           \
	"{'name': 'quiet', 'ip-dst': '2.2.2.2', 'mac-dst': '02:00:00:00:00:0a',"                   \
	" 'special-footer': false}]}"

#define NB_TRIALS_MAX 4

struct capture {
	char path[64];
	struct bench bench;
	uint64_t sent[NB_LANES_MAX];		     /* in all trials */
	uint64_t start[NB_TRIALS_MAX][NB_LANES_MAX]; /* sent before each trial */
	unsigned nb_trials;
};

static void capture_open(struct capture *c, const char *words)
{
	char json[2048];

	memset(c, 0, sizeof(*c));
	snprintf(c->path, sizeof(c->path), FILE_NAME, getpid());
	snprintf(json, sizeof(json), CONF, c->path);
	bench_open(&c->bench, json, words);
}

/* One trial, however it went: what left is what the file must hold. */
static void capture_trial(struct capture *c, uint64_t duration_ns)
{
	assert_true(c->nb_trials < NB_TRIALS_MAX);
	memcpy(c->start[c->nb_trials++], c->sent, sizeof(c->sent));
	assert_int_equal(bench_trial_once(&c->bench, duration_ns), 0);
	for (unsigned i = 0; i < c->bench.plan->nb_streams; i++)
		c->sent[i] += c->bench.result.totals[i].n.tx_packet;
}

/* Closes the engine, which completes the file, and hands each frame with its length to check. */
static void capture_walk(struct capture *c,
	void (*check)(struct capture *c, const uint8_t *frame, unsigned len, void *ctx), void *ctx)
{
	char text[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *head;
	const uint8_t *frame;
	pcap_t *pcap;

	engine_close(c->bench.engine);
	c->bench.engine = NULL;
	pcap = pcap_open_offline(c->path, text);
	if (pcap == NULL)
		fail_msg("%s", text);
	while (pcap_next_ex(pcap, &head, &frame) == 1) {
		assert_int_equal(head->caplen, head->len);
		check(c, frame, head->caplen, ctx);
	}
	pcap_close(pcap);
	unlink(c->path);
}

struct seen {
	uint64_t nb[NB_LANES_MAX];
	uint64_t time_ns; /* of the last stamp */
	uint8_t epoch;
	uint64_t ports[17], hosts[12];
	uint64_t nb_quiet, nb_host, nb_epochs;
};

/* Which frame of its trial the n-th of a lane is. */
static uint64_t in_trial(const struct capture *c, unsigned lane, uint64_t n)
{
	uint64_t start = 0;

	for (unsigned t = 0; t < c->nb_trials; t++)
		if (c->start[t][lane] <= n)
			start = c->start[t][lane];
	return n - start;
}

static void check_frame(struct capture *c, const uint8_t *frame, unsigned len, void *ctx)
{
	const struct plan *plan = c->bench.plan;
	struct seen *seen = ctx;
	struct pkt_rx rx;
	uint64_t n, v;

	pkt_parse(frame, len, TEST_ID, &rx);
	if (rx.cls == PKT_ARP) {
		seen->nb_host++; /* the announcement of our address before each trial */
		return;
	}
	if (rx.cls == PKT_UNKNOWN) {
		seen->nb_quiet++;
		return;
	}
	assert_int_equal(rx.cls, PKT_TEST); /* signature and all checksums right */
	assert_true(rx.sig.lane < plan->nb_lanes);
	n = seen->nb[rx.sig.lane]++;
	assert_int_equal(len, plan->streams[rx.sig.lane].size);
	assert_int_equal(rx.sig.seq, n);
	v = in_trial(c, rx.sig.lane, n);
	assert_true(rx.sig.time_ns >= seen->time_ns);
	seen->time_ns = rx.sig.time_ns;
	if (rx.sig.epoch != seen->epoch)
		seen->nb_epochs++;
	seen->epoch = rx.sig.epoch;
	if (rx.sig.lane == 0) {
		assert_int_equal(pkt_get16(frame + SRC_PORT_OFF), 1000 + v % 17);
		assert_int_equal(pkt_get16(frame + DST_PORT_OFF), 5 + v % 3);
		if (len > SHORT_BYTES) {
			assert_int_equal(frame[DST_PORT_OFF + 6], 0);
			assert_int_equal(frame[DST_PORT_OFF + 7], 1);
		}
		seen->ports[v % 17]++;
	} else {
		assert_int_equal(pkt_get32(frame + IP_SRC_OFF), 0x0a0000fa + v % 12);
		if (len > SHORT_BYTES)
			assert_int_equal(frame[DST_PORT_OFF + 6], 0xa5);
		seen->hosts[v % 12]++;
	}
}

static void every_frame_is_whole_stamped_in_order_and_varied_in_turn(void **state)
{
	struct seen seen = {0};
	struct capture c;

	(void)state;
	capture_open(&c, "tx-template=ports,hosts packet-size=100,300 pps=1k,700");
	capture_trial(&c, 500 * BENCH_MS);
	capture_walk(&c, check_frame, &seen);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(seen.nb[i], c.sent[i]);
	assert_true(c.sent[0] > 17 && c.sent[1] > 12);
	/* complete: each value as often as any other, give or take one */
	for (unsigned i = 0; i < NB(seen.ports); i++)
		assert_true(seen.ports[i] >= c.sent[0] / 17 && seen.ports[i] <= c.sent[0] / 17 + 1);
	for (unsigned i = 0; i < NB(seen.hosts); i++)
		assert_true(seen.hosts[i] >= c.sent[1] / 12 && seen.hosts[i] <= c.sent[1] / 12 + 1);
	assert_true(seen.nb_host > 0);
	bench_close(&c.bench);
}

/* Every trial sends the same frames (RFC 4814), told from the last one's by their sequences. */
static void sequences_go_on_across_trials_values_begin_anew(void **state)
{
	struct seen seen = {0};
	struct capture c;

	(void)state;
	capture_open(&c, "tx-template=ports,hosts packet-size=100,300 pps=1k,700 drain=0");
	for (unsigned i = 0; i < 3; i++)
		capture_trial(&c, 100 * BENCH_MS);
	capture_walk(&c, check_frame, &seen);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(seen.nb[i], c.sent[i]);
	bench_close(&c.bench);
}

/* In bursts, whose rounds end anywhere. */
static void short_frames_vary(const char *form, const char *words)
{
	struct seen seen = {0};
	struct capture c;

	if (form != NULL)
		setenv("TGEN_TX_FORM", form, 1);
	capture_open(&c, words);
	capture_trial(&c, 0);
	capture_walk(&c, check_frame, &seen);
	for (unsigned i = 0; i < c.bench.plan->nb_streams; i++)
		assert_int_equal(seen.nb[i], 1000);
	bench_close(&c.bench);
}

#define SHORT_WORDS "packet-size=60 pps=max packet-count=1000 drain=0"

static void fields_of_one_lane_vary_in_turn(void **state)
{
	(void)state;
	short_frames_vary(NULL, SHORT_WORDS " tx-template=ports");
}

static void fields_of_one_lane_vary_in_turn_in_the_base_form(void **state)
{
	(void)state;
	short_frames_vary("base", SHORT_WORDS " tx-template=ports");
}

static void fields_of_two_lanes_vary_in_turn(void **state)
{
	(void)state;
	short_frames_vary(NULL, SHORT_WORDS " tx-template=ports,hosts");
}

static void check_turn(struct capture *c, const uint8_t *frame, unsigned len, void *ctx)
{
	struct seen *seen = ctx;

	check_frame(c, frame, len, ctx);
	/* until the shorter one has sent all it should */
	if (seen->nb[2] < 100)
		assert_in_range(seen->nb[1] + 1 - seen->nb[2], 0, 2);
}

static void streams_of_one_rate_and_payload_take_turns(void **state)
{
	struct seen seen = {0};
	struct capture c;

	(void)state;
	capture_open(&c, "tx-template=ports,hosts,hosts packet-size=90,100,100 pps=500 "
			 "packet-count=200,200,100 "
			 "drain=0");
	capture_trial(&c, 0);
	capture_walk(&c, check_turn, &seen);
	assert_int_equal(seen.nb[0], 200);
	assert_int_equal(seen.nb[1], 200);
	assert_int_equal(seen.nb[2], 100);
	bench_close(&c.bench);
}

static void frames_say_in_which_interval_they_left(void **state)
{
	struct seen seen = {0};
	struct capture c;

	(void)state;
	capture_open(&c, "tx-template=ports packet-size=100 pps=1k drain=0");
	capture_trial(&c, 2200 * BENCH_MS);
	capture_walk(&c, check_frame, &seen);
	assert_int_equal(seen.nb_epochs, 2);
	assert_int_equal(seen.epoch, 2);
	assert_int_equal(c.bench.nb_rows, 3);
	bench_close(&c.bench);
}

static void no_signature_means_none(void **state)
{
	struct seen seen = {0};
	struct capture c;

	(void)state;
	capture_open(&c, "tx-template=quiet packet-size=60 pps=1k packet-count=50 drain=0");
	capture_trial(&c, 0);
	assert_int_equal(c.bench.verdict.summary.status, TGEN_OK);
	capture_walk(&c, check_frame, &seen);
	assert_int_equal(seen.nb_quiet, 50);
	assert_int_equal(seen.nb[0], 0);
	bench_close(&c.bench);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_is_whole_stamped_in_order_and_varied_in_turn),
		cmocka_unit_test(sequences_go_on_across_trials_values_begin_anew),
		cmocka_unit_test(fields_of_one_lane_vary_in_turn),
		cmocka_unit_test(fields_of_one_lane_vary_in_turn_in_the_base_form),
		cmocka_unit_test(fields_of_two_lanes_vary_in_turn),
		cmocka_unit_test(streams_of_one_rate_and_payload_take_turns),
		cmocka_unit_test(frames_say_in_which_interval_they_left),
		cmocka_unit_test(no_signature_means_none),
	};

	return bench_main(argc, argv, tests, NB(tests));
}
