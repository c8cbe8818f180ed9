/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/epoch.h"

#include <assert.h>

void epoch_worker_init(struct epoch_worker *w, const struct epoch_reader *reader,
	uint64_t length_ns, uint64_t grace_ns)
{
	assert(length_ns > 0);
	atomic_store_explicit(&w->closed, 0, memory_order_relaxed);
	w->open = 0;
	w->length_ns = length_ns;
	w->grace_ns = grace_ns;
	w->next_close_ns = length_ns + grace_ns;
	w->reader = reader;
}

static void publish(struct epoch_worker *w, uint64_t epochs)
{
	w->open = epochs;
	w->next_close_ns = (epochs + 1) * w->length_ns + w->grace_ns;
	/* release: what was added to the slots is seen by the reader that acquires `closed` */
	atomic_store_explicit(&w->closed, epochs, memory_order_release);
}

void epoch_worker_close_due(struct epoch_worker *w, uint64_t now_ns)
{
	if (now_ns < w->next_close_ns)
		return;
	/* a worker that was away for long closes all that is due at once */
	publish(w, (now_ns - w->grace_ns) / w->length_ns);
}

void epoch_worker_finish(struct epoch_worker *w, uint64_t epochs)
{
	if (epochs > w->open)
		publish(w, epochs);
}

bool epoch_reader_owns(const struct epoch_worker *const *workers, unsigned nb, uint64_t epoch)
{
	for (unsigned i = 0; i < nb; i++)
		if (atomic_load_explicit(&workers[i]->closed, memory_order_acquire) <= epoch)
			return false;
	return true;
}

void epoch_reader_return(struct epoch_reader *r, uint64_t epoch)
{
	atomic_store_explicit(&r->returned, epoch + 1, memory_order_release);
}
