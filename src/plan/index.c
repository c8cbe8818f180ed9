/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan_private.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64u

/* FNV-1a. */
static uint64_t hash(const char *key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *key != '\0'; key++)
		h = (h ^ (uint8_t)*key) * UINT64_C(0x100000001b3);
	return h;
}

/* The slot of a key, or the free one where it belongs; there is always a free one. */
static struct plan_entry *slot_of(const struct plan_index *index, const char *key)
{
	size_t i = hash(key) & (index->nb_slots - 1);

	while (index->slots[i].key != NULL && strcmp(index->slots[i].key, key) != 0)
		i = (i + 1) & (index->nb_slots - 1);
	return &index->slots[i];
}

static bool grow(struct plan_index *index)
{
	struct plan_index larger = {
		.nb_slots = index->nb_slots == 0 ? FIRST_SLOTS : 2 * index->nb_slots,
		.nb = index->nb};

	larger.slots = calloc(larger.nb_slots, sizeof(*larger.slots));
	if (larger.slots == NULL)
		return false;
	for (size_t i = 0; i < index->nb_slots; i++)
		if (index->slots[i].key != NULL)
			*slot_of(&larger, index->slots[i].key) = index->slots[i];
	free(index->slots);
	*index = larger;
	return true;
}

struct plan_entry *plan_index_put(
	struct plan_index *index, const char *key, unsigned value, bool *made)
{
	struct plan_entry *entry;

	if (index->nb * 2 >= index->nb_slots && !grow(index))
		return NULL;
	entry = slot_of(index, key);
	*made = entry->key == NULL;
	if (!*made)
		return entry;
	entry->key = strdup(key);
	if (entry->key == NULL)
		return NULL;
	entry->value = value;
	index->nb++;
	return entry;
}

const struct plan_entry *plan_index_get(const struct plan_index *index, const char *key)
{
	const struct plan_entry *entry = index->nb == 0 ? NULL : slot_of(index, key);

	return entry != NULL && entry->key != NULL ? entry : NULL;
}

void plan_index_fini(struct plan_index *index)
{
	for (size_t i = 0; i < index->nb_slots; i++)
		free(index->slots[i].key);
	free(index->slots);
	*index = (struct plan_index){0};
}
