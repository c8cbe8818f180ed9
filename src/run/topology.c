/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology.h"

#include <errno.h>
#include <stdlib.h>

static const struct {
	unsigned at_least;
	bool even;
	const char *needs;
} needs[] = {
	[TOPOLOGY_GIVEN] = {0, false, ""},
	[TOPOLOGY_PAIR] = {2, true, "an even number of ports"},
	[TOPOLOGY_BIDIRECTIONAL] = {2, true, "an even number of ports"},
	[TOPOLOGY_FULL_MESH] = {2, false, "at least 2 ports"},
	[TOPOLOGY_ONE_TO_MANY] = {2, false, "at least 2 ports"},
	[TOPOLOGY_MANY_TO_ONE] = {2, false, "at least 2 ports"},
	[TOPOLOGY_BACKBONE] = {2, true, "an even number of ports"},
	[TOPOLOGY_LEARNING] = {3, false, "at least 3 ports: learning, test, monitor"},
	[TOPOLOGY_CONGESTION] = {4, false, "at least 4 ports: two that send, two that receive"},
	[TOPOLOGY_BROADCAST] = {2, false, "at least 2 ports"},
};

const char *topology_needs(enum conf_topology topology)
{
	return needs[topology].needs;
}

struct pairs {
	struct topology_pair *all;
	int nb;
};

static void add(struct pairs *p, unsigned from, unsigned to)
{
	p->all[p->nb++] = (struct topology_pair){from, to};
}

/* RFC 2889 §5.1.3: port i sends to i+1, i+2 … in turn, so that no two begin with the same port. */
static void mesh(struct pairs *p, unsigned nb)
{
	for (unsigned i = 0; i < nb; i++)
		for (unsigned k = 1; k < nb; k++)
			add(p, i, (i + k) % nb);
}

/* RFC 2544 §16: every input follows the same order of outputs; then the other way round. */
static void backbone(struct pairs *p, unsigned nb)
{
	for (unsigned i = 0; i < nb / 2; i++)
		for (unsigned k = 0; k < nb / 2; k++)
			add(p, i, nb / 2 + k);
	for (unsigned i = nb / 2; i < nb; i++)
		for (unsigned k = 0; k < nb / 2; k++)
			add(p, i, k);
}

static void neighbours(struct pairs *p, unsigned nb, bool both)
{
	for (unsigned i = 0; i + 1 < nb; i += 2) {
		add(p, i, i + 1);
		if (both)
			add(p, i + 1, i);
	}
}

int topology_pairs(enum conf_topology topology, unsigned nb, struct topology_pair **out)
{
	struct pairs p = {.all = calloc((size_t)nb * nb + 1, sizeof(*p.all))};

	*out = NULL;
	if (p.all == NULL)
		return -ENOMEM;
	if (nb < needs[topology].at_least || (needs[topology].even && nb % 2 != 0)) {
		free(p.all);
		return -EINVAL;
	}
	switch (topology) {
	case TOPOLOGY_GIVEN:
		break;
	case TOPOLOGY_PAIR:
		neighbours(&p, nb, false);
		break;
	case TOPOLOGY_BIDIRECTIONAL:
		neighbours(&p, nb, true);
		break;
	case TOPOLOGY_FULL_MESH:
		mesh(&p, nb);
		break;
	case TOPOLOGY_ONE_TO_MANY:
		for (unsigned i = 1; i < nb; i++)
			add(&p, 0, i);
		break;
	case TOPOLOGY_MANY_TO_ONE:
		for (unsigned i = 1; i < nb; i++)
			add(&p, i, 0);
		break;
	case TOPOLOGY_BACKBONE:
		backbone(&p, nb);
		break;
	case TOPOLOGY_LEARNING: /* learn, then test */
		add(&p, 0, 1);
		add(&p, 1, 0);
		break;
	case TOPOLOGY_CONGESTION: /* RFC 2889 §5.5: half of the first port each, all of the second */
		add(&p, 0, 2);
		add(&p, 0, 3);
		add(&p, 1, 3);
		break;
	case TOPOLOGY_BROADCAST:
		add(&p, 0, 1);
		break;
	}
	*out = p.all;
	return p.nb;
}
