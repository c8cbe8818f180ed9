/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes into everything that reads received frames; the first byte is the test-id. Built apart
 * from meson: clang -fsanitize=fuzzer,address,undefined with this file and all of pkt, host, base.
 */
#include "tgen/host.h"
#include "tgen/pkt.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* What is refused stays as it is; what goes back is accepted again, and then once more the same. */
static void reflect(const uint8_t *frame, unsigned len)
{
	uint8_t *f = malloc(len ? len : 1), *first = malloc(len ? len : 1);

	require(f != NULL && first != NULL);
	memcpy(f, frame, len);
	if (pkt_reflect(f, len)) {
		require(memcmp(f, frame + 6, 6) == 0 && memcmp(f + 6, frame, 6) == 0);
		memcpy(first, f, len);
		require(pkt_reflect(f, len) && pkt_reflect(f, len));
	} else {
		memcpy(first, frame, len);
	}
	require(memcmp(f, first, len) == 0);
	free(f);
	free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct host_addr addrs[] = {
		{{.lo = UNITS_IP4_MARK | 0x0a000001}, 24, {{0}}},
		{{.lo = UNITS_IP4_MARK | 0xc0a80101}, 16, {.vid = {100}}},
		{{.up = 0x20010db800000000, .lo = 1}, 64, {{0}}},
		{{.up = 0x20010db800000001, .lo = 1}, 64, {.vid = {100, 200}}},
	};
	const uint8_t *frame = data + 1;
	struct host_if hif = {.mac = 0x020000000001, .addrs = addrs, .nb_addrs = 4};
	uint8_t reply[HOST_FRAME_MAX];
	struct host_echo echo;
	struct pkt_rx rx;
	unsigned len, reply_len = 0;
	struct host_neighbour who;

	if (size == 0 || size > 65536)
		return 0;
	len = (unsigned)(size - 1);
	pkt_parse(frame, len, data[0], &rx);
	if (rx.cls == PKT_TEST) {
		require(rx.sig.test_id == data[0]);
		require(rx.icmp_type != 3 || rx.ip_proto != PKT_IP_PROTO_ICMP);
		require(rx.icmp_type == 0 || rx.icmp_type >= 128 ||
			rx.ip_proto != PKT_IP_PROTO_ICMP6);
	}
	require(rx.l3_off <= rx.end_off && rx.l4_off <= rx.end_off && rx.end_off <= len);
	reflect(frame, len);
	if (host_input(&hif, frame, len, reply, &reply_len) == HOST_ANSWER)
		require(reply_len >= PKT_MIN_BYTES && reply_len <= HOST_FRAME_MAX);
	if (host_learn(frame, len, &who))
		require(!units_ip_is_none(who.ip) && who.mac != 0);
	if (host_echo_reply(&hif, frame, len, &echo))
		require(echo.bytes <= len);
	return 0;
}
