/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool pkt_patches_at(const struct pkt_frame *frame, const uint8_t *hdrs, unsigned i)
{
	for (unsigned k = 1; k < frame->sizes->nb; k++)
		if (hdrs[(size_t)k * frame->hdr_bytes + i] != hdrs[i])
			return true;
	return false;
}

int pkt_patches_find(struct pkt_frame *frame, const uint8_t *hdrs)
{
	unsigned nb = frame->sizes->nb, bytes = frame->hdr_bytes;

	frame->nb_patches = 0;
	for (unsigned i = 0; i < bytes; i++) {
		if (!pkt_patches_at(frame, hdrs, i))
			continue;
		if (frame->nb_patches == PKT_MAX_PATCHES)
			return -ENOSPC;
		/* no word reaches into the payload */
		frame->patch_off[frame->nb_patches++] = (uint16_t)(i + 1 < bytes ? i : i - 1);
		i++;
	}
	if (frame->nb_patches == 0)
		return 0;
	frame->patches = calloc((size_t)nb * frame->nb_patches, sizeof(*frame->patches));
	if (frame->patches == NULL)
		return -ENOMEM;
	for (unsigned k = 0; k < nb; k++)
		for (unsigned i = 0; i < frame->nb_patches; i++)
			frame->patches[k * frame->nb_patches + i] =
				pkt_get16(hdrs + (size_t)k * bytes + frame->patch_off[i]);
	return 0;
}

void pkt_size_apply(const struct pkt_frame *frame, unsigned index, uint8_t *data)
{
	size_t first = (size_t)index * frame->nb_patches;

	for (unsigned i = 0; i < frame->nb_patches; i++)
		pkt_put16(data + frame->patch_off[i], frame->patches[first + i]);
}
