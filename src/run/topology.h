/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tgen/conf.h"

/*
 * The streams of a test's topology, made of its template between its ports: templates and streams are
 * added to conf (in memory), named TEST.FROM.TO, with groups `FROM>TO` (learning topology: `learn`,
 * `test`). Frames are addressed to the other port's first address, by the sender's gateway when it has
 * one; without template a mac,ip,udp one as RFC 2544 appendix C.2.6.4 has it.
 */

/* Pairs in the order of RFC 2544 §16 and RFC 2889 §3: pure. */
struct topology_pair {
	unsigned from, to;
};
/* *out: caller frees. Number of pairs; -EINVAL: too few ports, or an odd number; -ENOMEM. */
int topology_pairs(enum conf_topology topology, unsigned nb_ports, struct topology_pair **out);

/*
 * Adds what a test's topology needs; nothing when it is as-given. names: streams of the test, in
 * order, for the word stream of quick; caller frees each and the array. 0 or negative with err.
 */
int topology_add(struct conf *conf, const struct opt_set *test, char ***names, unsigned *nb,
	struct err *err);
