/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/opt.h"
#include "tgen/pkt.h"

/*
 * Every header type, a line each: HDR(name) stands for `const struct hdr_type hdr_name`, which its
 * own file defines, and for the word `name` of header-stack.
 */
/* clang-format off */
#define HDR_LIST(HDR) \
	HDR(mac) \
	HDR(ip) \
	HDR(udp)
/* clang-format on */

/* Whose numbers say what follows a header. */
enum hdr_space {
	HDR_SPACE_NONE, /* nothing can follow */
	HDR_SPACE_WIRE, /* the beginning of the frame */
	HDR_SPACE_ETHERTYPE,
	HDR_SPACE_IP_PROTO,
};

/* A header can follow every parent of this space, which then holds this value. */
struct hdr_binding {
	enum hdr_space space;
	uint32_t value;
};

#define HDR_MAX_BINDINGS 4

struct hdr_build;

struct hdr_type {
	struct pkt_hdr hdr;
	struct opt_section section;		       /* the field table; hdr.fields is it */
	struct hdr_binding child_of[HDR_MAX_BINDINGS]; /* ends with HDR_SPACE_NONE or the array */
	enum hdr_space next_space;
	unsigned next_field; /* field that says what follows, with a next_space */
	uint32_t next_none;  /* its value when nothing follows */
	/* A field without default that was not given; 0, or -EINVAL with the field's name. */
	int (*assume)(const struct hdr_build *b, const struct opt *opt, uint64_t *value);
	/* What depends on the rest: constants, lengths, checksums; innermost header first. */
	void (*finish)(struct hdr_build *b, unsigned i);
};

/* A header in its place in the frame. */
struct hdr_place {
	const struct hdr_type *type;
	uint16_t off; /* of its first byte */
	uint16_t nth; /* how many of its type are before it */
};

/* A frame being built. */
struct hdr_build {
	const struct opt_set *tmpl;
	const struct pkt_assumed *assumed;
	struct pkt_frame *frame;
	struct err *err;
	unsigned nb;
	struct hdr_place place[PKT_MAX_HEADERS];
};

#define HDR_DECLARE(name_) extern const struct hdr_type hdr_##name_;
HDR_LIST(HDR_DECLARE)
#undef HDR_DECLARE

/* All types, in the order of HDR_LIST; ends with NULL. */
extern const struct hdr_type *const hdr_types[];

/* Places the headers of tmpl; their number, or -EINVAL. */
int hdr_place_stack(
	const struct opt_set *tmpl, struct hdr_place place[PKT_MAX_HEADERS], struct err *err);

/* Field `field` of header i as the user gave it or by default; false: neither. */
bool hdr_field_val(const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out);

/* Notes a checksum with every varying field in bytes from .. to-1 of the frame. */
void hdr_csum_covers(
	struct pkt_frame *frame, unsigned from, unsigned to, unsigned slot, uint16_t csum_off);

/* Sum of the payload as pkt_payload_fill writes it, as part of a checksum that starts at base. */
uint32_t payload_sum(const struct pkt_frame *frame, unsigned base);
