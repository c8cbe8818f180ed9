/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfaces and PCI devices as the kernel has them, and which of them the host needs itself. */
#include "kernel_help.h"

#include <errno.h>
#include <sys/wait.h>

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
	if (n <= 0 || !namespace_enter())
		return SKIPPED;
	self[n] = '\0';
	setenv("TEST_KERNEL_SELF", self, 1);
	return tests_run();
}
