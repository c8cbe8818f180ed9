/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tags.h"

/*
 * The learning phase of streams that answer others. A NAT gives every flow an address and a port of
 * its own, known only from the frames that come out of it: one frame of each flow is sent, numbered
 * by its signature, and where it came from is noted. Flows that did not arrive are sent again.
 */

#define LEARN_ROUNDS   5u
#define LEARN_PAUSE_US 50u	  /* between frames: a DUT sets up a flow for each */
#define LEARN_WAIT_NS  200000000u /* for the last frames of a round */

struct learn {
	struct engine *engine;
	struct plan *plan;
	struct plan_reply *reply; /* of the stream that answers */
	unsigned asked;		  /* the stream whose flows are learned */
	uint32_t nb_known;
};

static void take(struct learn *l, const uint8_t *frame, unsigned len)
{
	struct pkt_rx rx;

	pkt_parse(frame, len, l->plan->test_id, &rx);
	if (rx.cls != PKT_TEST || rx.sig.lane != l->asked || rx.sig.seq >= l->reply->nb ||
		l->reply->ports[rx.sig.seq] != 0 || rx.l4_src == 0 || !units_ip_is4(rx.ip_src))
		return;
	l->reply->ips[rx.sig.seq] = (uint32_t)rx.ip_src.lo;
	l->reply->ports[rx.sig.seq] = rx.l4_src;
	l->reply->mac = units_mac_number(frame + 6);
	l->nb_known++;
}

/* Polls all ports; what is no test frame goes to the host. */
static void poll_ports(struct learn *l)
{
	struct engine *engine = l->engine;
	struct rte_mbuf *burst[ENGINE_BURST];

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		for (uint16_t q = 0; q < port->nb_queues; q++) {
			uint16_t n = rte_eth_rx_burst(port->id, q, burst, ENGINE_BURST);

			for (uint16_t i = 0; i < n; i++) {
				const uint8_t *frame;
				unsigned len, reply_len = 0;

				tags_restore(&burst[i]);
				frame = rte_pktmbuf_mtod(burst[i], const uint8_t *);
				len = rte_pktmbuf_data_len(burst[i]);
				take(l, frame, len);
				if (host_input(&port->hif, frame, len, engine->scratch,
					    &reply_len) == HOST_ANSWER)
					hostio_send(engine, port, engine->scratch, reply_len);
				rte_pktmbuf_free(burst[i]);
			}
			port->rx_host += n;
		}
	}
}

static void send_flow(struct learn *l, uint32_t flow, uint8_t *frame)
{
	const struct plan_stream *s = &l->plan->streams[l->asked];
	const struct sig sig = {
		.test_id = l->plan->test_id, .lane = (uint16_t)l->asked, .seq = flow};

	hostio_send(l->engine, &l->engine->ports[s->route.tx_port], frame,
		pkt_render(&s->frame, flow, &sig, frame));
}

static void round_run(struct learn *l, uint8_t *frame)
{
	uint64_t wait = rte_get_tsc_hz() / 1000000000u * LEARN_WAIT_NS, until;

	for (uint32_t flow = 0; flow < l->reply->nb && !engine_stopped(l->engine); flow++) {
		if (l->reply->ports[flow] != 0)
			continue;
		send_flow(l, flow, frame);
		rte_delay_us_block(LEARN_PAUSE_US);
		poll_ports(l);
	}
	until = rte_rdtsc() + wait;
	while (l->nb_known < l->reply->nb && rte_rdtsc() < until)
		poll_ports(l);
}

static int learn_stream(
	struct engine *engine, struct plan *plan, struct plan_stream *s, struct err *err)
{
	struct learn l = {.engine = engine,
		.plan = plan,
		.reply = &s->reply,
		.asked = (unsigned)s->reply.stream};
	const struct plan_stream *asked = &plan->streams[l.asked];
	uint8_t *frame = malloc(asked->frame.size);

	if (frame == NULL)
		return err_device(err, ENOMEM, "learning of flows");
	if (asked->transmit_only) {
		free(frame);
		return opt_error(err, s->tmpl, &pkt_template_opts[TMPL_REPLY_TO],
			"template %s has special-footer=no: its frames cannot be told apart",
			asked->name);
	}
	for (unsigned round = 0; round < LEARN_ROUNDS && l.nb_known < s->reply.nb; round++)
		round_run(&l, frame);
	free(frame);
	if (engine_stopped(engine))
		return -EINTR;
	if (l.nb_known < s->reply.nb)
		return err_device(err, 0,
			"%s: %u of %u flows of %s did not arrive on any port before the "
			"run, so their answers have no address; check the path and the firewall",
			s->name, s->reply.nb - l.nb_known, s->reply.nb, asked->name);
	return 0;
}

int engine_learn(struct engine *engine, struct plan *plan, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_stream *s = &plan->streams[i];
		int rc = s->reply.stream < 0 ? 0 : learn_stream(engine, plan, s, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}
