/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In a network namespace of its own, with veth pairs of which both ends are here: `va` is the
 * interface under a port, `vb` the cable to it. Skipped where that is not permitted.
 */
#include "tgen/kernel.h"

#include "tgen/units.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SKIPPED	    77
#define MAC_A	    0x020000000a01ull
#define MAC_B	    0x020000000b02ull
#define ANSWER_MS   2000 /* far longer than an answer takes */
#define SILENCE_MS  150	 /* an answer over veth takes microseconds */
#define ETHERTYPE_T 0x88b5

static const struct kernel_ring ring = {
	.block_bytes = 4096, .nb_blocks = 4, .frame_bytes = 2048, .nb_frames = 8};

/* All lines succeed. */
static bool shell(const char *commands)
{
	char line[1024];

	snprintf(line, sizeof(line), "set -e; { %s; } >/dev/null 2>&1", commands);
	return system(line) == 0;
}

static int64_t clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- raw frames ---- */

static int packet_open(const char *ifname)
{
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(ifname)};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static void frame_send(int fd, const void *frame, size_t bytes)
{
	assert_int_equal(send(fd, frame, bytes, 0), bytes);
}

/*
 * Whether a frame that begins like `like` (a mask of bytes to compare) arrives within the time.
 * Frames that the socket's own interface sends are passed over.
 */
static bool frame_awaits(int fd, const uint8_t *like, const bool *compare, size_t bytes, int ms)
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

static bool arp_answers(int fd_b, int ms)
{
	uint8_t like[22] = {[12] = 0x08, [13] = 0x06, [20] = 0, [21] = 2};
	bool compare[22] = {[12] = true, [13] = true, [20] = true, [21] = true};

	frame_send(fd_b, arp_request, sizeof(arp_request));
	return frame_awaits(fd_b, like, compare, sizeof(like), ms);
}

static bool echo_answers(int fd_b, int ms)
{
	uint8_t like[35] = {[12] = 0x08, [13] = 0x00, [23] = 1, [34] = 0};
	bool compare[35] = {[12] = true, [13] = true, [23] = true, [34] = true};

	frame_send(fd_b, echo_request, sizeof(echo_request));
	return frame_awaits(fd_b, like, compare, sizeof(like), ms);
}

static bool arp_request_arrives(int fd_a)
{
	bool compare[sizeof(arp_request)];

	memset(compare, true, sizeof(compare));
	return frame_awaits(fd_a, arp_request, compare, sizeof(arp_request), ANSWER_MS);
}

/* ---- interfaces ---- */

static int pair_make(void **state)
{
	/* Without IPv6 the kernel sends nothing of its own: frames can be counted. */
	bool ok = shell("ip link add dev va address 02:00:00:00:0a:01 type veth "
			"peer name vb address 02:00:00:00:0b:02;"
			"ip link set dev va up; ip link set dev vb up");

	return ok ? 0 : -1;
}

static int pair_remove(void **state)
{
	return shell("ip link del dev va") ? 0 : -1;
}

static void test_interface_facts_are_those_of_ip_link(void **state)
{
	struct kernel_if nic;

	assert_int_equal(kernel_if_get("va", &nic), 0);
	assert_string_equal(nic.name, "va");
	assert_int_equal(nic.index, if_nametoindex("va"));
	assert_string_equal(nic.driver, "veth");
	assert_string_equal(nic.bus, "");
	assert_true(nic.mac == MAC_A);
	assert_int_equal(nic.mtu, 1500);
	assert_true(nic.up);
	assert_true(nic.running);
	assert_false(nic.loopback);
	assert_int_equal(nic.numa_node, -1);
}

static void test_nominal_speed_of_veth_is_no_limit(void **state)
{
	struct kernel_if nic;

	assert_int_equal(kernel_if_get("va", &nic), 0);
	assert_true(nic.speed_bps == 0);
}

static void test_carrier_goes_with_the_far_end(void **state)
{
	struct kernel_if nic;

	assert_true(shell("ip link set dev vb down"));
	assert_int_equal(kernel_if_get("va", &nic), 0);
	assert_true(nic.up);
	assert_false(nic.running);
	assert_int_equal(kernel_if_get("vb", &nic), 0);
	assert_false(nic.up);
}

static void test_unknown_interfaces_are_enodev(void **state)
{
	struct kernel_if_counters counters;
	struct kernel_if nic;

	static const char *const names[] = {"", "nothere", "a-name-longer-than-any"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(kernel_if_get(names[i], &nic), -ENODEV);
		assert_int_equal(kernel_if_counters(names[i], &counters), -ENODEV);
		assert_int_equal(kernel_if_set_mtu(names[i], 1400), -ENODEV);
		assert_null(kernel_if_in_use(names[i]));
	}
}

static void test_list_has_every_interface_once(void **state)
{
	unsigned seen_a = 0, seen_b = 0, seen_lo = 0;
	struct kernel_if *nics;
	int nb = kernel_if_list(&nics);

	for (int i = 0; i < nb; i++) {
		seen_a += strcmp(nics[i].name, "va") == 0;
		seen_b += strcmp(nics[i].name, "vb") == 0 && nics[i].mac == MAC_B;
		seen_lo += strcmp(nics[i].name, "lo") == 0 && nics[i].loopback && nics[i].mac == 0;
	}
	free(nics);
	assert_int_equal(seen_a, 1);
	assert_int_equal(seen_b, 1);
	assert_int_equal(seen_lo, 1);
}

static void test_mtu_can_be_set_within_the_drivers_limits(void **state)
{
	struct kernel_if nic;

	assert_int_equal(kernel_if_set_mtu("va", 9000), 0);
	assert_int_equal(kernel_if_get("va", &nic), 0);
	assert_int_equal(nic.mtu, 9000);
	assert_int_equal(kernel_if_set_mtu("va", 20), -EINVAL);
	assert_int_equal(kernel_if_set_mtu("va", UINT32_MAX), -EINVAL);
	assert_int_equal(kernel_if_get("va", &nic), 0);
	assert_int_equal(nic.mtu, 9000);
}

static void test_counters_count_each_frame(void **state)
{
	struct kernel_if_counters a0, b0, a, b;
	int64_t end = clock_ms() + ANSWER_MS;
	int fd = packet_open("vb");

	assert_int_equal(kernel_if_counters("va", &a0), 0);
	assert_int_equal(kernel_if_counters("vb", &b0), 0);
	for (int i = 0; i < 5; i++)
		frame_send(fd, arp_request, sizeof(arp_request));
	do
		assert_int_equal(kernel_if_counters("va", &a), 0);
	while (a.rx_packets < a0.rx_packets + 5 && clock_ms() < end);
	assert_int_equal(kernel_if_counters("vb", &b), 0);
	assert_int_equal(a.rx_packets - a0.rx_packets, 5);
	assert_int_equal(b.tx_packets - b0.tx_packets, 5);
	close(fd);
}

/* ---- in use ---- */

static void test_interfaces_the_host_needs_are_in_use(void **state)
{
	static const struct {
		const char *what, *setup, *ssh, *reason; /* reason NULL: free */
	} cases[] = {
		{"no route", "ip addr add 198.51.100.2/24 dev va", NULL, NULL},
		{"route to a network",
			"ip addr add 198.51.100.2/24 dev va;"
			"ip route add 203.0.113.0/24 via 198.51.100.1",
			NULL, NULL},
		{"default route",
			"ip addr add 198.51.100.2/24 dev va;"
			"ip route add default via 198.51.100.1",
			NULL, "IPv4"},
		{"default route of another interface",
			"ip addr add 198.51.100.2/24 dev vb; ip route add default dev vb", NULL,
			NULL},
		{"default route in a table of its own", "ip route add default dev va table 77",
			NULL, "IPv4"},
		{"one of two ways of the default route",
			"ip route add default nexthop dev vb nexthop dev va", NULL, "IPv4"},
		{"refused default route", "ip route add unreachable default", NULL, NULL},
		{"IPv6 default route",
			"echo 0 >/proc/sys/net/ipv6/conf/va/disable_ipv6;"
			"ip -6 addr add 2001:db8::2/64 dev va nodad;"
			"ip -6 route add default via 2001:db8::1",
			NULL, "IPv6"},
		{"member of a bridge with the default route",
			"ip link add dev br7 type bridge; ip link set dev va master br7;"
			"ip link set dev br7 up; ip route add default dev br7",
			NULL, "IPv4"},
		{"macvlan on a bridge over it with the default route",
			"ip link add dev br7 type bridge; ip link set dev va master br7;"
			"ip link set dev br7 up; ip link add link br7 name br7m type macvlan;"
			"ip link set dev br7m up; ip route add default dev br7m",
			NULL, "IPv4"},
		{"ssh session", "ip addr add 198.51.100.2/24 dev va",
			"192.0.2.9 40000 198.51.100.2 22", "ssh"},
		{"ssh session of another interface", "ip addr add 198.51.100.2/24 dev vb",
			"192.0.2.9 40000 198.51.100.2 22", NULL},
		{"ssh client's address is not the host's", "ip addr add 198.51.100.2/24 dev va",
			"198.51.100.2 40000 192.0.2.9 22", NULL},
		{"ssh session over IPv6",
			"echo 0 >/proc/sys/net/ipv6/conf/va/disable_ipv6;"
			"ip -6 addr add fe80::77/64 dev va nodad",
			"fe80::1%va 40000 fe80::77%va 22", "ssh"},
		{"ssh variable without sense", "true", "x", NULL},
	};
	bool ipv6 = access("/proc/sys/net/ipv6", F_OK) == 0;
	const char *reason;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strstr(cases[i].setup, "ipv6") != NULL && !ipv6)
			continue;
		assert_int_equal(pair_make(NULL), 0);
		setenv("SSH_CONNECTION", cases[i].ssh != NULL ? cases[i].ssh : "x", 1);
		assert_null(kernel_if_in_use("va"));
		if (!shell(cases[i].setup))
			fail_msg("%s: setup failed", cases[i].what);
		reason = kernel_if_in_use("va");
		if (cases[i].reason == NULL
				? reason != NULL
				: reason == NULL || strstr(reason, cases[i].reason) == NULL)
			fail_msg("%s: %s", cases[i].what, reason != NULL ? reason : "free");
		unsetenv("SSH_CONNECTION");
		assert_int_equal(pair_remove(NULL), 0);
		shell("ip link del dev br7 || true; ip route flush table 77 || true;"
		      "ip route del unreachable default || true");
	}
}

static void test_ssh_session_is_found_when_sudo_dropped_the_variable(void **state)
{
	int status;
	pid_t outer;

	assert_true(shell("ip addr add 198.51.100.2/24 dev va"));
	/* An ancestor whose environment has it, and a child whose own has not. */
	outer = fork();
	if (outer == 0) {
		execl("/bin/sh", "sh", "-c",
			"export SSH_CONNECTION='192.0.2.9 4 198.51.100.2 22';"
			"sh -c 'env -u SSH_CONNECTION \"$0\" in-use va; exit $?' \"$0\"; exit $?",
			getenv("TEST_KERNEL_SELF"), (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(outer, &status, 0), outer);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

/* ---- guard ---- */

static void test_guarded_interface_is_silent_and_af_packet_still_sees(void **state)
{
	int fd_a = packet_open("va"), fd_b = packet_open("vb");
	struct kernel_guard *guard;
	struct err err = {0};

	assert_true(shell("ip addr add 192.0.2.1/24 dev va"));
	assert_true(arp_answers(fd_b, ANSWER_MS));
	assert_true(echo_answers(fd_b, ANSWER_MS));
	assert_true(arp_request_arrives(fd_a));

	guard = kernel_guard_new(&err);
	assert_non_null(guard);
	assert_int_equal(kernel_guard_add(guard, "va", &err), 0);
	assert_false(arp_answers(fd_b, SILENCE_MS));
	assert_true(arp_request_arrives(fd_a));
	assert_false(echo_answers(fd_b, SILENCE_MS));

	kernel_guard_free(guard);
	assert_true(arp_answers(fd_b, ANSWER_MS));
	assert_true(echo_answers(fd_b, ANSWER_MS));
	close(fd_a);
	close(fd_b);
}

static void test_guard_takes_several_interfaces_and_repeats(void **state)
{
	int fd_b = packet_open("vb");
	struct kernel_guard *guards[2];
	struct err err = {0};

	assert_true(shell("ip addr add 192.0.2.1/24 dev va"));
	guards[0] = kernel_guard_new(&err);
	guards[1] = kernel_guard_new(&err);
	assert_non_null(guards[0]);
	assert_non_null(guards[1]);
	assert_int_equal(kernel_guard_add(guards[0], "vb", &err), 0);
	assert_int_equal(kernel_guard_add(guards[0], "va", &err), 0);
	assert_int_equal(kernel_guard_add(guards[0], "va", &err), 0);
	assert_int_equal(kernel_guard_add(guards[1], "va", &err), 0);
	kernel_guard_free(guards[0]);
	assert_false(arp_answers(fd_b, SILENCE_MS));
	kernel_guard_free(guards[1]);
	assert_true(arp_answers(fd_b, ANSWER_MS));
	kernel_guard_free(NULL);
	close(fd_b);
}

/* A program that outlives who started it. Returns once it runs, with its descriptors. */
static pid_t sleeper_start(void)
{
	char *args[] = {"sleep", "30", NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	if (posix_spawnp(&pid, args[0], &actions, NULL, args, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void test_guard_is_gone_with_a_killed_process(void **state)
{
	int fd_b = packet_open("vb"), pipe_fds[2], status;
	struct err err = {0};
	pid_t child, sleeper = -1;

	assert_true(shell("ip addr add 192.0.2.1/24 dev va"));
	assert_int_equal(pipe2(pipe_fds, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		struct kernel_guard *guard = kernel_guard_new(&err);

		if (guard != NULL && kernel_guard_add(guard, "va", &err) == 0)
			sleeper = sleeper_start();
		if (write(pipe_fds[1], &sleeper, sizeof(sleeper)) != sizeof(sleeper))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipe_fds[0], &sleeper, sizeof(sleeper)), sizeof(sleeper));
	assert_true(sleeper > 0);
	assert_false(arp_answers(fd_b, SILENCE_MS));
	assert_true(shell("nft list tables | grep tgen_"));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(arp_answers(fd_b, ANSWER_MS));
	assert_false(shell("nft list tables | grep tgen_"));
	assert_int_equal(kill(sleeper, SIGKILL), 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	close(fd_b);
}

static void test_guard_of_an_unknown_interface_names_it(void **state)
{
	struct err err = {0};
	struct kernel_guard *guard = kernel_guard_new(&err);

	assert_non_null(guard);
	assert_int_equal(kernel_guard_add(guard, "nothere", &err), -ENODEV);
	assert_int_equal(err.status, TGEN_DEVICE);
	assert_non_null(strstr(err.text, "nothere"));
	kernel_guard_free(guard);
}

static void test_guard_without_the_right_says_what_it_takes(void **state)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct err err = {0};
		struct kernel_guard *guard;

		if (setuid(65534) != 0)
			_exit(2);
		guard = kernel_guard_new(&err);
		if (guard != NULL || err.status != TGEN_DEVICE)
			_exit(3);
		_exit(strstr(err.text, "CAP_NET_ADMIN") != NULL &&
					strstr(err.text, "as root") != NULL
				? 0
				: 4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- sockets ---- */

struct driver_socket {
	int fd;
	uint8_t *map;
	size_t bytes;
};

/* As DPDK's af_packet driver does it: both rings alike, one map, rx first. */
static void driver_open(struct driver_socket *driver, const char *ifname)
{
	struct tpacket_req req = {.tp_block_size = ring.block_bytes,
		.tp_block_nr = ring.nb_blocks,
		.tp_frame_size = ring.frame_bytes,
		.tp_frame_nr = ring.nb_frames};
	struct sockaddr_ll addr = {.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(ifname)};
	int version = TPACKET_V2;

	driver->fd = socket(AF_PACKET, SOCK_RAW, 0);
	assert_true(driver->fd >= 0);
	assert_int_equal(
		setsockopt(driver->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)), 0);
	assert_int_equal(setsockopt(driver->fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)), 0);
	assert_int_equal(setsockopt(driver->fd, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)), 0);
	driver->bytes = (size_t)2 * ring.block_bytes * ring.nb_blocks;
	driver->map = mmap(NULL, driver->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, driver->fd, 0);
	assert_ptr_not_equal(driver->map, MAP_FAILED);
	assert_int_equal(bind(driver->fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
}

static void driver_close(struct driver_socket *driver)
{
	munmap(driver->map, driver->bytes);
	close(driver->fd);
}

static struct tpacket2_hdr *driver_tx_frame(struct driver_socket *driver, unsigned i)
{
	return (void *)(driver->map + driver->bytes / 2 + (size_t)i * ring.frame_bytes);
}

static void driver_tx_put(struct driver_socket *driver, unsigned i, unsigned bytes)
{
	struct tpacket2_hdr *hdr = driver_tx_frame(driver, i);
	uint8_t *data = (uint8_t *)hdr + TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);

	memset(data, 0, bytes);
	units_mac_bytes(MAC_B, data);
	units_mac_bytes(MAC_A, data + 6);
	data[12] = ETHERTYPE_T >> 8;
	data[13] = ETHERTYPE_T & 0xff;
	data[14] = (uint8_t)i;
	hdr->tp_len = bytes;
	__atomic_store_n(&hdr->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
}

static void test_driver_sockets_are_found_by_interface(void **state)
{
	struct kernel_socket found[KERNEL_SOCKETS_MAX];
	struct kernel_ring other = ring;
	struct driver_socket driver;
	int fd_b = packet_open("vb");

	assert_int_equal(kernel_sockets_find("va", &ring, found), 0);
	assert_int_equal(kernel_sockets_find("nothere", &ring, found), 0);
	driver_open(&driver, "va");

	assert_int_equal(kernel_sockets_find("va", NULL, found), 1);
	assert_int_equal(found[0].fd, driver.fd);
	assert_null(found[0].map);
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 0);
	kernel_sockets_release(found, 1);

	assert_int_equal(kernel_sockets_find("va", &ring, found), 1);
	assert_int_equal(found[0].fd, driver.fd);
	assert_non_null(found[0].map);
	assert_int_equal(found[0].map_bytes, driver.bytes);
	assert_int_equal(found[0].tx_off, driver.bytes / 2);
	kernel_sockets_release(found, 1);

	other.nb_blocks = 2;
	other.nb_frames = 4;
	assert_int_equal(kernel_sockets_find("va", &other, found), 1);
	assert_null(found[0].map);
	kernel_sockets_release(found, 1);

	/* Neither closed nor found once the driver closed it. */
	assert_true(fcntl(driver.fd, F_GETFD) >= 0);
	driver_close(&driver);
	assert_int_equal(kernel_sockets_find("va", &ring, found), 0);
	close(fd_b);
}

static void test_no_more_sockets_than_there_is_room_for(void **state)
{
	struct kernel_socket found[KERNEL_SOCKETS_MAX];
	int fds[KERNEL_SOCKETS_MAX + 2];

	for (unsigned i = 0; i < KERNEL_SOCKETS_MAX + 2; i++)
		fds[i] = packet_open("va");
	assert_int_equal(kernel_sockets_find("va", NULL, found), KERNEL_SOCKETS_MAX);
	kernel_sockets_release(found, KERNEL_SOCKETS_MAX);
	for (unsigned i = 0; i < KERNEL_SOCKETS_MAX + 2; i++)
		close(fds[i]);
}

static void test_kick_sends_what_is_pending(void **state)
{
	uint8_t like[15] = {[12] = ETHERTYPE_T >> 8, [13] = ETHERTYPE_T & 0xff};
	bool compare[15] = {[12] = true, [13] = true, [14] = true};
	struct kernel_socket found[KERNEL_SOCKETS_MAX];
	int64_t end = clock_ms() + ANSWER_MS;
	struct driver_socket driver;
	int fd_b = packet_open("vb");

	driver_open(&driver, "va");
	assert_int_equal(kernel_sockets_find("va", &ring, found), 1);
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 0);
	for (unsigned i = 0; i < 5; i++) {
		driver_tx_put(&driver, i, 100);
		assert_int_equal(kernel_socket_tx_pending(&found[0]), i + 1);
	}
	assert_int_equal(kernel_socket_kick(&found[0]), 0);
	for (unsigned i = 0; i < 5; i++) {
		like[14] = (uint8_t)i;
		assert_true(frame_awaits(fd_b, like, compare, sizeof(like), ANSWER_MS));
	}
	while (kernel_socket_tx_pending(&found[0]) > 0 && clock_ms() < end)
		;
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 0);
	assert_int_equal(kernel_socket_kick(&found[0]), 0);
	kernel_sockets_release(found, 1);
	driver_close(&driver);
	close(fd_b);
}

static void test_timestamp_bits_of_a_sent_frame_are_not_pending(void **state)
{
	struct kernel_socket found[KERNEL_SOCKETS_MAX];
	struct driver_socket driver;

	driver_open(&driver, "va");
	assert_int_equal(kernel_sockets_find("va", &ring, found), 1);
	driver_tx_frame(&driver, 2)->tp_status = TP_STATUS_AVAILABLE | TP_STATUS_TS_SOFTWARE;
	driver_tx_frame(&driver, 7)->tp_status = TP_STATUS_SENDING | TP_STATUS_TS_SOFTWARE;
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 1);
	driver_tx_frame(&driver, 7)->tp_status = TP_STATUS_AVAILABLE;
	kernel_sockets_release(found, 1);
	driver_close(&driver);
}

static void test_kick_tells_why_frames_stay(void **state)
{
	struct kernel_socket found[KERNEL_SOCKETS_MAX];
	int64_t end = clock_ms() + ANSWER_MS;
	struct driver_socket driver;

	driver_open(&driver, "va");
	assert_int_equal(kernel_sockets_find("va", &ring, found), 1);
	driver_tx_put(&driver, 0, 1900); /* over the MTU */
	assert_int_equal(kernel_socket_kick(&found[0]), -EMSGSIZE);
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 1);
	driver_tx_put(&driver, 0, 100);
	assert_true(shell("ip link set dev va down"));
	assert_int_equal(kernel_socket_kick(&found[0]), -ENETDOWN);
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 1);
	assert_true(shell("ip link set dev va up"));
	assert_int_equal(kernel_socket_kick(&found[0]), 0);
	while (kernel_socket_tx_pending(&found[0]) > 0 && clock_ms() < end)
		;
	assert_int_equal(kernel_socket_tx_pending(&found[0]), 0);
	kernel_sockets_release(found, 1);
	driver_close(&driver);
}

static void test_drops_of_a_full_rx_ring_are_counted_once(void **state)
{
	struct kernel_socket found[KERNEL_SOCKETS_MAX];
	int64_t end = clock_ms() + ANSWER_MS;
	struct driver_socket driver;
	int fd_b = packet_open("vb");
	uint64_t drops = 0;

	driver_open(&driver, "va");
	assert_int_equal(kernel_sockets_find("va", &ring, found), 1);
	assert_true(kernel_socket_drops(&found[0]) == 0);
	for (unsigned i = 0; i < 20; i++)
		frame_send(fd_b, arp_request, sizeof(arp_request));
	while (drops < 20 - ring.nb_frames && clock_ms() < end)
		drops += kernel_socket_drops(&found[0]);
	assert_int_equal(drops, 20 - ring.nb_frames);
	assert_true(kernel_socket_drops(&found[0]) == 0);
	kernel_sockets_release(found, 1);
	driver_close(&driver);
	close(fd_b);
}

/* ---- PCI ---- */

static void test_pci_list_agrees_with_sysfs(void **state)
{
	struct kernel_pci *list;
	int nb = kernel_pci_list(&list);
	char path[128];

	assert_true(nb >= 0);
	for (int i = 0; i < nb; i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", list[i].address);
		assert_int_equal(access(path, F_OK) == 0, list[i].driver[0] != '\0');
		assert_true(list[i].vendor != 0);
		/* Interfaces of the host are not in this namespace. */
		assert_string_equal(list[i].ifname, "");
	}
	free(list);
}

#define WITH_PAIR(f) cmocka_unit_test_setup_teardown(f, pair_make, pair_remove)

static int tests_run(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(test_interface_facts_are_those_of_ip_link),
		WITH_PAIR(test_nominal_speed_of_veth_is_no_limit),
		WITH_PAIR(test_carrier_goes_with_the_far_end),
		cmocka_unit_test(test_unknown_interfaces_are_enodev),
		WITH_PAIR(test_list_has_every_interface_once),
		WITH_PAIR(test_mtu_can_be_set_within_the_drivers_limits),
		WITH_PAIR(test_counters_count_each_frame),
		cmocka_unit_test(test_interfaces_the_host_needs_are_in_use),
		WITH_PAIR(test_ssh_session_is_found_when_sudo_dropped_the_variable),
		WITH_PAIR(test_guarded_interface_is_silent_and_af_packet_still_sees),
		WITH_PAIR(test_guard_takes_several_interfaces_and_repeats),
		WITH_PAIR(test_guard_is_gone_with_a_killed_process),
		cmocka_unit_test(test_guard_of_an_unknown_interface_names_it),
		cmocka_unit_test(test_guard_without_the_right_says_what_it_takes),
		WITH_PAIR(test_driver_sockets_are_found_by_interface),
		WITH_PAIR(test_no_more_sockets_than_there_is_room_for),
		WITH_PAIR(test_kick_sends_what_is_pending),
		WITH_PAIR(test_timestamp_bits_of_a_sent_frame_are_not_pending),
		WITH_PAIR(test_kick_tells_why_frames_stay),
		WITH_PAIR(test_drops_of_a_full_rx_ring_are_counted_once),
		cmocka_unit_test(test_pci_list_agrees_with_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	char self[4096];
	ssize_t n;

	/* Started by a test, in its namespace. */
	if (argc == 3 && strcmp(argv[1], "in-use") == 0)
		return kernel_if_in_use(argv[2]) != NULL;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0 || unshare(CLONE_NEWNET) != 0) {
		fprintf(stderr, "skipped: a network namespace is not permitted\n");
		return SKIPPED;
	}
	self[n] = '\0';
	setenv("TEST_KERNEL_SELF", self, 1);
	shell("echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6;"
	      "echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6");
	if (!shell("ip link set dev lo up; nft list tables;"
		   "ip link add dev va type veth peer name vb; ip link del dev va")) {
		fprintf(stderr, "skipped: ip, nft or veth is not to be had\n");
		return SKIPPED;
	}
	return tests_run();
}
