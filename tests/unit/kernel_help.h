/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * What the tests of the kernel's side share: a network namespace of their own with a veth pair of
 * which both ends are here: `va` is the interface under a port, `vb` the cable to it.
 */

#include "tgen/kernel.h"

#include "tgen/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SKIPPED	    77
#define MAC_A	    0x020000000a01ull
#define MAC_B	    0x020000000b02ull
#define ANSWER_MS   2000 /* far longer than an answer takes */
#define SILENCE_MS  150	 /* an answer over veth takes microseconds */
#define ETHERTYPE_T 0x88b5

/* All lines succeed. */
static inline bool shell(const char *commands)
{
	char line[1024];

	snprintf(line, sizeof(line), "set -e; { %s; } >/dev/null 2>&1", commands);
	return system(line) == 0;
}

static inline int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- raw frames ---- */

static inline int packet_open(const char *ifname)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(ifname)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static inline void frame_send(int fd, const void *frame, size_t bytes)
{
	assert_int_equal(send(fd, frame, bytes, 0), bytes);
}

/*
 * Whether a frame that begins like `like` (a mask of bytes to compare) arrives within the time.
 * Frames that the socket's own interface sends are passed over.
 */
static inline bool frame_awaits(
	int fd, const uint8_t *like, const bool *compare, size_t bytes, int ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	int64_t end = clock_ms() + ms, left;
	struct sockaddr_ll from;
	uint8_t frame[2048];
	bool same;

	while ((left = end - clock_ms()) > 0) {
		socklen_t len = sizeof(from);
		ssize_t n;

		if (poll(&pfd, 1, (int)left) <= 0)
			continue;
		n = recvfrom(fd, frame, sizeof(frame), 0, (struct sockaddr *)&from, &len);
		if (n < (ssize_t)bytes || from.sll_pkttype == PACKET_OUTGOING)
			continue;
		same = true;
		for (size_t i = 0; i < bytes; i++)
			same = same && (!compare[i] || frame[i] == like[i]);
		if (same)
			return true;
	}
	return false;
}

/* Who has 192.0.2.1? Asked by 192.0.2.2 from vb. */
static const uint8_t arp_request[60] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0x0b,
	0x02, 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1, 0x02, 0, 0, 0, 0x0b, 0x02, 192, 0, 2, 2, 0, 0, 0,
	0, 0, 0, 192, 0, 2, 1};

/* Echo request 192.0.2.2 > 192.0.2.1, 8 bytes of payload. */
static const uint8_t echo_request[60] = {0x02, 0, 0, 0, 0x0a, 0x01, 0x02, 0, 0, 0, 0x0b, 0x02, 0x08,
	0, 0x45, 0, 0, 36, 0, 0, 0, 0, 64, 1, 0xf6, 0xd5, 192, 0, 2, 2, 192, 0, 2, 1, 8, 0, 0xf7,
	0xfc, 0, 1, 0, 2};

static inline bool arp_answers(int fd_b, int ms)
{
	uint8_t like[22] = {[12] = 0x08, [13] = 0x06, [20] = 0, [21] = 2};
	bool compare[22] = {[12] = true, [13] = true, [20] = true, [21] = true};

	frame_send(fd_b, arp_request, sizeof(arp_request));
	return frame_awaits(fd_b, like, compare, sizeof(like), ms);
}

static inline bool echo_answers(int fd_b, int ms)
{
	uint8_t like[35] = {[12] = 0x08, [13] = 0x00, [23] = 1, [34] = 0};
	bool compare[35] = {[12] = true, [13] = true, [23] = true, [34] = true};

	frame_send(fd_b, echo_request, sizeof(echo_request));
	return frame_awaits(fd_b, like, compare, sizeof(like), ms);
}

static inline bool arp_request_arrives(int fd_a)
{
	bool compare[sizeof(arp_request)];

	memset(compare, true, sizeof(compare));
	return frame_awaits(fd_a, arp_request, compare, sizeof(arp_request), ANSWER_MS);
}

/* ---- the pair ---- */

static inline int pair_make(void **state)
{
	/* Without IPv6 the kernel sends nothing of its own: frames can be counted. */
	bool ok = shell("ip link add dev va address 02:00:00:00:0a:01 type veth "
			"peer name vb address 02:00:00:00:0b:02;"
			"ip link set dev va up; ip link set dev vb up");

	return ok ? 0 : -1;
}

static inline int pair_remove(void **state)
{
	return shell("ip link del dev va") ? 0 : -1;
}

#define WITH_PAIR(test) cmocka_unit_test_setup_teardown(test, pair_make, pair_remove)

/* Enters a namespace of the program's own; false, with the reason printed, where that cannot be. */
static inline bool namespace_enter(void)
{
	if (unshare(CLONE_NEWNET) != 0) {
		fprintf(stderr, "skipped: a network namespace is not permitted\n");
		return false;
	}
	shell("echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6;"
	      "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6");
	if (!shell("ip link set dev lo up; nft list tables;"
		   "ip link add dev va type veth peer name vb; ip link del dev va")) {
		fprintf(stderr, "skipped: ip, nft or veth is not to be had\n");
		return false;
	}
	return true;
}
