/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_cycles.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tgen/log.h"

/* Links, ARP and ping: what must be known before anything is sent. */

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

/* One entry for every (port, next hop) that streams need. Returns their number. */
static unsigned queries_make(
	const struct engine *engine, const struct plan *plan, struct hostio_learned *out)
{
	unsigned nb = 0;

	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_route *r = &plan->streams[i].route;
		unsigned k = 0;

		if (r->hop != PLAN_HOP_ARP)
			continue;
		while (k < nb && (out[k].ip != r->next_hop || out[k].port != r->tx_port))
			k++;
		if (k == nb) {
			const struct host_if *hif = &engine->ports[r->tx_port].hif;

			/* nobody answers for a port's own address but the port: a loop */
			out[nb++] = (struct hostio_learned){.ip = r->next_hop,
				.port = r->tx_port,
				.mac = host_owns(hif, r->next_hop) ? hif->mac : 0};
		}
	}
	return nb;
}

static unsigned ask_open(struct engine *engine, const struct hostio_learned *queries, unsigned nb)
{
	uint8_t frame[HOST_ARP_BYTES];
	unsigned open = 0;

	for (unsigned i = 0; i < nb; i++) {
		struct engine_port *port = &engine->ports[queries[i].port];

		if (queries[i].mac != 0)
			continue;
		open++;
		hostio_send(
			engine, port, frame, host_arp_request(&port->hif, queries[i].ip, frame));
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
static int arp_ask(
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

static int arp_error(struct engine *engine, const struct hostio_learned *query, const char *who,
	uint64_t timeout_ns, struct err *err)
{
	const struct engine_port *port = &engine->ports[query->port];
	char ip[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];

	return err_device(err, 0,
		"%s: no ARP reply from %s on %s within %s (link %s, %" PRIu64
		" frames received); check the address, the cabling and that the device under test "
		"is "
		"up, or give the template mac-dst",
		who, units_fmt_ip4(ip, query->ip), port->name, units_fmt_duration(time, timeout_ns),
		port_link_up(port) ? "up" : "down", port->rx_host);
}

static void routes_fill(struct plan *plan, const struct hostio_learned *queries, unsigned nb)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		struct plan_route *r = &plan->streams[i].route;

		for (unsigned k = 0; k < nb && r->hop == PLAN_HOP_ARP; k++)
			if (queries[k].ip == r->next_hop && queries[k].port == r->tx_port)
				r->mac_dst = queries[k].mac;
	}
}

static int arp_unanswered(struct engine *engine, const struct plan *plan,
	const struct hostio_learned *queries, unsigned nb, struct err *err)
{
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_route *r = &plan->streams[i].route;

		for (unsigned k = 0; k < nb; k++)
			if (r->hop == PLAN_HOP_ARP && queries[k].mac == 0 &&
				queries[k].ip == r->next_hop && queries[k].port == r->tx_port)
				return arp_error(engine, &queries[k], plan->streams[i].name,
					plan->arp_timeout_ns, err);
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
		rc = arp_ask(engine, queries, nb, plan->arp_timeout_ns);
		if (rc > 0)
			rc = arp_unanswered(engine, plan, queries, nb, err);
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
			const uint8_t *frame = rte_pktmbuf_mtod(burst[i], const uint8_t *);
			unsigned len = rte_pktmbuf_data_len(burst[i]), reply_len = 0;
			struct host_echo got;

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

static int ping_arp(
	struct engine *engine, const struct engine_ping *ping, uint64_t *mac, struct err *err)
{
	struct hostio_learned query = {.ip = ping->address, .port = ping->port};
	uint64_t start = rte_rdtsc();
	int rc = arp_ask(engine, &query, 1, ping->arp_timeout_ns);

	if (rc < 0)
		return rc;
	if (rc > 0)
		return arp_error(engine, &query, "ping", ping->arp_timeout_ns, err);
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
	struct host_echo echo = {.dst = ping->address, .ttl = ping->ttl, .bytes = ping->bytes};
	uint8_t *frame = calloc(1, ping->bytes > PKT_MIN_BYTES ? ping->bytes : PKT_MIN_BYTES);
	int replies = 0, rc;

	if (frame == NULL)
		return err_device(err, ENOMEM, "ping");
	clock_calibrate(&engine->clock, engine->clock_start);
	rc = ping_arp(engine, ping, &echo.mac_dst, err);
	for (unsigned a = 0; a < port->hif.nb_addrs; a++)
		if (echo.src == 0 || host_addr_covers(&port->hif.addrs[a], ping->address))
			echo.src = port->hif.addrs[a].ip;
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
