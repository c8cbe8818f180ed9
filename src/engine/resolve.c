/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tags.h"
#include "tgen/log.h"

/* Links, ARP, neighbour discovery and ping: what must be known before anything is sent. */

#define LINK_WAIT_NS	   3000000000ull
#define ARP_RETRY_NS	   500000000ull
#define PING_REPLY_WAIT_NS 1000000000ull

static void pause_1ms(void)
{
	struct timespec ts = {.tv_nsec = 1000000};

	nanosleep(&ts, NULL);
}

static uint64_t ticks_of(uint64_t ns)
{
	return (uint64_t)((unsigned __int128)ns * rte_get_tsc_hz() / 1000000000u);
}

static bool port_sends(const struct plan *plan, unsigned p)
{
	for (unsigned i = 0; i < plan->nb_streams; i++)
		if (plan->streams[i].route.tx_port == p)
			return true;
	return plan->nb_streams == 0;
}

static int links_wait(struct engine *engine, const struct plan *plan, struct err *err)
{
	uint64_t until = rte_rdtsc() + ticks_of(LINK_WAIT_NS);

	for (unsigned p = 0; p < engine->nb_ports; p++) {
		struct engine_port *port = &engine->ports[p];

		while (!port_link_up(port) && rte_rdtsc() < until && !engine_stopped(engine))
			pause_1ms();
		if (engine_stopped(engine))
			return -EINTR;
		if (port_link_up(port))
			continue;
		if (port_sends(plan, p))
			return err_device(err, 0,
				"port %s: %s has no link; check the cable and that the "
				"other side is up",
				port->name, port->device);
		log_warning("port %s: %s has no link; nothing can arrive there", port->name,
			port->device);
	}
	return 0;
}

static bool is_for(const struct hostio_learned *query, const struct plan_route *r)
{
	return r->hop == PLAN_HOP_ARP && query->port == r->tx_port &&
	       units_ip_equal(query->ip, r->next_hop) && host_vlan_equal(&query->vlan, &r->vlan);
}

/* One entry for every (port, VLAN, next hop) that streams need. Returns their number. */
static unsigned queries_make(
	const struct engine *engine, const struct plan *plan, struct hostio_learned *out)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_route *r = &plan->streams[i].route;
		unsigned k = 0;

		if (r->hop != PLAN_HOP_ARP)
			continue;
		while (k < nb && !is_for(&out[k], r))
			k++;
		if (k == nb) {
			const struct host_if *hif = &engine->ports[r->tx_port].hif;

			/* nobody answers for a port's own address but the port: a loop */
			out[nb++] = (struct hostio_learned){.ip = r->next_hop,
				.vlan = r->vlan,
				.port = r->tx_port,
				.mac = host_owns(hif, &r->vlan, r->next_hop) ? hif->mac : 0};
		}
	}
	return nb;
}

static unsigned ask_open(struct engine *engine, const struct hostio_learned *queries, unsigned nb)
{
	uint8_t frame[HOST_ASK_BYTES];
	unsigned open = 0, len;

	for (unsigned i = 0; i < nb; i++) {
		struct engine_port *port = &engine->ports[queries[i].port];

		if (queries[i].mac != 0)
			continue;
		open++;
		len = host_request(&port->hif, &queries[i].vlan, queries[i].ip, frame);
		if (len > 0)
			hostio_send(engine, port, frame, len);
	}
	return open;
}

static bool all_answered(const struct hostio_learned *queries, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		if (queries[i].mac == 0)
			return false;
	return true;
}

/* Asks until all have answered, the time is over (1) or the user stops (-EINTR). */
static int ask(
	struct engine *engine, struct hostio_learned *queries, unsigned nb, uint64_t timeout_ns)
{
	uint64_t start = rte_rdtsc(), until = start + ticks_of(timeout_ns), next = start;

	while (!all_answered(queries, nb)) {
		uint64_t now = rte_rdtsc();

		if (engine_stopped(engine))
			return -EINTR;
		if (now >= until)
			return 1;
		if (now >= next) {
			ask_open(engine, queries, nb);
			next += ticks_of(ARP_RETRY_NS);
		}
		if (hostio_poll(engine, queries, nb) == 0)
			pause_1ms();
	}
	return 0;
}

/* remedy: what may be done beside setting right what is asked; "" or begins with a comma. */
static int ask_error(struct engine *engine, const struct hostio_learned *query, const char *who,
	uint64_t timeout_ns, const char *remedy, struct err *err)
{
	const struct engine_port *port = &engine->ports[query->port];
	char ip[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX], vlan[UNITS_TEXT_MAX];
	bool is_ip4 = units_ip_is4(query->ip);

	if (units_ip_is_none(host_source(&port->hif, &query->vlan, query->ip)))
		return err_device(err, 0,
			"%s: port %s has no IPv%d address to ask for the MAC of %s from; give it "
			"one "
			"(tgen port set %s address=A/LEN)%s",
			who, port->name, is_ip4 ? 4 : 6, units_fmt_ip(ip, query->ip), port->name,
			remedy);
	return err_device(err, 0,
		"%s: no %s reply from %s on %s%s within %s (link %s, %" PRIu64
		" frames received); check the address, the cabling and that the device under test "
		"is up%s",
		who, is_ip4 ? "ARP" : "ND", units_fmt_ip(ip, query->ip), port->name,
		host_fmt_vlan(vlan, &query->vlan), units_fmt_duration(time, timeout_ns),
		port_link_up(port) ? "up" : "down", port->rx_host, remedy);
}

static void routes_fill(struct plan *plan, const struct hostio_learned *queries, unsigned nb)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_route *r = &plan->streams[i].route;

		for (unsigned k = 0; k < nb && r->hop == PLAN_HOP_ARP; k++)
			if (is_for(&queries[k], r))
				r->mac_dst = queries[k].mac;
	}
}

static int unanswered(struct engine *engine, const struct plan *plan,
	const struct hostio_learned *queries, unsigned nb, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_route *r = &plan->streams[i].route;

		for (unsigned k = 0; k < nb; k++)
			if (queries[k].mac == 0 && is_for(&queries[k], r))
				return ask_error(engine, &queries[k], plan->streams[i].name,
					plan->arp_timeout_ns, ", or give the template mac-dst",
					err);
	}
	return 0;
}

int engine_resolve(struct engine *engine, struct plan *plan, struct err *err)
{
	struct hostio_learned *queries = calloc(plan->nb_streams + 1, sizeof(*queries));
	unsigned nb;
	int rc;

	if (queries == NULL)
		return err_device(err, ENOMEM, "ARP");
	rc = links_wait(engine, plan, err);
	if (rc == 0) {
		hostio_announce(engine);
		nb = queries_make(engine, plan, queries);
		rc = ask(engine, queries, nb, plan->arp_timeout_ns);
		if (rc > 0)
			rc = unanswered(engine, plan, queries, nb, err);
		routes_fill(plan, queries, nb);
	}
	free(queries);
	return rc;
}

/* ---- ping ---- */

/* Waits for the reply to one request until a deadline; true when it came. */
static bool echo_wait(struct engine *engine, const struct engine_ping *ping,
	const struct host_echo *sent, uint64_t sent_tsc, uint64_t until_tsc)
{
	struct engine_port *port = &engine->ports[ping->port];
	struct rte_mbuf *burst[ENGINE_BURST];
	bool found = false;

	while (!found && rte_rdtsc() < until_tsc && !engine_stopped(engine)) {
		uint16_t n = rte_eth_rx_burst(port->id, 0, burst, ENGINE_BURST);
		uint64_t now = rte_rdtsc();

		for (uint16_t i = 0; i < n; i++) {
			unsigned len, reply_len = 0;
			struct host_echo got;
			const uint8_t *frame;

			tags_restore(&burst[i]);
			frame = rte_pktmbuf_mtod(burst[i], const uint8_t *);
			len = rte_pktmbuf_data_len(burst[i]);
			if (!found && host_echo_reply(&port->hif, frame, len, &got) &&
				got.id == sent->id && got.seq == sent->seq) {
				found = true;
				ping->on_reply(ping->ctx, sent->seq,
					clock_ticks_ns(&engine->clock, now - sent_tsc), &got);
			} else if (host_input(&port->hif, frame, len, engine->scratch,
					   &reply_len) == HOST_ANSWER) {
				hostio_send(engine, port, engine->scratch, reply_len);
			}
			rte_pktmbuf_free(burst[i]);
		}
		if (n == 0)
			rte_delay_us_block(5);
	}
	return found;
}

static int ping_find(
	struct engine *engine, const struct engine_ping *ping, uint64_t *mac, struct err *err)
{
	struct hostio_learned query = {.ip = ping->address, .vlan = ping->vlan, .port = ping->port};
	uint64_t start = rte_rdtsc();
	int rc = ask(engine, &query, 1, ping->arp_timeout_ns);

	if (rc < 0)
		return rc;
	if (rc > 0) {
		rc = ask_error(engine, &query, "ping", ping->arp_timeout_ns, "", err);
		err->status = TGEN_MISSED; /* nobody replies: that is what ping finds out */
		return rc;
	}
	*mac = query.mac;
	ping->on_arp(ping->ctx, query.mac, clock_ticks_ns(&engine->clock, query.rx_tsc - start));
	return 0;
}

/* Answers others until it is time for the next request. */
static void serve_until(struct engine *engine, uint64_t until_tsc)
{
	while (rte_rdtsc() < until_tsc && !engine_stopped(engine))
		if (hostio_poll(engine, NULL, 0) == 0)
			pause_1ms();
}

int engine_ping(struct engine *engine, const struct engine_ping *ping, struct err *err)
{
	struct engine_port *port = &engine->ports[ping->port];
	struct host_echo echo = {.src = host_source(&port->hif, &ping->vlan, ping->address),
		.dst = ping->address,
		.vlan = ping->vlan,
		.ttl = ping->ttl,
		.bytes = ping->bytes};
	uint8_t *frame = calloc(1, ping->bytes > PKT_MIN_BYTES ? ping->bytes : PKT_MIN_BYTES);
	int replies = 0, rc;

	if (frame == NULL)
		return err_device(err, ENOMEM, "ping");
	clock_calibrate(&engine->clock, engine->clock_start);
	rc = ping_find(engine, ping, &echo.mac_dst, err);
	echo.id = (uint16_t)rte_rdtsc();
	for (uint32_t n = 0;
		rc == 0 && (ping->count == 0 || n < ping->count) && !engine_stopped(engine); n++) {
		uint64_t wait = ping->interval_ns > PING_REPLY_WAIT_NS ? ping->interval_ns
								       : PING_REPLY_WAIT_NS;
		uint64_t sent_tsc;

		echo.seq = (uint16_t)n;
		host_echo_request(&port->hif, &echo, frame);
		sent_tsc = rte_rdtsc();
		rc = hostio_send(engine, port, frame, echo.bytes);
		if (rc < 0) {
			err_device(err, -rc, "port %s: the echo request could not be sent",
				port->name);
			break;
		}
		if (echo_wait(engine, ping, &echo, sent_tsc, sent_tsc + ticks_of(wait)))
			replies++;
		else if (!engine_stopped(engine))
			ping->on_reply(ping->ctx, n, UINT64_MAX, NULL);
		if (n + 1 != ping->count)
			serve_until(engine, sent_tsc + ticks_of(ping->interval_ns));
	}
	free(frame);
	return rc < 0 ? rc : replies;
}

void engine_idle(struct engine *engine, uint64_t ns)
{
	serve_until(engine, rte_rdtsc() + ticks_of(ns));
}
