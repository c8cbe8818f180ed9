/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/opt.h"
#include "tgen/pkt.h"

/*
 * Every header type, a line each: HDR(name, word) stands for `const struct hdr_type hdr_name`, which
 * its own file defines, and for the word of header-stack.
 */
/* clang-format off */
#define HDR_LIST(HDR) \
	HDR(mac, "mac") \
	HDR(vlan, "vlan") \
	HDR(mpls, "mpls") \
	HDR(pppoe, "pppoe") \
	HDR(arp, "arp") \
	HDR(ip, "ip") \
	HDR(ipv6, "ipv6") \
	HDR(hop_by_hop, "hop-by-hop") \
	HDR(routing, "routing") \
	HDR(fragment, "fragment") \
	HDR(destination, "destination") \
	HDR(udp, "udp") \
	HDR(tcp, "tcp") \
	HDR(sctp, "sctp") \
	HDR(icmp, "icmp") \
	HDR(icmpv6, "icmpv6") \
	HDR(igmp, "igmp") \
	HDR(esp, "esp") \
	HDR(gre, "gre") \
	HDR(vxlan, "vxlan") \
	HDR(geneve, "geneve") \
	HDR(gtpu, "gtpu") \
	HDR(l2tp, "l2tp") \
	HDR(raw, "raw")
/* clang-format on */

/* Whose numbers say what follows a header. */
enum hdr_space {
	HDR_SPACE_NONE, /* nothing can follow */
	HDR_SPACE_WIRE, /* the beginning of the frame */
	HDR_SPACE_ETHERTYPE,
	HDR_SPACE_TUNNEL_TYPE, /* EtherTypes as GRE and Geneve use them: a whole frame has one, too */
	HDR_SPACE_IP_PROTO,
	HDR_SPACE_IP6_NEXT, /* the same numbers; what only IPv6 can have */
	HDR_SPACE_UDP_PORT,
	HDR_SPACE_PPP,
	HDR_SPACE_MPLS, /* bottom of stack or not; the label means the rest */
	HDR_SPACE_GTP,	/* a G-PDU holds an IP packet */
	HDR_SPACE_ANY,	/* raw bytes: nobody knows what they say */
};

/* A header can follow every parent of this space, which then holds this value. */
struct hdr_binding {
	enum hdr_space space;
	uint32_t value;
};

#define HDR_MAX_BINDINGS 8

struct hdr_build;

struct hdr_type {
	struct pkt_hdr hdr;
	struct opt_section section;		       /* the field table; hdr.fields is it */
	struct hdr_binding child_of[HDR_MAX_BINDINGS]; /* ends with HDR_SPACE_NONE or the array */
	enum hdr_space next_space;
	uint8_t ip_version;  /* 4, 6; 0: no IP header */
	unsigned next_field; /* field that says what follows, with a next_space; or HDR_NO_FIELD */
	uint32_t next_none;  /* its value when nothing follows, or raw bytes do */
	bool anywhere;	     /* can follow any header, which is not told of it */
	bool unsigned_;	     /* no station tells such a frame from a real one: it is sent only */
	/*
	 * Bytes of the nth header of its type, when they depend on its options; else min_bytes. -EINVAL
	 * when what was given for it does not go together.
	 */
	int (*bytes)(const struct opt_set *tmpl, unsigned nth, struct err *err);
	/* Where a field is, when that depends on the options: its bit_off, -1: nowhere. NULL: as told. */
	int (*bit_off)(const struct opt_set *tmpl, unsigned nth, unsigned field);
	/* The number that stands for it in the header before; NULL: value, as in child_of. */
	uint32_t (*bind)(
		const struct opt_set *tmpl, unsigned nth, enum hdr_space space, uint32_t value);
	/* A field that was not given has a default by where it is: sets out->lo. NULL: none has. */
	bool (*dflt)(const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out);
	/* A field without default that was not given; 0, or -EINVAL. NULL: such a field is 0. */
	int (*assume)(
		const struct hdr_build *b, unsigned i, const struct opt *opt, struct opt_val *val);
	/* A routing header: the offset of the address where the packet ends up; 0: ipv6-dst is it. */
	unsigned (*final_dst)(const struct hdr_build *b, unsigned i);
	/* What depends on the rest: constants, lengths, checksums; innermost header first. */
	void (*finish)(struct hdr_build *b, unsigned i);
};

#define HDR_NO_FIELD UINT32_MAX

/* A header in its place in the frame. */
struct hdr_place {
	const struct hdr_type *type;
	uint16_t off; /* of its first byte */
	uint16_t bytes;
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
	const struct opt *mod_opt[PKT_MAX_MODS]; /* what makes each mod of the frame vary … */
	uint8_t mod_hdr[PKT_MAX_MODS];		 /* … and in which header; UINT8_MAX: anywhere */
	uint8_t hdr;				 /* the header whose fields are being built */
	unsigned csum_from; /* compute-checksum-from-offset; UINT32_MAX: no-checksum */
	bool csum_found;    /* a header that has a checksum begins there */
};

#define HDR_DECLARE(name_, word_) extern const struct hdr_type hdr_##name_;
HDR_LIST(HDR_DECLARE)
#undef HDR_DECLARE

/* All types, in the order of HDR_LIST; ends with NULL. */
extern const struct hdr_type *const hdr_types[];

/* Places the headers of tmpl; their number, or -EINVAL. */
int hdr_place_stack(
	const struct opt_set *tmpl, struct hdr_place place[PKT_MAX_HEADERS], struct err *err);

/* Flags of field options: an item a header, which may vary or not. */
#define HDR_VARY  .flags = OPT_LIST | OPT_VARY, .max_items = PKT_MAX_HEADERS
#define HDR_ITEMS .flags = OPT_LIST, .max_items = PKT_MAX_HEADERS

/* Where field `field` of a header is, in bits from the header's first; -1: nowhere. */
int hdr_field_bit(const struct hdr_build *b, unsigned i, unsigned field);
/* Whether an IP header is before header i. */
bool hdr_is_inner(const struct hdr_build *b, unsigned i);
/* Field `field` of header i as the user gave it or by default; false: neither. */
bool hdr_field_val(const struct hdr_build *b, unsigned i, unsigned field, struct opt_val *out);

/*
 * Values of checksum and length fields that are words: outside of every field, so that they are told
 * from numbers, and with low bits of 0, which is what such a field holds until finish fills it.
 */
#define HDR_GOOD (UINT64_C(1) << 40)
#define HDR_BAD	 (UINT64_C(2) << 40)
extern const struct opt_word hdr_good_bad[]; /* good, compute (RouterOS), bad */

/* What a length field gets: good, one more for bad, or nothing when the user gave a number. */
void hdr_length(struct hdr_build *b, unsigned i, unsigned field, unsigned off, unsigned bytes,
	uint32_t good);

struct hdr_csum {
	unsigned off;	 /* of the checksum, in the frame */
	unsigned from;	 /* it covers the frame from here … */
	unsigned to;	 /* … to here (exclusive); 0: to the end of the frame */
	unsigned pseudo; /* and the addresses from here (0: none) … */
	unsigned pseudo_bytes;
	unsigned final;	   /* and the address from here (0: none): IPv6's last destination */
	uint32_t start;	   /* and what is in no place of the frame: protocol, length */
	bool zero_is_none; /* UDP: a computed 0 is sent as 0xffff */
};
/*
 * What an Internet checksum field gets, by what was asked (good, bad or a number), when everything
 * it covers is in place; a checksum is kept as right, or wrong, while fields vary.
 */
void hdr_checksum(struct hdr_build *b, unsigned i, unsigned field, const struct hdr_csum *csum);
/* The same for a checksum that belongs to no field and is always right. */
void hdr_checksum_good(struct hdr_build *b, const struct hdr_csum *csum);
/*
 * The pseudo-header of the nearest IP header before header i: its addresses in csum.pseudo, protocol
 * and length (bytes) added to csum.start. False when there is none.
 */
bool hdr_pseudo(const struct hdr_build *b, unsigned i, uint8_t proto, uint32_t length,
	struct hdr_csum *csum);
/* Header i is the innermost that receivers know by this protocol number: notes it once. */
void hdr_is_l4(struct hdr_build *b, unsigned i, uint8_t proto, bool verifiable);
/* Header i is an IP header of this version. Called from the innermost to the outermost. */
void hdr_is_ip(struct hdr_build *b, unsigned i, uint8_t version);

/* The field was given the word good, or has it by default. */
bool hdr_is_good(const struct hdr_build *b, unsigned i, unsigned field);
/* Bytes of an OPT_HEX field that is not part of a fixed layout: 0 when not given. */
unsigned hdr_hex_bytes(const struct opt_set *tmpl, const struct opt *opt, unsigned nth);
/* Writes them. */
void hdr_hex_put(const struct opt_set *tmpl, const struct opt *opt, unsigned nth, uint8_t *out);

/* IPv6's headers of options (hop-by-hop, destination): bytes of one, and all but its next header. */
int hdr_options_bytes(
	const struct opt_set *tmpl, const struct opt *opt, unsigned nth, struct err *err);
void hdr_options_put(struct hdr_build *b, unsigned i, const struct opt *opt);

/* Words that several headers share. */
extern const struct opt_word hdr_ethertypes[], hdr_ip_protocols[], hdr_ppp_protocols[];
extern const struct opt_word hdr_dscps[], hdr_ecns[];
#define HDR_ETHERTYPE_NONE 0x88b5u /* IEEE 802: local experimental 1; nobody takes such frames */

/* Adds a varying field to a frame; -ENOSPC (PKT_MAX_MODS) or -ENOMEM. */
int pkt_mod_add(struct pkt_frame *frame, const struct pkt_mod *mod);
/* Finds the word of a field that begins bit_off bits into the frame: off, bytes, shift, field. */
void pkt_mod_place(
	struct pkt_mod *mod, const struct pkt_frame *frame, unsigned bit_off, unsigned bits);

/*
 * Mends the checksums of a frame after what they cover has changed by delta[k], sums as the bytes lie
 * in the frame; those that cover another's place follow it.
 */
void pkt_csums_mend(const struct pkt_frame *frame, uint8_t *data, uint32_t *delta);

/* sizes.c: patches of a frame from its header bytes at each of its sizes; -ENOSPC, -ENOMEM. */
int pkt_patches_find(struct pkt_frame *frame, const uint8_t *hdrs);
/* Whether byte i of the header is not the same at every size. */
bool pkt_patches_at(const struct pkt_frame *frame, const uint8_t *hdrs, unsigned i);

/*
 * Sum of the payload of a frame of frame->size bytes, the signature's place counting as zeros; the
 * frame's even bytes are the high ones.
 */
uint32_t payload_sum(const struct pkt_frame *frame);
/*
 * Whether data holds the bytes from hdr_bytes to end (exclusive) of frame number n of the stream.
 * whole: a frame that the payload was filled in.
 */
bool payload_matches(const struct pkt_frame *frame, uint64_t n, const uint8_t *whole,
	const uint8_t *data, unsigned end);
/* A byte of the payload; 0 in the signature's place. */
uint8_t payload_byte(const struct pkt_frame *frame, unsigned off);
