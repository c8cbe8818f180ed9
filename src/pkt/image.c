/* SPDX-License-Identifier: BSD-3-Clause */
#include "fast.h"

#include <errno.h>
#include <stdlib.h>

#include "hdr.h"
#include "tgen/sig.h"

/* What senders use of a frame: the images of its header, and what fast.c makes. */

static void make_image(const struct pkt_frame *frame, unsigned index, uint8_t *image)
{
	unsigned size = pkt_size_bytes(frame, index);
	unsigned end = frame->sig_off != 0 ? size - SIG_BYTES : size;

	memcpy(image, frame->hdr, frame->hdr_bytes);
	pkt_size_apply(frame, index, image);
	/* the largest of several sizes is the frame's own: its payload is that of all */
	for (unsigned off = frame->hdr_bytes; off < frame->image_bytes; off++)
		image[off] = off < end ? payload_byte(frame, off) : 0;
}

static int refresh_images(struct pkt_frame *frame)
{
	unsigned nb = frame->sizes != NULL ? frame->sizes->nb : 1;
	unsigned bytes = (frame->hdr_bytes + PKT_IMAGE_LINE - 1) / PKT_IMAGE_LINE * PKT_IMAGE_LINE;

	free(frame->images);
	frame->images = NULL;
	frame->image_bytes = bytes;
	/* of frames of one size, hdr says it all */
	if (nb == 1 || nb > PKT_IMAGES_BYTES_MAX / bytes)
		return 0;
	frame->images = aligned_alloc(PKT_IMAGE_LINE, (size_t)nb * bytes);
	if (frame->images == NULL)
		return -ENOMEM;
	for (unsigned i = 0; i < nb; i++)
		make_image(frame, i, frame->images + (size_t)i * bytes);
	return 0;
}

int pkt_frame_refresh(struct pkt_frame *frame)
{
	int rc = fast_make(frame), images = refresh_images(frame);

	return rc != 0 ? rc : images;
}
