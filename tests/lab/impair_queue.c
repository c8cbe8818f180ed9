/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include <stdlib.h>
#include <string.h>

struct frame *frame_new(const struct record *r, const uint8_t *data)
{
	struct frame *f = malloc(sizeof(*f) + r->length);

	if (!f)
		die(STATUS_SYSTEM, "out of memory");
	f->record = *r;
	memcpy(f->data, data, r->length);
	return f;
}

static bool before(const struct frame *a, const struct frame *b)
{
	if (a->record.planned_ns != b->record.planned_ns)
		return a->record.planned_ns < b->record.planned_ns;
	return a->serial < b->serial;
}

void queue_push(struct queue *q, struct frame *f)
{
	size_t at = q->nb++;

	if (q->nb > q->room) {
		q->room = q->room ? 2 * q->room : 1024;
		q->heap = reallocarray(q->heap, q->room, sizeof(struct frame *));
		if (!q->heap)
			die(STATUS_SYSTEM, "out of memory");
	}
	f->serial = q->serial++;
	while (at > 0 && before(f, q->heap[(at - 1) / 2])) {
		q->heap[at] = q->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	q->heap[at] = f;
}

struct frame *queue_first(const struct queue *q)
{
	return q->nb ? q->heap[0] : NULL;
}

struct frame *queue_pop(struct queue *q)
{
	struct frame *first = queue_first(q), *moved;
	size_t at = 0, child;

	if (!first)
		return NULL;
	moved = q->heap[--q->nb];
	while ((child = 2 * at + 1) < q->nb) {
		if (child + 1 < q->nb && before(q->heap[child + 1], q->heap[child]))
			child++;
		if (!before(q->heap[child], moved))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	q->heap[at] = moved;
	return first;
}
