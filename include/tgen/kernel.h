/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/err.h"

/*
 * What the kernel knows and does about the interfaces and sockets under our ports. No DPDK here.
 * Everything looks at the network namespace of the caller (ioctl, netlink and /proc/self, not a
 * /sys that may belong to another one).
 */

struct kernel_if {
	char name[IF_NAMESIZE];
	unsigned index;
	char driver[32]; /* ethtool: veth, ixgbe …; empty when not told */
	char bus[32];	 /* ethtool bus-info: a PCI address; empty when not told */
	uint64_t mac;
	uint32_t mtu;
	bool up;      /* IFF_UP */
	bool running; /* carrier */
	bool loopback;
	int duplex;	    /* 1 full, 0 half, -1 not told, or virtual */
	uint64_t speed_bps; /* 0: unknown, or virtual (veth, tap …): nominal speeds are no limit */
	int numa_node;	    /* -1: none or unknown */
};

/* 0, -ENODEV when there is no such interface, or -errno. */
int kernel_if_get(const char *name, struct kernel_if *out);
/* All interfaces; caller frees *out. Returns the number or -errno. */
int kernel_if_list(struct kernel_if **out);
int kernel_if_set_mtu(const char *name, uint32_t mtu);

/* rx_dropped includes frames that the card missed (no room in its ring). */
struct kernel_if_counters {
	uint64_t rx_packets, tx_packets, rx_dropped, tx_dropped, rx_errors, tx_errors;
};
int kernel_if_counters(const char *name, struct kernel_if_counters *out);

/*
 * The PCI network devices (class 0x02) from /sys/bus/pci, by address; caller frees *out. Returns
 * the number (0 where there is no such bus) or -errno.
 */
struct kernel_pci {
	char address[16];	  /* 0000:01:00.0 */
	char driver[32];	  /* empty: none bound */
	char ifname[IF_NAMESIZE]; /* in the caller's namespace; empty: none */
	uint16_t vendor, device;
	int numa_node;
};
int kernel_pci_list(struct kernel_pci **out);

/*
 * Whether taking this interface would cut the host off: it carries a default route (IPv4, IPv6), or
 * the ssh session the user sits in ($SSH_CONNECTION's own address is on it). Returns a static
 * reason that follows the name (`carries this host's default route (IPv4)`), or NULL when it is
 * free to use. Members of a bridge or bond that does are meant too, and what a VLAN or tunnel that
 * does runs over. The ssh session is also found when sudo dropped the variable.
 */
const char *kernel_if_in_use(const char *name);

/*
 * Keeps the kernel from answering on an interface in our place: an nft netdev ingress drop, which
 * leaves af_packet its frames. The table belongs to our netlink socket (`flags owner`), so it goes
 * with the process, however it ends.
 */
struct kernel_guard;
struct kernel_guard *kernel_guard_new(struct err *err);
int kernel_guard_add(struct kernel_guard *guard, const char *ifname, struct err *err);
void kernel_guard_free(struct kernel_guard *guard);

/*
 * The AF_PACKET sockets that a driver opened on an interface in this process, found by walking
 * /proc/self/fd. Their rings can be looked at, kicked and asked for drops.
 */
#define KERNEL_SOCKETS_MAX 16u
struct kernel_socket {
	bool xdp;      /* an AF_XDP socket: it has no rings of ours and is only asked for drops */
	uint64_t seen; /* its drops that were told already */
	int fd;	       /* the driver's: never closed here */
	void *map;     /* our own read-only view of its rings; NULL: none */
	size_t map_bytes;
	size_t tx_off; /* of the tx ring in map */
	unsigned frame_bytes, nb_frames, frames_per_block, block_bytes;
};
struct kernel_ring { /* as passed to the driver */
	unsigned block_bytes, nb_blocks, frame_bytes, nb_frames;
};
/*
 * Fills out (at most KERNEL_SOCKETS_MAX); returns the number. ring NULL: no map. A socket whose
 * rings are of another size has none either. A map keeps its socket open in the kernel after the
 * driver closed it: release before that.
 */
unsigned kernel_sockets_find(
	const char *ifname, const struct kernel_ring *ring, struct kernel_socket *out);
/*
 * AF_XDP sockets of the process that are not among `nb_known` fds: those of the port opened last
 * (such a socket does not tell its interface).
 */
unsigned kernel_xdp_sockets_find(
	const int *known, unsigned nb_known, struct kernel_socket *out, unsigned most);
void kernel_sockets_release(struct kernel_socket *sockets, unsigned nb);
/* Frames in the tx ring that the kernel has not sent yet (TPACKET_V2 status not AVAILABLE). */
unsigned kernel_socket_tx_pending(const struct kernel_socket *s);
/* Frame i of the tx ring (0 .. nb_frames - 1) when it is such a frame, not otherwise. */
bool kernel_socket_tx_frame(
	const struct kernel_socket *s, unsigned i, const uint8_t **frame, unsigned *len);
/* Asks the kernel to send what is in the tx ring. Never blocks. 0 or -errno (-ENETDOWN …). */
int kernel_socket_kick(const struct kernel_socket *s);
/*
 * Frames dropped since the last call: PACKET_STATISTICS, cleared by reading; for AF_XDP those of
 * XDP_STATISTICS that ethdev does not count (the rx ring was full).
 */
uint64_t kernel_socket_drops(struct kernel_socket *s);
