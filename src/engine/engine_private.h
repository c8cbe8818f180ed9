/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "tgen/engine.h"

#include "clock.h"
#include "tgen/kernel.h"
#include "mem.h"

#define ENGINE_BURST 32u

struct worker;
struct load_pool;
struct engine_port;

/* A kind of device: one line in the table of device.c. */
struct device_kind {
	const char *name; /* the word before ':' */
	const char *arg;  /* what stands behind it, for help and errors */
	uint16_t max_queues;
	bool needs_pci;
	bool has_kernel_if;	 /* arg is a kernel interface, driven through AF_PACKET sockets */
	bool counts_in_software; /* ethdev counters move in rx_burst: equal to what we saw */
	bool counts_missed;	 /* ethdev's imissed and the like mean something */
	/* Makes the ethdev; sets port->id. 0 or negative with err. */
	int (*open)(struct engine_port *port, const char *arg, struct err *err);
};

struct engine_port {
	const char *name;   /* of the plan's port */
	const char *device; /* KIND:ARG */
	const char *arg;
	const struct device_kind *kind;
	unsigned index; /* in the plan */
	unsigned peer;	/* ring: the port that receives what this one sends; itself: a loop */
	uint16_t id;	/* ethdev */
	bool opened, started;
	uint16_t nb_queues;
	uint32_t mtu;	     /* wanted before opening, in use after */
	uint64_t rate_pps;   /* what may arrive, at most, as the plan asks */
	bool only_sends;     /* no frame of a stream is expected here */
	uint32_t mtu_before; /* of the kernel interface, to be put back; 0: untouched */
	bool was_promiscuous;
	bool csum_in_hardware; /* the device judges L4 checksums of what it receives */
	int node;	       /* NUMA, -1: none */
	unsigned socket;       /* EAL memory socket */
	char driver[32];
	char vdev[64]; /* name to unplug; empty: none */
	struct host_if hif;
	struct rte_mempool *rx_pool;
	struct kernel_ring ring; /* af_packet */
	struct kernel_socket sockets[KERNEL_SOCKETS_MAX];
	unsigned nb_sockets;
	uint64_t tx_other; /* host frames sent by main, since the engine was opened */
	uint64_t rx_host;  /* frames main took from the queues */
};

struct engine {
	const struct engine_options *options;
	const struct plan *plan;
	struct engine_port *ports;
	unsigned nb_ports;
	struct rte_mempool *ctl_pool; /* ARP, echo, learning frames */
	struct kernel_guard *guard;
	struct clock clock;
	struct clock_mark clock_start;
	struct engine_mem mem; /* everything that engine_load allocated */
	struct load *load;     /* lanes, counters: what a plan needs; NULL before engine_load */
	/* kept from load to load: drivers and rings may still hold buffers of an earlier one */
	struct load_pool *pools;
	unsigned nb_pools;
	bool eal_started;
	uint8_t *scratch; /* HOST_FRAME_MAX bytes for answers between trials */
};

static inline bool engine_stopped(const struct engine *engine)
{
	return engine->options->stop != NULL && *engine->options->stop != 0;
}

/* eal.c: starts EAL for the workers of the plan; mem_mb: what the pools need. */
int eal_start(const struct plan *plan, const struct engine_port *ports, unsigned nb_ports,
	uint64_t mem_mb, const char *extra, struct err *err);
/* Free huge pages of the machine. */
uint64_t eal_hugepages_free_mb(void);
/* Whether EAL memory is on huge pages. */
bool eal_has_hugepages(void);
/* Lines that EAL and drivers logged since the last call, the last ones only; for error texts. */
const char *eal_log_tail(void);

/* device.c */
const struct device_kind *device_kind_find(const char *device, const char **arg);
int device_check(struct engine_port *port, struct err *err);
void device_close(struct engine_port *port);

/* port.c: configures queues, promiscuous mode and MTU, starts; fills facts. */
int port_start(struct engine_port *port, struct plan_facts *facts, struct err *err);
void port_stop(struct engine_port *port);
bool port_link_up(const struct engine_port *port);
unsigned port_data_room(const struct engine_port *port);
unsigned port_nb_rx_mbufs(const struct engine_port *port);
uint64_t port_tx_pending(const struct engine_port *port);
/* Asks the kernel until its tx rings are empty or it will not go on; bounded to 200 ms. */
void port_kick(const struct engine_port *port);
/* Frames the kernel interface under a port has sent so far; 0: there is none. */
uint64_t port_kernel_tx(const struct engine_port *port);
enum result_duplex port_duplex(const struct engine_port *port);
/* Its kernel interface was deleted. */
bool port_is_gone(const struct engine_port *port);
uint64_t port_kernel_drops(struct engine_port *port);

/* hostio.c: what main does on the ports between trials. */
struct hostio_learned {
	struct units_ip ip;
	struct host_vlan vlan; /* in which it was asked for */
	uint64_t mac;	       /* 0: no answer yet */
	unsigned port;
	uint64_t rx_tsc; /* of the answer */
};
/* Polls every queue once; answers; fills learned entries that match. Returns frames seen. */
unsigned hostio_poll(struct engine *engine, struct hostio_learned *learned, unsigned nb);
int hostio_send(
	struct engine *engine, struct engine_port *port, const uint8_t *frame, unsigned len);
void hostio_announce(struct engine *engine);
