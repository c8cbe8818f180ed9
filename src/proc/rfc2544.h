/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "search.h"

/* The tests of RFC 2544, each to be run by itself or as parts of rfc2544. */

extern const struct proc_figure_docs rfc2544_loss_docs;
extern const struct proc_figure_docs rfc2544_burst_docs;

/* Words of several of them. */
enum rfc2544_rate_opt { RFC2544_RATE, RFC2544_NB_RATE_OPTS };
extern const struct opt rfc2544_rate_opts[RFC2544_NB_RATE_OPTS];

/*
 * The throughput that latency and back-to-back rest on: the word rate, else a search with its
 * figures. *upps 0: there is none, and *outcome and a note say why; sent_pps: of a port.
 */
int rfc2544_rate(struct proc_env *env, uint64_t *upps, double *sent_pps, enum proc_outcome *outcome,
	struct err *err);
void rfc2544_rate_estimate(const struct proc_env *env, struct proc_estimate *out);
/* Searches and tells the figures. */
int rfc2544_throughput_run(struct proc_env *env, struct search_found *found,
	enum proc_outcome *outcome, struct err *err);
int rfc2544_latency_run(
	struct proc_env *env, uint64_t upps, enum proc_outcome *outcome, struct err *err);
void rfc2544_latency_estimate(const struct proc_env *env, struct proc_estimate *out);
int rfc2544_loss_run(struct proc_env *env, enum proc_outcome *outcome, struct err *err);
void rfc2544_loss_estimate(const struct proc_env *env, struct proc_estimate *out);
/* throughput_pps: of a port, of the same frame size. */
int rfc2544_burst_run(
	struct proc_env *env, double throughput_pps, enum proc_outcome *outcome, struct err *err);
void rfc2544_burst_estimate(const struct proc_env *env, struct proc_estimate *out);
