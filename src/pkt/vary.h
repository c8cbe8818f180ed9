/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "hdr.h"

/* Adds a mod of option opt; 0, -EINVAL (too many, or bits that vary already) or -ENOMEM. */
int vary_add_mod(struct hdr_build *b, const struct opt *opt, const struct pkt_mod *mod);
/* Adds what makes a field of so many bits, bit_off bits into the frame, vary. */
int vary_field(struct hdr_build *b, const struct opt *opt, const struct opt_vary *vary,
	unsigned bit_off, unsigned bits);
/* The bits of a byte of the frame that a mod has. */
uint8_t vary_byte(const struct pkt_mod *mod, unsigned off);
/* What the field holds in frame n, in its place in the word. */
uint64_t pkt_mod_word(const struct pkt_mod *mod, uint64_t n);
bool vary_overlaps(const struct pkt_mod *a, const struct pkt_mod *b);
/* Notes in the mods what a frame holds that is built to its end. */
void vary_note_bases(struct pkt_frame *frame);
/* When which of the varying fields moves on, by the option nest. */
int vary_nest(struct hdr_build *b);

/* random-ranges and random-byte-offsets-and-masks; least: bytes of the smallest frame. */
int random_add(struct hdr_build *b, unsigned least);

/* Values of the option data beside those of enum pkt_data: both are PKT_DATA_PATTERN. */
enum { DATA_WORD_HEX = PKT_DATA_PATTERN, DATA_WORD_FILE };

/* data and its options: checks what does not need a file; fills in frame->data and what goes with it. */
int data_check(const struct opt_set *tmpl, struct err *err);
int data_init(const struct opt_set *tmpl, struct pkt_frame *frame, struct err *err);
