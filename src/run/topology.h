/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/conf.h"

/*
 * The streams of a test. Those of a topology are made of its template between its ports: templates
 * and streams are added to conf (in memory), named TEST.FROM.TO, in groups FROM-to-TO (of the learning
 * topology: `learn` and `test`). Frames go to the other port's first address, by the sender's gateway
 * when it has one; without template a mac,ip,udp one as RFC 2544 appendix C.2.6.4 has it.
 */

/* Pairs in the order of RFC 2544 §16 and RFC 2889 §3: pure. */
struct topology_pair {
	unsigned from, to;
};
/* *out: caller frees. Number of pairs; -EINVAL: too few ports, or an odd number; -ENOMEM. */
int topology_pairs(enum conf_topology topology, unsigned nb_ports, struct topology_pair **out);
/* What topology_pairs needs, for a message: `at least 3 ports`. */
const char *topology_needs(enum conf_topology topology);

/*
 * names: the streams of the test, in order, as stream objects of conf; what a test names as
 * tx-template becomes streams too. Caller frees each name and the array. 0 or negative with err.
 */
int topology_add(struct conf *conf, const struct opt_set *test, char ***names, unsigned *nb,
	struct err *err);
/* Lets the addresses of a learning topology take nb values. */
int topology_addresses(struct conf *conf, const struct opt_set *test, uint64_t nb, struct err *err);
