/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes frames 0..4 of every template below to a pcap file, for check.py to have them judged. */
#include "tgen/pkt.h"

#include <pcap/pcap.h>

#include <stdio.h>
#include <stdlib.h>

#define NB_FRAMES 5
#define MAX_WORDS 8
#define MAX_BYTES 65535

struct golden {
	unsigned size;
	const char *words[MAX_WORDS];
};

/* clang-format off */
/* check.py knows them by their place: change both. */
static const struct golden cases[] = {
	{60, {"ip-dst=198.51.100.1"}},
	{60, {"ip-dst=198.51.100.1", "udp-checksum=compute"}},
	{61, {"ip-dst=198.51.100.1", "udp-checksum=compute", "data=incrementing"}},
	{508, {"ip-dst=198.51.100.1", "udp-checksum=compute", "data=specific-byte", "data-byte=A5"}},
	{1513, {"ip-dst=198.51.100.1", "udp-checksum=compute", "data=incrementing"}},
	{1514, {"ip-dst=198.51.100.1", "udp-checksum=compute"}},
	{64, {"ip-dst=198.51.100.1", "udp-checksum=compute", "udp-src-port=65533-65535",
		     "udp-dst-port=40000-40003"}},
	{65, {"ip-dst=198.51.100.254-198.51.101.1", "ip-src=10.255.255.254-11.0.0.0",
		     "udp-checksum=compute"}},
	{60, {"ip-dst=198.51.100.1", "ip-dscp=184", "ip-id=48879", "ip-frag-off=16384",
		     "ip-ttl=7"}},
	{60, {"ip-dst=198.51.100.1", "header-stack=mac,ip", "ip-protocol=gre",
		     "special-footer=no"}},
	{60, {"ip-dst=198.51.100.1", "header-stack=mac,ip"}},
	{60, {"header-stack=mac"}},
	{60, {"header-stack=mac", "mac-dst=02:00:00:00:00:99", "mac-src=02:00:00:00:00:98",
		     "mac-protocol=0x88b6"}},
	{100, {"ip-dst=198.51.100.1", "data=incrementing"}},
	{9014, {"ip-dst=198.51.100.1", "udp-checksum=compute", "data=incrementing"}},
	{100, {"ip-dst=198.51.100.1", "data=incrementing", "special-footer=no",
		      "udp-checksum=compute"}},
	{60, {"ip-dst=198.51.100.1", "udp-checksum=4660"}},
};
/* clang-format on */

static int build(const struct golden *golden, struct pkt_frame *frame)
{
	static const struct pkt_assumed assumed = {
		.mac_src = 0x020000000001,
		.mac_dst = 0x020000000002,
		.ip_src = 0xc0000201, /* 192.0.2.1 */
	};
	struct err err = {0};
	struct opt_set set;
	int rc = 0;

	opt_set_init(&set, &pkt_template_menu);
	for (unsigned i = 0; rc == 0 && i < MAX_WORDS && golden->words[i] != NULL; i++)
		rc = opt_set_arg(&set, golden->words[i], &err);
	if (rc == 0)
		rc = pkt_build(&set, &assumed, golden->size, frame, &err);
	if (rc != 0)
		fprintf(stderr, "%s\n", err.text);
	opt_set_fini(&set);
	return rc;
}

static void dump(pcap_dumper_t *dumper, const struct pkt_frame *frame, unsigned nb_before)
{
	static uint8_t bytes[MAX_BYTES];

	for (unsigned n = 0; n < NB_FRAMES; n++) {
		struct pcap_pkthdr head = {
			.ts = {.tv_sec = nb_before + n},
			.caplen = frame->size,
			.len = frame->size,
		};
		struct sig sig = {
			.test_id = 7,
			.epoch = (uint8_t)n,
			.lane = (uint16_t)(nb_before / NB_FRAMES),
			.seq = 0xfffffffe + n,
			.time_ns = 0x123456789abcull * (n + 1),
		};

		pkt_render(frame, n, &sig, bytes);
		pcap_dump((uint8_t *)dumper, &head, bytes);
	}
}

int main(int argc, char **argv)
{
	pcap_dumper_t *dumper;
	int status = EXIT_SUCCESS;
	pcap_t *pcap;

	if (argc != 2) {
		fprintf(stderr, "usage: render FILE\n");
		return EXIT_FAILURE;
	}
	pcap = pcap_open_dead(DLT_EN10MB, MAX_BYTES);
	dumper = pcap_dump_open(pcap, argv[1]);
	if (dumper == NULL) {
		fprintf(stderr, "%s\n", pcap_geterr(pcap));
		pcap_close(pcap);
		return EXIT_FAILURE;
	}
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pkt_frame frame;

		if (build(&cases[i], &frame) != 0) {
			status = EXIT_FAILURE;
			break;
		}
		dump(dumper, &frame, i * NB_FRAMES);
		pkt_frame_fini(&frame);
	}
	pcap_dump_close(dumper);
	pcap_close(pcap);
	return status;
}
