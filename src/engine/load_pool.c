/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_errno.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pools whose buffers hold the payload already: one for every payload there is. */

#define POOL_CACHE  256u
#define RING_HELD   4096u /* a ring port holds what it was sent until it is received */
#define DESC_HELD   1024u
#define EAL_BASE_MB 64u

/* Buffers that all queues may hold of one pool, and what caches and bursts keep. */
static unsigned pool_frames(const struct engine_port *ports, unsigned nb_ports, unsigned nb_workers)
{
	unsigned nb = 1024 + (nb_workers + 1) * (POOL_CACHE * 2 + 2 * ENGINE_BURST);

	for (unsigned p = 0; p < nb_ports; p++)
		nb += ports[p].nb_queues * 2 * TX_BURST; /* in hand, and refused by the driver */

	for (unsigned p = 0; p < nb_ports; p++)
		if (!ports[p].kind->has_kernel_if)
			nb += ports[p].nb_queues *
			      (strcmp(ports[p].kind->name, "ring") == 0 ? RING_HELD : DESC_HELD);
	return nb;
}

/* A whole line is written at once, and the smallest frames are shorter. */
static unsigned data_room(unsigned size)
{
	return size < TX_LINE ? TX_LINE : size;
}

static uint64_t mbuf_bytes(unsigned room)
{
	/* object header, mbuf, headroom; the pool's own arrays */
	return room + RTE_PKTMBUF_HEADROOM + sizeof(struct rte_mbuf) + 128;
}

/* The largest packet-size of a stream, as far as it is known before plan_size. */
static uint32_t stream_size(const struct plan_stream *s, const struct engine_port *port)
{
	uint32_t size = s->size;

	if (s->sizes.nb > 0 && s->sizes.bytes[s->sizes.nb - 1] > size)
		size = s->sizes.bytes[s->sizes.nb - 1];
	return size != 0 ? size : port->mtu + UNITS_ETH_BYTES + 16;
}

uint64_t load_eal_mb(const struct plan *plan, const struct engine_port *ports)
{
	unsigned nb = pool_frames(ports, plan->nb_ports, plan->nb_workers);
	uint32_t sizes[256];
	unsigned nb_sizes = 0;
	uint64_t bytes = (uint64_t)EAL_BASE_MB << 20;

	for (unsigned p = 0; p < plan->nb_ports; p++)
		bytes += port_nb_rx_mbufs(&ports[p]) * mbuf_bytes(port_data_room(&ports[p]));
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];
		uint32_t size = stream_size(s, &ports[s->route.tx_port]);
		unsigned k = 0;

		while (k < nb_sizes && sizes[k] != size)
			k++;
		if (k < nb_sizes || nb_sizes == sizeof(sizes) / sizeof(sizes[0]))
			continue;
		sizes[nb_sizes++] = size;
		/* one pool a size and kind of payload; three kinds at most */
		bytes += nb * mbuf_bytes(size) * 2;
	}
	bytes += bytes / 8;
	return bytes >> 20;
}

static void payload_write(struct rte_mempool *mp, void *opaque, void *obj, unsigned idx)
{
	const struct load_pool *lp = opaque;
	unsigned from = lp->frame.hdr_bytes;
	struct rte_mbuf *m = obj;

	(void)mp;
	(void)idx;
	memcpy((uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM + from, lp->whole + from,
		lp->frame.size - from);
}

/* What pkt_payload_same looks at, of the pool's own: the plan that made it may be gone by then. */
static int frame_keep(struct load_pool *lp, const struct pkt_frame *frame)
{
	size_t mods = frame->nb_mods * sizeof(*frame->mods);

	lp->frame = *frame;
	lp->frame.patches = NULL;
	lp->frame.fast = NULL;
	lp->frame.images = NULL;
	lp->frame.mods = malloc(mods + 1);
	lp->frame.pattern = malloc(frame->pattern_bytes + 1u);
	lp->whole = malloc(frame->size);
	if (lp->frame.mods == NULL || lp->frame.pattern == NULL || lp->whole == NULL)
		return -ENOMEM;
	if (mods > 0)
		memcpy(lp->frame.mods, frame->mods, mods);
	if (frame->pattern_bytes > 0)
		memcpy(lp->frame.pattern, frame->pattern, frame->pattern_bytes);
	pkt_payload_fill(frame, lp->whole);
	return 0;
}

static void frame_drop(struct load_pool *lp)
{
	free(lp->frame.mods);
	free(lp->frame.pattern);
	free(lp->whole);
}

/* Makes room for one more pool; NULL without memory. */
static struct load_pool *pool_more(struct engine *engine)
{
	struct load_pool *lp = realloc(engine->pools, (engine->nb_pools + 1) * sizeof(*lp));

	if (lp == NULL)
		return NULL;
	engine->pools = lp;
	lp += engine->nb_pools;
	*lp = (struct load_pool){0};
	return lp;
}

int load_pool_get(
	struct engine *engine, const struct pkt_frame *frame, unsigned socket, struct err *err)
{
	unsigned nb = pool_frames(engine->ports, engine->nb_ports, engine->plan->nb_workers);
	char name[RTE_MEMPOOL_NAMESIZE];
	struct load_pool *lp;

	for (unsigned i = 0; i < engine->nb_pools; i++)
		if (engine->pools[i].socket == socket &&
			pkt_payload_same(&engine->pools[i].frame, frame))
			return (int)i;
	lp = pool_more(engine);
	if (lp == NULL || frame_keep(lp, frame) < 0) {
		if (lp != NULL)
			frame_drop(lp);
		return err_device(err, ENOMEM, "send buffers");
	}
	snprintf(name, sizeof(name), "tx%u", engine->nb_pools);
	lp->pool = rte_pktmbuf_pool_create(name, nb, POOL_CACHE, 0,
		(uint16_t)(data_room(frame->size) + RTE_PKTMBUF_HEADROOM), (int)socket);
	if (lp->pool == NULL) {
		frame_drop(lp);
		return err_device(err, rte_errno,
			"%u send buffers of %u bytes (%" PRIu64 " MiB) do not fit into "
			"DPDK's memory: use fewer different packet sizes",
			nb, frame->size, (nb * mbuf_bytes(frame->size)) >> 20);
	}
	lp->socket = socket;
	rte_mempool_obj_iter(lp->pool, payload_write, lp);
	return (int)engine->nb_pools++;
}

void load_pools_free(struct engine *engine)
{
	for (unsigned i = 0; i < engine->nb_pools; i++) {
		rte_mempool_free(engine->pools[i].pool);
		frame_drop(&engine->pools[i]);
	}
	free(engine->pools);
	engine->pools = NULL;
	engine->nb_pools = 0;
}
