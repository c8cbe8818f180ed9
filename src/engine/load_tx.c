/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <rte_errno.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the senders need: pools whose buffers hold the payload already, and classes of lanes. */

/* ---- payload pools ---- */

#define POOL_CACHE  256u
#define RING_HELD   4096u /* a ring port holds what it was sent until it is received */
#define DESC_HELD   1024u
#define EAL_BASE_MB 64u

/* Buffers that all queues may hold of one pool, and what caches and bursts keep. */
static unsigned pool_frames(const struct engine_port *ports, unsigned nb_ports, unsigned nb_workers)
{
	unsigned nb = 1024 + (nb_workers + 1) * (POOL_CACHE * 2 + 2 * ENGINE_BURST);

	for (unsigned p = 0; p < nb_ports; p++)
		if (!ports[p].kind->has_kernel_if)
			nb += ports[p].nb_queues *
			      (strcmp(ports[p].kind->name, "ring") == 0 ? RING_HELD : DESC_HELD);
	return nb;
}

static uint64_t mbuf_bytes(unsigned room)
{
	/* object header, mbuf, headroom; the pool's own arrays */
	return room + RTE_PKTMBUF_HEADROOM + sizeof(struct rte_mbuf) + 128;
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
		uint32_t size =
			s->size ? s->size : ports[s->route.tx_port].mtu + UNITS_ETH_BYTES + 16;
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
	const struct pkt_frame *frame = opaque;
	struct rte_mbuf *m = obj;

	(void)mp;
	(void)idx;
	pkt_payload_fill(frame, (uint8_t *)m->buf_addr + RTE_PKTMBUF_HEADROOM);
}

static struct rte_mempool *pool_get(
	struct engine *engine, const struct pkt_frame *frame, unsigned socket, struct err *err)
{
	unsigned nb = pool_frames(engine->ports, engine->nb_ports, engine->plan->nb_workers);
	char name[RTE_MEMPOOL_NAMESIZE];
	struct load_pool *lp;

	for (unsigned i = 0; i < engine->nb_pools; i++)
		if (engine->pools[i].socket == socket &&
			pkt_payload_same(&engine->pools[i].frame, frame))
			return engine->pools[i].pool;
	lp = realloc(engine->pools, (engine->nb_pools + 1) * sizeof(*lp));
	if (lp == NULL) {
		err_device(err, ENOMEM, "send buffers");
		return NULL;
	}
	engine->pools = lp;
	lp += engine->nb_pools;
	snprintf(name, sizeof(name), "tx%u", engine->nb_pools);
	lp->pool = rte_pktmbuf_pool_create(name, nb, POOL_CACHE, 0,
		(uint16_t)(frame->size + RTE_PKTMBUF_HEADROOM), (int)socket);
	if (lp->pool == NULL) {
		err_device(err, rte_errno,
			"%u send buffers of %u bytes (%" PRIu64 " MiB) do not fit into "
			"DPDK's memory: use fewer different packet sizes",
			nb, frame->size, (nb * mbuf_bytes(frame->size)) >> 20);
		return NULL;
	}
	lp->frame = *frame;
	lp->socket = socket;
	rte_mempool_obj_iter(lp->pool, payload_write, (void *)(uintptr_t)frame);
	engine->nb_pools++;
	return lp->pool;
}

void load_pools_free(struct engine *engine)
{
	for (unsigned i = 0; i < engine->nb_pools; i++)
		rte_mempool_free(engine->pools[i].pool);
	free(engine->pools);
	engine->pools = NULL;
	engine->nb_pools = 0;
}

/* ---- lanes and classes ---- */

static bool same_class(
	const struct tx_class *c, const struct plan_stream *b, const struct plan_lane *lane)
{
	const struct plan_stream *a = c->model;

	if (a->flat_out != b->flat_out || !pkt_payload_same(&a->frame, &b->frame) ||
		c->lanes_of_stream != lane->nb || c->lane_index != lane->index)
		return false;
	return a->flat_out || (unsigned __int128)a->asked.num * b->asked.den ==
				      (unsigned __int128)b->asked.num * a->asked.den;
}

/* The class of a stream's rate and payload on a queue; a new one is opened when there is none. */
static struct tx_class *class_get(
	struct engine *engine, struct load *load, const struct plan_lane *lane, struct err *err)
{
	const struct plan_stream *s = &engine->plan->streams[lane->stream];
	const struct engine_port *port = &engine->ports[engine->plan->queues[lane->queue].port];
	struct tx_queue *q = &load->queues[lane->queue].tx;
	struct tx_class *c;

	for (uint32_t k = 0; k < q->nb_classes; k++)
		if (same_class(&q->classes[k], s, lane))
			return &q->classes[k];
	c = &q->classes[q->nb_classes];
	c->pool = pool_get(engine, &s->frame, port->socket, err);
	if (c->pool == NULL)
		return NULL;
	c->flat_out = s->flat_out;
	c->model = s;
	c->lane_index = lane->index;
	c->lanes_of_stream = lane->nb;
	q->nb_classes++;
	return c;
}

/* Two passes: how many lanes each class has, then the lanes side by side in the queue's array. */
int load_lanes(struct engine *engine, struct load *load, struct err *err)
{
	const struct plan *plan = engine->plan;

	for (unsigned i = 0; i < plan->nb_lanes; i++) {
		struct tx_lane *lane = &load->lanes[i];
		struct tx_class *c;

		lane->id = (uint16_t)i;
		lane->stream = plan->lanes[i].stream;
		lane->frame = &plan->streams[lane->stream].frame;
		lane->stride = plan->lanes[i].nb;
		c = class_get(engine, load, &plan->lanes[i], err);
		if (c == NULL)
			return -ENOMEM;
		c->nb_lanes++;
	}
	for (unsigned q = 0; q < plan->nb_queues; q++) {
		struct tx_queue *tx = &load->queues[q].tx;
		struct tx_lane **refs = tx->lane_refs;

		for (uint32_t k = 0; k < tx->nb_classes; k++) {
			tx->classes[k].lanes = refs;
			refs += tx->classes[k].nb_lanes;
			tx->classes[k].nb_lanes = 0;
		}
	}
	for (unsigned i = 0; i < plan->nb_lanes; i++) {
		struct tx_class *c = class_get(engine, load, &plan->lanes[i], err);

		c->lanes[c->nb_lanes++] = &load->lanes[i];
	}
	return 0;
}
