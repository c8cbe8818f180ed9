/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/kernel.h"

#include <dirent.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Some kernels leave these set in a frame that was sent and is free again. */
#define STATUS_TIMESTAMPS (TP_STATUS_TS_SOFTWARE | TP_STATUS_TS_RAW_HARDWARE)

/*
 * Stands in for the C library's: DPDK's af_packet asks the kernel to put IP fragments together before
 * it hands them over, and has no word against it. We must see each piece as the device under test
 * sent it. Nothing is lost by it: the kernel gives all pieces of a packet to one queue, as its hash
 * of a fragment does not look at ports.
 */
__attribute__((visibility("default"))) int setsockopt(
	int fd, int level, int name, const void *value, socklen_t len)
{
	uint32_t fanout; /* group in the low half, mode and flags in the high one */

	if (level == SOL_PACKET && name == PACKET_FANOUT && len == sizeof(fanout)) {
		memcpy(&fanout, value, sizeof(fanout));
		fanout &= ~((uint32_t)PACKET_FANOUT_FLAG_DEFRAG << 16);
		value = &fanout;
	}
	return (int)syscall(SYS_setsockopt, fd, level, name, value, len);
}

/* An AF_PACKET socket bound to this interface. */
static bool socket_is_on(int fd, unsigned ifindex)
{
	struct sockaddr_ll addr = {0};
	socklen_t len = sizeof(addr), domain_len;
	int domain = 0;

	domain_len = sizeof(domain);
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &domain_len) < 0 || domain != AF_PACKET)
		return false;
	if (getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return false;
	return addr.sll_ifindex > 0 && (unsigned)addr.sll_ifindex == ifindex;
}

/* A socket whose rings are of another size is not mapped: the kernel refuses that. */
static void socket_map(struct kernel_socket *s, const struct kernel_ring *ring)
{
	size_t ring_bytes = (size_t)ring->block_bytes * ring->nb_blocks;
	void *map;

	if (ring->frame_bytes == 0 || ring->block_bytes < ring->frame_bytes ||
		ring->nb_frames > ring->block_bytes / ring->frame_bytes * ring->nb_blocks)
		return;
	map = mmap(NULL, 2 * ring_bytes, PROT_READ, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED)
		return;
	s->map = map;
	s->map_bytes = 2 * ring_bytes;
	s->tx_off = ring_bytes; /* the rx ring comes first */
	s->frame_bytes = ring->frame_bytes;
	s->nb_frames = ring->nb_frames;
	s->frames_per_block = ring->block_bytes / ring->frame_bytes;
	s->block_bytes = ring->block_bytes;
}

unsigned kernel_sockets_find(
	const char *ifname, const struct kernel_ring *ring, struct kernel_socket *out)
{
	unsigned index = if_nametoindex(ifname), nb = 0;
	const struct dirent *entry;
	char *end;
	DIR *dir;
	int fd;

	if (index == 0)
		return 0;
	dir = opendir("/proc/self/fd");
	if (dir == NULL)
		return 0;
	while (nb < KERNEL_SOCKETS_MAX && (entry = readdir(dir)) != NULL) {
		fd = (int)strtol(entry->d_name, &end, 10);
		if (end == entry->d_name || *end != '\0' || !socket_is_on(fd, index))
			continue;
		out[nb] = (struct kernel_socket){.fd = fd};
		if (ring != NULL)
			socket_map(&out[nb], ring);
		nb++;
	}
	closedir(dir);
	return nb;
}

void kernel_sockets_release(struct kernel_socket *sockets, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++) {
		if (sockets[i].map != NULL)
			munmap(sockets[i].map, sockets[i].map_bytes);
		sockets[i] = (struct kernel_socket){.fd = -1};
	}
}

/* The header of frame i of the tx ring when the kernel has not sent it yet, else NULL. */
static const struct tpacket2_hdr *tx_waiting(const struct kernel_socket *s, unsigned i)
{
	const char *block = (const char *)s->map + s->tx_off +
			    (size_t)(i / s->frames_per_block) * s->block_bytes;
	const struct tpacket2_hdr *hdr =
		(const void *)(block + (size_t)(i % s->frames_per_block) * s->frame_bytes);
	/* The kernel writes it, from any CPU. A frame it refused stays counted. */
	uint32_t status = __atomic_load_n(&hdr->tp_status, __ATOMIC_ACQUIRE);

	return (status & ~STATUS_TIMESTAMPS) != TP_STATUS_AVAILABLE ? hdr : NULL;
}

unsigned kernel_socket_tx_pending(const struct kernel_socket *s)
{
	unsigned pending = 0;

	if (s->map == NULL)
		return 0;
	for (unsigned i = 0; i < s->nb_frames; i++)
		pending += tx_waiting(s, i) != NULL;
	return pending;
}

bool kernel_socket_tx_frame(
	const struct kernel_socket *s, unsigned i, const uint8_t **frame, unsigned *len)
{
	const struct tpacket2_hdr *hdr = s->map != NULL ? tx_waiting(s, i) : NULL;
	unsigned off = TPACKET2_HDRLEN - sizeof(struct sockaddr_ll);

	if (hdr == NULL || hdr->tp_len > s->frame_bytes - off)
		return false;
	*frame = (const uint8_t *)hdr + off;
	*len = hdr->tp_len;
	return true;
}

static int socket_flush(int fd)
{
	return sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 ? -errno : 0;
}

int kernel_socket_kick(const struct kernel_socket *s)
{
	int ret = socket_flush(s->fd);

	/* The first call after the link was down tells of that once, though it be up again. */
	return ret == -ENETDOWN ? socket_flush(s->fd) : ret;
}

static int socket_domain(int fd)
{
	int domain = 0;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 ? 0 : domain;
}

static bool is_among(int fd, const int *known, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		if (known[i] == fd)
			return true;
	return false;
}

unsigned kernel_xdp_sockets_find(
	const int *known, unsigned nb_known, struct kernel_socket *out, unsigned most)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	unsigned nb = 0;

	while (dir != NULL && nb < most && (entry = readdir(dir)) != NULL) {
		char *end;
		int fd = (int)strtol(entry->d_name, &end, 10);

		if (end == entry->d_name || *end != '\0' || socket_domain(fd) != AF_XDP ||
			is_among(fd, known, nb_known))
			continue;
		out[nb++] = (struct kernel_socket){.fd = fd, .xdp = true};
	}
	if (dir != NULL)
		closedir(dir);
	return nb;
}

static uint64_t xdp_drops(struct kernel_socket *s)
{
	struct xdp_statistics stats = {0};
	socklen_t len = sizeof(stats);
	uint64_t since;

	if (getsockopt(s->fd, SOL_XDP, XDP_STATISTICS, &stats, &len) < 0)
		return 0;
	since = stats.rx_ring_full - s->seen;
	s->seen = stats.rx_ring_full;
	return since;
}

uint64_t kernel_socket_drops(struct kernel_socket *s)
{
	struct tpacket_stats_v3 stats = {0}; /* begins as the older one, which is what V2 fills */
	socklen_t len = sizeof(stats);

	if (s->xdp)
		return xdp_drops(s);
	if (getsockopt(s->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len) < 0)
		return 0;
	return stats.tp_drops;
}
