/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples_file.h"

/* Where things are in a file of samples. */

#define PAGE 4096u

static off_t page_up(off_t off)
{
	return (off + PAGE - 1) / PAGE * PAGE;
}

void samples_layout_make(struct samples_layout *out, const struct samples_head *head)
{
	out->nb_rows = head->nb_streams > 1 ? head->nb_streams + 1 : 1;
	out->nb_slots = head->keep > 0 ? head->keep + 1 : 0;
	out->slot_bytes = head->nb_ports * sizeof(struct trial_port) +
			  (size_t)out->nb_rows * sizeof(struct result_row);
	out->total_bytes = out->slot_bytes + head->nb_hists * sizeof(struct hist);
	out->streams_off = SAMPLES_TABLES_OFF;
	out->ports_off =
		out->streams_off + (off_t)(head->nb_streams * sizeof(struct samples_stream));
	out->totals_off = page_up(out->ports_off + (off_t)head->nb_ports * SAMPLES_NAME_MAX);
	out->slots_off = page_up(out->totals_off + 2 * (off_t)out->total_bytes);
}

struct trial_port *samples_slot_ports(void *slot)
{
	return slot;
}

struct result_row *samples_slot_rows(void *slot, const struct samples_head *head)
{
	return (struct result_row *)(samples_slot_ports(slot) + head->nb_ports);
}

struct hist *samples_slot_hists(void *slot, const struct samples_layout *layout)
{
	return (struct hist *)((char *)slot + layout->slot_bytes);
}

int samples_hist_index(const struct samples_head *head, uint32_t stream)
{
	/* the last one is that of all streams, or of the only one */
	if (stream == RESULT_TOT)
		return (int)head->nb_hists - 1;
	return stream < head->nb_streams && (head->nb_hists > 1 || head->nb_streams == 1)
		       ? (int)stream
		       : -1;
}
