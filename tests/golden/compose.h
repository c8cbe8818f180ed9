/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Random templates: any stack that can be, its fields varying in any way, any size. */

#include <stdbool.h>
#include <stdint.h>

#define COMPOSE_MAX_WORDS 48
#define COMPOSE_WORD_MAX  640
#define COMPOSE_MAX_STACK 14
#define COMPOSE_MAX_SIZES 3

struct compose {
	unsigned nb_words;
	char words[COMPOSE_MAX_WORDS][COMPOSE_WORD_MAX]; /* name=value; the stack is the first */
	unsigned nb_sizes;
	unsigned sizes[COMPOSE_MAX_SIZES]; /* bytes beyond the smallest packet-size, ascending */
	unsigned nb_vary;
	unsigned nb_stack;
	const char *stack[COMPOSE_MAX_STACK];
	uint64_t seed, drawn;
};

/* The same for the same seed. received: only what a receiver tells from other traffic (no arp). */
void compose_make(struct compose *out, uint64_t seed, bool received);
