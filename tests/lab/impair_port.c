/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define TAG_BYTES   4u
#define BLOCK_BYTES (256u << 10)

static void must(int result, const struct port *p, const char *what)
{
	if (result < 0)
		die(STATUS_SYSTEM, "%s: %s: %s", p->name, what, strerror(errno));
}

static void set_option(const struct port *p, int option, int value, const char *what)
{
	must(setsockopt(p->rx, SOL_PACKET, option, &value, sizeof(value)), p, what);
}

/* protocol 0: for sending only. */
static void bind_to(const struct port *p, int fd, uint16_t protocol)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = (int)if_nametoindex(p->name),
	};

	if (at.sll_ifindex == 0)
		die(STATUS_SYSTEM, "there is no interface %s", p->name);
	must(bind(fd, (struct sockaddr *)&at, sizeof(at)), p, "bind");
}

static uint32_t mtu(const struct port *p)
{
	struct ifreq request = {0};

	memcpy(request.ifr_name, p->name, sizeof(p->name));
	must(ioctl(p->tx, SIOCGIFMTU, &request), p, "MTU");
	return (uint32_t)request.ifr_mtu;
}

/*
 * TPACKET_V2 and not V3: a V3 block is shown when it is full or its timer ends, at the earliest
 * after a millisecond; here each frame is there as soon as it came.
 */
static void map_ring(struct port *p, uint64_t nb_frames)
{
	/* What the kernel puts before the frame is less than 96 bytes. */
	uint32_t slot = TPACKET_ALIGN(96 + ETH_HLEN + 2 * TAG_BYTES + mtu(p));
	uint32_t per_block = BLOCK_BYTES / slot;
	struct tpacket_req request = {.tp_frame_size = slot, .tp_block_size = BLOCK_BYTES};

	if (per_block == 0)
		die(STATUS_SYSTEM, "%s: the MTU is too large for a relay", p->name);
	request.tp_block_nr = (uint32_t)((nb_frames + per_block - 1) / per_block);
	request.tp_frame_nr = request.tp_block_nr * per_block;
	set_option(p, PACKET_VERSION, TPACKET_V2, "TPACKET_V2");
	set_option(p, PACKET_RESERVE, TAG_BYTES, "room for a tag");
	must(setsockopt(p->rx, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)), p, "ring");
	p->ring = mmap(NULL, (size_t)request.tp_block_nr * BLOCK_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, p->rx, 0);
	if (p->ring == MAP_FAILED)
		must(-1, p, "map the ring");
	p->slot_bytes = slot;
	p->block_bytes = BLOCK_BYTES;
	p->nb_slots = request.tp_frame_nr;
}

static void be_promiscuous(const struct port *p)
{
	struct packet_mreq request = {
		.mr_ifindex = (int)if_nametoindex(p->name),
		.mr_type = PACKET_MR_PROMISC,
	};

	must(setsockopt(p->rx, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request, sizeof(request)), p,
		"promiscuous mode");
}

/* The kernel's counter of an interface. */
static uint64_t tx_dropped(const struct port *p)
{
	struct ifaddrs *all, *a;
	uint64_t found = 0;

	must(getifaddrs(&all), p, "counters");
	for (a = all; a; a = a->ifa_next) {
		if (a->ifa_addr && a->ifa_addr->sa_family == AF_PACKET && a->ifa_data &&
			strcmp(a->ifa_name, p->name) == 0)
			found = ((const struct rtnl_link_stats *)a->ifa_data)->tx_dropped;
	}
	freeifaddrs(all);
	return found;
}

void port_open_tx(struct port *p, const char *name)
{
	*p = (struct port){.rx = -1};
	if (strlen(name) >= sizeof(p->name))
		die(STATUS_USAGE, "'%s' is too long for the name of an interface", name);
	strcpy(p->name, name);
	p->tx = socket(AF_PACKET, SOCK_RAW, 0);
	must(p->tx, p, "packet socket");
	bind_to(p, p->tx, 0);
	p->tx_dropped_before = tx_dropped(p);
}

void port_open(struct port *p, const char *name, uint64_t ring_frames)
{
	port_open_tx(p, name);
	p->rx = socket(AF_PACKET, SOCK_RAW, 0);
	must(p->rx, p, "packet socket");
	map_ring(p, ring_frames);
	set_option(p, PACKET_IGNORE_OUTGOING, 1, "pass over what we send");
	be_promiscuous(p);
	bind_to(p, p->rx, ETH_P_ALL);
}

static struct tpacket2_hdr *slot_header(const struct port *p)
{
	uint32_t per_block = p->block_bytes / p->slot_bytes;
	size_t block = p->next_slot / per_block, slot = p->next_slot % per_block;

	return (struct tpacket2_hdr *)(p->ring + block * p->block_bytes + slot * p->slot_bytes);
}

/* The kernel keeps the outer VLAN tag beside the frame; put where it was on the wire. */
static uint8_t *insert_tag(uint8_t *frame, const struct tpacket2_hdr *h)
{
	uint16_t tag[2] = {
		htons(h->tp_status & TP_STATUS_VLAN_TPID_VALID ? h->tp_vlan_tpid : ETH_P_8021Q),
		htons(h->tp_vlan_tci),
	};

	memmove(frame - TAG_BYTES, frame, 2 * ETH_ALEN);
	memcpy(frame - TAG_BYTES + 2 * ETH_ALEN, tag, TAG_BYTES);
	return frame - TAG_BYTES;
}

uint8_t *port_receive(struct port *p, uint32_t *length)
{
	for (;;) {
		struct tpacket2_hdr *h = slot_header(p);
		uint32_t status = __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE);
		uint8_t *frame = (uint8_t *)h + h->tp_mac;

		if (!(status & TP_STATUS_USER))
			return NULL;
		if (h->tp_snaplen == h->tp_len) {
			*length = h->tp_len;
			if (!(status & TP_STATUS_VLAN_VALID))
				return frame;
			*length += TAG_BYTES;
			return insert_tag(frame, h);
		}
		p->nb_too_long++;
		port_release(p);
	}
}

void port_release(struct port *p)
{
	__atomic_store_n(&slot_header(p)->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
	if (++p->next_slot == p->nb_slots)
		p->next_slot = 0;
}

bool port_send(struct port *p, const uint8_t *data, uint32_t length)
{
	return send(p->tx, data, length, MSG_DONTWAIT) == (ssize_t)length;
}

uint64_t port_rx_dropped(struct port *p)
{
	struct tpacket_stats stats = {0};
	socklen_t size = sizeof(stats);

	if (p->rx < 0)
		return 0;
	must(getsockopt(p->rx, SOL_PACKET, PACKET_STATISTICS, &stats, &size), p,
		"PACKET_STATISTICS");
	return stats.tp_drops;
}

uint64_t port_tx_dropped(struct port *p)
{
	return (uint32_t)(tx_dropped(p) - p->tx_dropped_before);
}

/* An interface that went down leaves an error that would make every poll return at once. */
void port_clear_error(struct port *p)
{
	int error;
	socklen_t size = sizeof(error);

	(void)getsockopt(p->rx, SOL_SOCKET, SO_ERROR, &error, &size);
}
