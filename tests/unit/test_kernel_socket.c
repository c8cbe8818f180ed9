/* SPDX-License-Identifier: BSD-3-Clause */
/* The af_packet driver's own sockets: found, kicked, and asked what they dropped. */
#include "kernel_help.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

static const struct kernel_ring ring = {
	.block_bytes = 4096, .nb_blocks = 4, .frame_bytes = 2048, .nb_frames = 8};

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

/* The driver asks for it, and tgen must see the pieces that the device under test made. */
static void test_fanout_does_not_put_fragments_together(void **state)
{
	uint32_t fanout = 4711 | (uint32_t)(PACKET_FANOUT_HASH | PACKET_FANOUT_FLAG_DEFRAG) << 16,
		 is = 0;
	struct driver_socket driver;
	socklen_t len = sizeof(is);

	(void)state;
	driver_open(&driver, "va");
	assert_int_equal(
		setsockopt(driver.fd, SOL_PACKET, PACKET_FANOUT, &fanout, sizeof(fanout)), 0);
	assert_int_equal(getsockopt(driver.fd, SOL_PACKET, PACKET_FANOUT, &is, &len), 0);
	/* group, mode and, in the highest byte, the high byte of the flags */
	assert_int_equal(is, 4711 | PACKET_FANOUT_HASH << 16);
	driver_close(&driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PAIR(test_driver_sockets_are_found_by_interface),
		WITH_PAIR(test_no_more_sockets_than_there_is_room_for),
		WITH_PAIR(test_kick_sends_what_is_pending),
		WITH_PAIR(test_timestamp_bits_of_a_sent_frame_are_not_pending),
		WITH_PAIR(test_kick_tells_why_frames_stay),
		WITH_PAIR(test_drops_of_a_full_rx_ring_are_counted_once),
		WITH_PAIR(test_fanout_does_not_put_fragments_together),
	};

	if (!namespace_enter())
		return SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
