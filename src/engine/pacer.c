/* SPDX-License-Identifier: BSD-3-Clause */
#include "pacer.h"

#include <assert.h>

#include "tgen/num.h"

/* The longest interval in ticks, decades: a longer one would wrap and seem to be due at once. */
#define STEP_MAX ((uint64_t)INT64_MAX / 2)

void pacer_init(struct pacer *p, uint64_t start_tsc, uint64_t hz, uint64_t num, uint64_t den,
	uint32_t nb_streams)
{
	uint64_t common = num_gcd(num, den);
	unsigned __int128 ticks, mod;

	assert(num > 0 && den > 0 && nb_streams > 0);
	/* interval = hz · den / (num · nb_streams) ticks */
	ticks = (unsigned __int128)hz * (den / common);
	mod = (unsigned __int128)(num / common) * nb_streams;
	/* acc + rem must not overflow 64 bits; only absurd rates come here, at a cost under 2^-60 */
	while (mod >> 63 != 0) {
		mod >>= 1;
		ticks >>= 1;
	}
	if (ticks / mod > STEP_MAX)
		ticks = STEP_MAX * mod;
	p->due_tsc = start_tsc;
	p->mod = (uint64_t)mod;
	p->step = (uint64_t)(ticks / mod);
	p->rem = (uint64_t)(ticks % mod);
	p->acc = 0;
}

uint64_t pacer_nb_due(const struct pacer *p, uint64_t now_tsc)
{
	unsigned __int128 behind, interval;

	if (!pacer_is_due(p, now_tsc))
		return 0;
	/* in units of 1/mod ticks: frame k is due at due + floor((acc + k · interval) / mod) */
	behind = (unsigned __int128)(now_tsc - p->due_tsc) * p->mod + (p->mod - 1 - p->acc);
	interval = (unsigned __int128)p->step * p->mod + p->rem;
	if (interval == 0)
		return UINT64_MAX;
	behind /= interval;
	return behind >= UINT64_MAX ? UINT64_MAX : (uint64_t)behind + 1;
}

void pacer_skip(struct pacer *p, uint64_t nb)
{
	unsigned __int128 rest = (unsigned __int128)p->rem * nb + p->acc;

	p->due_tsc += p->step * nb + (uint64_t)(rest / p->mod);
	p->acc = (uint64_t)(rest % p->mod);
}
