/* SPDX-License-Identifier: BSD-3-Clause */
#include "size_mix.h"

#include <errno.h>
#include <stdlib.h>

#include "tgen/num.h"
#include "tgen/random.h"

#define NB_SIZES (UINT16_MAX + 1u)

/* Where a part is while its frames are laid out. */
struct part_at {
	uint64_t nb;	/* of its frames in the schedule of parts so far */
	uint16_t *perm; /* its sizes in the order of this round of them */
	unsigned next;	/* index of perm */
	uint64_t draws; /* random numbers used */
};

static unsigned width(const struct size_part *part)
{
	return part->hi - part->lo + 1u;
}

/*
 * How often the schedule of parts is repeated until every range has been through whole rounds of its
 * sizes; 0: too often. total: the sum of weights, which have no common factor.
 */
static uint64_t repeats_of(
	const struct size_part *parts, unsigned nb, uint64_t factor, uint64_t total)
{
	uint64_t repeats = 1;

	for (unsigned i = 0; i < nb; i++) {
		uint64_t weight = parts[i].weight / factor;
		uint64_t need = width(&parts[i]) / num_gcd(width(&parts[i]), weight);

		repeats = repeats / num_gcd(repeats, need) * need;
		if (repeats > PKT_SIZES_PERIOD_MAX)
			return 0;
	}
	return repeats * total > PKT_SIZES_PERIOD_MAX ? 0 : repeats;
}

/*
 * The part of slot t of a schedule of `total` slots. Frame j of a part of weight w belongs between
 * floor(j·total/w) and ceil((j+1)·total/w); of those that may go, the one whose time is up first
 * goes. All are in time (Baruah et al., Proportionate Progress, 1996), so that at every moment each
 * part is within one frame of its share.
 */
static unsigned part_of_slot(const struct size_part *parts, unsigned nb, const struct part_at *at,
	uint64_t factor, uint64_t total, uint64_t t)
{
	uint64_t soonest = UINT64_MAX;
	unsigned best = 0;

	for (unsigned i = 0; i < nb; i++) {
		uint64_t w = parts[i].weight / factor;
		uint64_t due = ((at[i].nb + 1) * total + w - 1) / w;

		if (at[i].nb * total / w <= t && due < soonest) {
			soonest = due;
			best = i;
		}
	}
	return best;
}

/* The next size of a part; a range begins a round in a new order. */
static uint16_t part_next(const struct size_part *part, struct part_at *at, uint64_t seed)
{
	unsigned nb = width(part);

	if (nb == 1)
		return part->lo;
	if (at->next == 0) {
		for (unsigned i = nb - 1; i > 0; i--) {
			uint64_t random = random_at(seed + part->lo, at->draws++);
			unsigned j = (unsigned)random_below(random, i + 1);
			uint16_t size = at->perm[i];

			at->perm[i] = at->perm[j];
			at->perm[j] = size;
		}
	}
	seed = at->perm[at->next];
	at->next = (at->next + 1) % nb;
	return (uint16_t)seed;
}

static int parts_at_init(const struct size_part *parts, unsigned nb, struct part_at *at)
{
	for (unsigned i = 0; i < nb; i++) {
		if (width(&parts[i]) == 1)
			continue;
		at[i].perm = malloc(width(&parts[i]) * sizeof(*at[i].perm));
		if (at[i].perm == NULL)
			return -ENOMEM;
		for (unsigned k = 0; k < width(&parts[i]); k++)
			at[i].perm[k] = (uint16_t)(parts[i].lo + k);
	}
	return 0;
}

int size_parts_lay_out(const struct size_part *parts, unsigned nb, uint64_t seed, uint16_t **out)
{
	struct part_at *at = calloc(nb, sizeof(*at));
	uint64_t factor = 0, total = 0, repeats;
	unsigned *schedule = NULL;
	int rc = -ENOMEM;

	*out = NULL;
	for (unsigned i = 0; i < nb; i++)
		factor = num_gcd(factor, parts[i].weight);
	for (unsigned i = 0; i < nb; i++)
		total += parts[i].weight / factor;
	repeats = total > PKT_SIZES_PERIOD_MAX ? 0 : repeats_of(parts, nb, factor, total);
	if (at != NULL && repeats > 0) {
		*out = malloc(repeats * total * sizeof(**out));
		schedule = malloc(total * sizeof(*schedule));
	}
	if (at != NULL && repeats == 0)
		rc = 0;
	if (*out == NULL || schedule == NULL || parts_at_init(parts, nb, at) < 0)
		goto out;
	for (uint64_t t = 0; t < total; t++) {
		schedule[t] = part_of_slot(parts, nb, at, factor, total, t);
		at[schedule[t]].nb++;
	}
	for (uint64_t t = 0; t < repeats * total; t++) {
		unsigned i = schedule[t % total];

		(*out)[t] = part_next(&parts[i], &at[i], seed);
	}
	rc = (int)(repeats * total);
out:
	if (rc <= 0) {
		free(*out);
		*out = NULL;
	}
	for (unsigned i = 0; at != NULL && i < nb; i++)
		free(at[i].perm);
	free(schedule);
	free(at);
	return rc;
}

int size_sequence_take(struct pkt_sizes *sizes, const uint16_t *sequence, unsigned nb)
{
	/* rank[s]: whether size s occurs, then its index */
	unsigned *rank = calloc(NB_SIZES, sizeof(*rank));
	unsigned different = 0;

	*sizes = (struct pkt_sizes){.period = nb};
	sizes->order = malloc(nb * sizeof(*sizes->order));
	for (unsigned i = 0; rank != NULL && i < nb; i++)
		different += rank[sequence[i]]++ == 0;
	sizes->bytes = malloc(different * sizeof(*sizes->bytes));
	if (rank == NULL || sizes->order == NULL || sizes->bytes == NULL) {
		free(rank);
		pkt_sizes_fini(sizes);
		return -ENOMEM;
	}
	for (unsigned s = 0; s < NB_SIZES; s++) {
		if (rank[s] == 0)
			continue;
		sizes->bytes[sizes->nb] = (uint16_t)s;
		rank[s] = sizes->nb++;
	}
	for (unsigned i = 0; i < nb; i++) {
		sizes->order[i] = (uint16_t)rank[sequence[i]];
		sizes->sum += sequence[i];
	}
	free(rank);
	return 0;
}

void pkt_sizes_fini(struct pkt_sizes *sizes)
{
	free(sizes->bytes);
	free(sizes->order);
	*sizes = (struct pkt_sizes){0};
}
