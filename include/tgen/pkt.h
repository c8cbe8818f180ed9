/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/opt.h"
#include "tgen/sig.h"
#include "tgen/units.h"

#define PKT_MIN_BYTES	60u /* smallest packet-size: the 64-byte Ethernet frame without FCS */
#define PKT_MAX_HEADERS 16u
#define PKT_HDR_MAX	512u /* bytes of all headers together */
#define PKT_MAX_MODS	32u
#define PKT_MAX_CSUMS	16u /* that varying fields can change */
#define PKT_MAX_PATCHES 32u /* 16-bit words that depend on the size */

#define PKT_ETHERTYPE_IP4     0x0800u
#define PKT_ETHERTYPE_ARP     0x0806u
#define PKT_ETHERTYPE_VLAN    0x8100u
#define PKT_ETHERTYPE_QINQ    0x88a8u
#define PKT_ETHERTYPE_IP6     0x86ddu
#define PKT_IP_PROTO_ICMP     1u
#define PKT_IP_PROTO_TCP      6u
#define PKT_IP_PROTO_UDP      17u
#define PKT_IP_PROTO_ICMP6    58u
#define PKT_IP_PROTO_SCTP     132u
#define PKT_ICMP_ECHO_REPLY   0u
#define PKT_ICMP_ECHO_REQUEST 8u

#define PKT_ETHERTYPE_MPLS     0x8847u
#define PKT_ETHERTYPE_MPLS_MC  0x8848u /* upstream-assigned labels, RFC 5332 */
#define PKT_ETHERTYPE_PPPOE    0x8864u
#define PKT_ICMP6_ECHO_REQUEST 128u
#define PKT_ICMP6_ECHO_REPLY   129u

/* ---- bytes in network order, at any alignment ---- */

static inline uint16_t pkt_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t pkt_get32(const uint8_t *p)
{
	return (uint32_t)pkt_get16(p) << 16 | pkt_get16(p + 2);
}

static inline void pkt_put16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static inline void pkt_put32(uint8_t *p, uint32_t value)
{
	pkt_put16(p, (uint16_t)(value >> 16));
	pkt_put16(p + 2, (uint16_t)value);
}

/* ---- the header registry: one file and one line in the table a header type ---- */

/* A field of a header and its option. The option comes first: a field table is an opt section. */
struct pkt_field {
	struct opt opt;
	uint16_t bit_off; /* from the header's first bit, network order */
	uint8_t bits;	  /* up to 128; 0: no place of its own, the header's code reads it */
};

struct pkt_hdr {
	const char *name; /* as in header-stack */
	const char *title;
	uint16_t min_bytes;
	bool is_tag;			  /* a VLAN tag: four bytes that the MTU does not count */
	const struct opt_section *fields; /* of struct pkt_field */
};

/* NULL when there is no such header type. */
const struct pkt_hdr *pkt_hdr_find(const char *name);

/* ---- templates ---- */

/*
 * Options of a packet-template that belong to no header; indexes of pkt_template_opts. Those before
 * TMPL_NB_COMMON are a raw-packet-template's as well: the very same entries serve both menus.
 */
enum pkt_template_opt {
	TMPL_NAME,
	TMPL_COMMENT,
	TMPL_PORT,	/* name of the port that sends */
	TMPL_INTERFACE, /* the same under RouterOS's other name; only one may be given */
	TMPL_RX_PORT,	/* name of the port that must receive */
	TMPL_DATA,	/* what the payload is */
	TMPL_DATA_BYTE, /* 00..FF */
	TMPL_DATA_HEX,
	TMPL_DATA_FILE,
	TMPL_DATA_SEED,
	TMPL_RANDOM_RANGES, /* list of offset:width:range */
	TMPL_RANDOM_MASKS,  /* list of offset:mask */
	TMPL_RANDOM_SEED,
	TMPL_SPECIAL_FOOTER, /* yes: frames carry the signature */
	TMPL_CSUM_FROM,	     /* offset of a header, UINT32_MAX for no-checksum */
	TMPL_NB_COMMON,
	TMPL_HEADER_STACK = TMPL_NB_COMMON, /* list of header names; not given: mac,ip,udp */
	TMPL_IP_GATEWAY,		    /* IPv4 whose ARP answer is mac-dst */
	TMPL_IPV6_GATEWAY, /* IPv6 whose answer to neighbour discovery is mac-dst */
	TMPL_REPLY_TO,	   /* name of the template whose flows this one answers */
	TMPL_NEST,	   /* list of groups of fields joined by +, or all */
	TMPL_NB_OPTS
};
extern const struct opt pkt_template_opts[TMPL_NB_OPTS];
/* The section above and a section for every header type. */
extern const struct opt_menu pkt_template_menu;

/*
 * The menu of raw-packet-template: the options before TMPL_NB_COMMON and its header's bytes. Whatever
 * takes a packet-template takes a set of this menu as well; its header stack is one raw header.
 */
extern const struct opt_menu pkt_raw_menu;
bool pkt_is_raw(const struct opt_set *tmpl);
/* Bytes of a raw-packet-template's header: its read-only header-length. */
unsigned pkt_raw_bytes(const struct opt_set *tmpl);
/* The destination MAC it begins with, 48 bits; nobody need be asked for it. */
uint64_t pkt_raw_mac_dst(const struct opt_set *tmpl);

/* A field's option by name, `ip-dst`; asserts that it exists. */
const struct opt *pkt_template_opt(const char *name);

/*
 * The header stack of a template, outermost first; returns their number or -EINVAL (stack does not
 * begin with mac, a misplaced header).
 */
int pkt_stack(
	const struct opt_set *tmpl, const struct pkt_hdr *stack[PKT_MAX_HEADERS], struct err *err);

/*
 * What field `field` of header i of the stack is by default, as a user would write it: by its option,
 * what follows the header or what is around it. False when it has no default.
 */
bool pkt_default_text(
	const struct opt_set *tmpl, unsigned i, unsigned field, char *out, size_t size);

/* What the plan found for fields the user left open; the user's own values win. 0: nothing found. */
struct pkt_assumed {
	uint64_t mac_src, mac_dst;	 /* 48 bits */
	uint32_t ip_src;		 /* host order */
	uint64_t ip6_src_up, ip6_src_lo; /* an IPv6 address in two halves */
	uint32_t ip_dst;		 /* of a reply; 0: the user must give it */
};

enum pkt_data {
	PKT_DATA_UNINITIALIZED, /* zeros: known, so that checksums can be right */
	PKT_DATA_SPECIFIC,	/* data-byte */
	PKT_DATA_INCREMENTING,	/* 00 01 02 … from the first payload byte */
	PKT_DATA_RANDOM,	/* from data-seed; the same in every frame of the template */
	PKT_DATA_PATTERN,	/* bytes of data-hex or data-file, again and again */
};

/* How the values of a varying field follow each other. */
enum pkt_mod_kind {
	PKT_MOD_STEP,	/* lo, lo + inc, lo + 2·inc … */
	PKT_MOD_TABLE,	/* table[0], table[1] … */
	PKT_MOD_RANDOM, /* lo + one of span numbers, by seed and step */
	PKT_MOD_BITS,	/* lo, its `bits` random, by seed and step */
};

/*
 * A field that varies, within one word of the frame. A field of more than 64 bits is several of
 * them. Its step is 0 in frame 0 of the stream; it moves on after every `every` frames, and begins
 * anew after nb steps: the same frames whatever the number of queues that send them.
 */
struct pkt_mod {
	uint16_t off;	/* of the word's first byte in the frame */
	uint8_t bytes;	/* of the word: 1, 2, 4 or 8 */
	uint8_t shift;	/* of the field's last bit from the word's */
	uint8_t kind;	/* enum pkt_mod_kind */
	bool own_table; /* the frame frees it */
	uint16_t csums; /* bit k: frame.csums[k] covers it */
	uint32_t every; /* >= 1 */
	uint64_t field; /* the field's bits in the word */
	uint64_t base;	/* what the built frame holds in them, in its place */
	uint64_t lo, inc;
	uint64_t nb; /* steps of a round; 0: without end (random) */
	uint64_t span, bits, seed;
	const uint64_t *table;
};

/* Where a sender is in the values of a frame's varying fields. */
struct pkt_steps {
	struct pkt_step {
		uint64_t step; /* < mod.nb, when that is not 0 */
		uint32_t held; /* < mod.every */
	} mod[PKT_MAX_MODS];
};

/* A ones'-complement checksum that is kept right (or wrong, when so asked) while fields vary. */
struct pkt_csum {
	uint16_t off;
	uint16_t covers;   /* bit k: covers csums[k], which is mended before it */
	bool zero_is_none; /* UDP: 0 is left alone, a computed 0 is sent as 0xffff */
};

/* The packet-sizes of a stream, bytes without FCS. */
struct pkt_sizes {
	unsigned nb;	 /* different ones */
	uint16_t *bytes; /* ascending */
	unsigned period;
	uint16_t *order; /* index in bytes of the size of frame n modulo period */
	uint64_t sum;	 /* bytes of a whole period */
};

#define PKT_SIZES_PERIOD_MAX (1u << 20) /* frames of a round */

struct pkt_size_facts {
	unsigned most; /* what 0 and z are: MTU + 14 and tags; 0: not known yet, they stay 0 */
	bool with_fcs; /* frame-size: the numbers count the FCS */
	uint64_t seed; /* of the random order of a range */
};

/*
 * Sizes of an item of packet-size or frame-size; a round of them is exact in its numbers:
 *
 *	N		   that size; 0: the most
 *	N-M		   all of them, each once a round, in random order
 *	N=W+N-M=W+...	   W of the sum of weights have that size (or one of that range), spread
 *			   evenly: at every moment within one frame of its share
 *	imix ...	   a preset, FCS included (pkt_sizes_preset)
 *	genome:aaafg	   the sequence of RFC 6985, section 4, FCS included: a 64, b 128, c 256, d 512,
 *			   e 1024, f 1280, g 1518, h 2112, i 9000, j 16000, z the MTU's; run lengths:
 *			   genome:20xabcd+5xggga
 *
 * 0 (pkt_sizes_fini then), -ENOMEM, or -EINVAL with what is wrong, without a place: what was written,
 * or a size that no Ethernet frame has. Whether a template fits is not judged.
 */
int pkt_sizes_parse(const char *item, const struct pkt_size_facts *facts, struct pkt_sizes *out,
	struct err *err);
void pkt_sizes_fini(struct pkt_sizes *sizes);
/* The i-th preset's name; what it stands for in *mix. NULL beyond the last. */
const char *pkt_sizes_preset(unsigned i, const char **mix);

/* A frame ready to send: header bytes, how the rest is filled, what changes from frame to frame. */
struct pkt_frame {
	uint8_t hdr[PKT_HDR_MAX];
	uint16_t hdr_bytes;
	uint16_t size;	  /* packet-size: bytes without FCS; the largest of several */
	uint16_t sig_off; /* of the signature at that size; 0: none (special-footer=no) */
	uint16_t l3_off;  /* of the outermost IP header; 0: none */
	uint16_t in_off;  /* of the innermost IP header; 0: none */
	uint16_t l4_off;  /* of the innermost transport header; 0: none */
	uint16_t
		crc_off; /* of an SCTP checksum that every frame gets when it is stamped; 0: none */
	uint8_t l3_version, in_version; /* 4 or 6 */
	uint8_t l4_proto;		/* number of that protocol */
	uint16_t crc_csums;		/* bit k: csums[k] covers it */
	bool l4_right;			/* its checksum is one a receiver can verify */
	bool crc_bad;			/* the SCTP checksum is to be wrong */
	uint8_t nb_tags;		/* VLAN tags */
	enum pkt_data data;
	uint8_t data_byte;
	uint8_t *pattern; /* PKT_DATA_PATTERN */
	uint32_t pattern_bytes;
	uint64_t data_seed;
	uint8_t nb_mods, nb_csums;
	struct pkt_mod *mods;
	struct pkt_csum csums[PKT_MAX_CSUMS];
	/* With several sizes: the words of the header that differ, and each size's values of them. */
	const struct pkt_sizes *sizes; /* the caller's; NULL: one size */
	uint8_t nb_patches;
	uint16_t patch_off[PKT_MAX_PATCHES];
	uint16_t *patches; /* sizes.nb times nb_patches */
	/* pkt_frame_refresh makes them of all the above */
	struct pkt_fast *fast; /* how fields and checksums are written; NULL: pkt_mods_apply does */
	uint8_t *
		images; /* image_bytes each, the first 64-byte aligned; NULL: one size, or too many */
	uint32_t image_bytes;
};

/*
 * What can be said of a template before it is whole: -EINVAL for a wrong stack, a mask, a gateway
 * that is not one address, a data-byte that is not one byte.
 */
int pkt_template_check(const struct opt_set *tmpl, struct err *err);

/*
 * Smallest packet-size: headers and (unless special-footer=no) signature, at least PKT_MIN_BYTES
 * (+4 a tag). -EINVAL when the stack is wrong.
 */
int pkt_min_size(const struct opt_set *tmpl, struct err *err);

/* Whether its frames end with the signature: special-footer, and no header that forbids it (arp). */
bool pkt_is_signed(const struct opt_set *tmpl);

/*
 * Builds the frame of a template for one packet-size (bytes without FCS). Lengths, next-protocol
 * fields and checksums are right; values the user gave for them win. The IP payload ends with the
 * frame. Checksums count the signature as zero: right for every signature.
 * Item n of a field's list goes to the n-th header of its type; one item serves all of them.
 * The frame holds memory afterwards (pkt_frame_fini); after an error it is empty.
 * -EINVAL: size too small (names the minimum) or over 65535, an address neither given nor assumed
 * (ip-dst: not given), values for headers that the stack does not have, a wrong stack. -ENOMEM.
 */
int pkt_build(const struct opt_set *tmpl, const struct pkt_assumed *assumed, unsigned size,
	struct pkt_frame *out, struct err *err);
/* The same for several sizes, which must outlive the frame. */
int pkt_build_sizes(const struct opt_set *tmpl, const struct pkt_assumed *assumed,
	const struct pkt_sizes *sizes, struct pkt_frame *out, struct err *err);
/*
 * Makes anew what senders use of a frame: images and the fast forms of its fields. Building does it;
 * whoever changes hdr, mods or csums afterwards must. 0 or -ENOMEM (they are right then, if slow).
 */
int pkt_frame_refresh(struct pkt_frame *frame);
/* Frees what a frame holds; an empty (zeroed) one holds nothing. */
void pkt_frame_fini(struct pkt_frame *frame);

/* Which of its sizes frame n of the stream has: index of frame.sizes, 0 when there is one size. */
static inline unsigned pkt_size_index(const struct pkt_frame *frame, uint64_t n)
{
	return frame->sizes == NULL ? 0 : frame->sizes->order[n % frame->sizes->period];
}

static inline unsigned pkt_size_bytes(const struct pkt_frame *frame, unsigned index)
{
	return frame->sizes == NULL ? frame->size : frame->sizes->bytes[index];
}

#define PKT_IMAGE_LINE	     64u
#define PKT_IMAGES_BYTES_MAX 16384u /* of a frame: more would push the rest out of a core's cache */

/*
 * The header bytes at one of the sizes, followed by payload up to the end of their last 64-byte
 * line: frame->image_bytes of them, 64-byte aligned. Zeros lie in the signature's place and beyond a
 * frame that ends before. NULL when there is one size, or too many: pkt_size_apply serves them.
 */
static inline const uint8_t *pkt_size_image(const struct pkt_frame *frame, unsigned index)
{
	return frame->images == NULL ? NULL : frame->images + (size_t)index * frame->image_bytes;
}

/* Gives a frame that holds the template's header bytes the words of one of its sizes. */
void pkt_size_apply(const struct pkt_frame *frame, unsigned index, uint8_t *data);

/*
 * Writes the payload pattern into buf[hdr_bytes .. size), size the largest. The signature's place
 * there holds zeros when there is one size; with several it holds the pattern, as a shorter frame's
 * signature lies elsewhere.
 */
void pkt_payload_fill(const struct pkt_frame *frame, uint8_t *buf);
/* True when two frames need the same payload bytes at the same offsets: they can share a pool. */
bool pkt_payload_same(const struct pkt_frame *a, const struct pkt_frame *b);
/*
 * Frame number n of a template as it goes out, whole: header, varying fields, payload, signature
 * (sig NULL or sig_off 0: none), SCTP checksum. out has room for frame->size bytes; returns the
 * bytes of this frame.
 */
unsigned pkt_render(const struct pkt_frame *frame, uint64_t n, const struct sig *sig, uint8_t *out);
/*
 * With crc_off: writes the checksum that covers the signature, too, and mends the checksums around
 * it. size: of this frame, which holds what pkt_mods_apply left.
 */
void pkt_seal(const struct pkt_frame *frame, unsigned size, uint8_t *data);

/* Steps at frame n of the stream. */
void pkt_steps_init(struct pkt_steps *steps, const struct pkt_frame *frame, uint64_t n);
/* Goes on by so many frames. */
static inline void pkt_steps_advance(
	struct pkt_steps *steps, const struct pkt_frame *frame, uint32_t by)
{
	for (unsigned i = 0; i < frame->nb_mods; i++) {
		const struct pkt_mod *mod = &frame->mods[i];
		struct pkt_step *s = &steps->mod[i];

		for (s->held += by; s->held >= mod->every; s->held -= mod->every)
			if (++s->step == mod->nb)
				s->step = 0;
	}
}
/*
 * Sets the varying fields of a frame that holds the template's bytes (patched to its size) to their
 * values, and mends the checksums that cover them (RFC 1624).
 */
void pkt_mods_apply(const struct pkt_frame *frame, const struct pkt_steps *steps, uint8_t *data);

/*
 * Makes a built frame (with UDP) the answer to nb flows: frame n goes to ips[n % nb]:ports[n % nb]
 * (host order; the arrays stay the caller's), from src_port unless that is above 65535. False when
 * the frame has no IPv4 and UDP header or varies in too many fields already, or without memory.
 */
bool pkt_reply(struct pkt_frame *frame, const uint64_t *ips, const uint64_t *ports, uint32_t nb,
	uint32_t src_port);
/* After how many frames all varying fields together begin anew; 1: none vary. At most UINT32_MAX. */
uint32_t pkt_period(const struct pkt_frame *frame);

/*
 * What a router with an egress MTU of mtu bytes (68 at least) makes of the frame: the number of
 * fragments, 1 when it fits or has no IPv4; *last: bytes of IP payload in the last one. The signature
 * is whole only when the last has SIG_BYTES of them.
 */
unsigned pkt_fragments(const struct pkt_frame *frame, unsigned mtu, unsigned *last);

/* ---- checksums ---- */

/*
 * Ones'-complement sum of bytes, not complemented, to be folded with sig_fold. start: the sum of an
 * even number of bytes before these. An odd last byte counts as if a zero followed.
 */
uint32_t pkt_csum_add(const void *data, unsigned bytes, uint32_t start);
/* The same sum modulo 65535 in the machine's byte order, not folded: below 2^48 for 64 KiB. */
uint64_t pkt_sum_words(const void *data, unsigned bytes);
/* CRC-32C; SCTP writes it least significant byte first. */
uint32_t pkt_crc32c(const uint8_t *data, unsigned bytes);
/* The same of bytes that follow those of which crc is known; 0: of none. */
uint32_t pkt_crc32c_add(uint32_t crc, const uint8_t *data, unsigned bytes);

/* ---- what came in ---- */

enum pkt_class {
	PKT_UNKNOWN,	/* nothing of ours */
	PKT_TEST,	/* signature good, checksums that cover it right */
	PKT_BAD,	/* magic and test-id ours, but the sum or a covering checksum wrong */
	PKT_FRAGMENT,	/* an IP fragment without the whole signature */
	PKT_ICMP_ERROR, /* an ICMP or ICMPv6 error; about one of our frames when quote.has_sig */
	PKT_ARP,
	PKT_ND,	  /* IPv6 neighbour discovery (RFC 4861), of any type */
	PKT_ECHO, /* an ICMP or ICMPv6 echo request or reply */
};

struct pkt_quote { /* what an ICMP error quotes */
	struct units_ip ip_src, ip_dst;
	uint16_t l4_src, l4_dst; /* 0 when there are none */
	uint8_t ip_proto;
	bool has_sig; /* the whole signature is quoted: pkt_rx.sig is it */
};

/*
 * How an ICMP error that lacks the signature quotes the frames of a template; what varies from frame
 * to frame is none or 0. ip_proto 0 and no address: it has no IP header.
 */
void pkt_quote_of(const struct pkt_frame *frame, struct pkt_quote *out);

/* All addresses and ports in host order. Of the outermost IP packet, where there is one. */
struct pkt_rx {
	enum pkt_class cls;
	struct sig sig;		 /* PKT_TEST; PKT_ICMP_ERROR with quote.has_sig */
	bool sig_good;		 /* PKT_BAD: a covering checksum is wrong, sig itself is whole */
	bool last_fragment;	 /* PKT_TEST found in the last fragment of a packet */
	uint8_t nb_tags;	 /* VLAN tags */
	uint8_t ip_proto;	 /* behind extension headers */
	uint16_t end_off;	 /* end of the IP payload; of the frame when there is none */
	uint16_t ethertype;	 /* after VLAN tags; of the IP packet behind MPLS and PPPoE */
	uint16_t l3_off;	 /* bytes before the L3 header, MPLS labels and PPPoE among them */
	uint16_t l4_off;	 /* of what follows the IP header; 0: no IP */
	uint16_t l4_src, l4_dst; /* UDP, TCP, SCTP */
	uint8_t icmp_type, icmp_code;
	struct units_ip ip_src, ip_dst; /* none when it is no IP */
	struct pkt_quote quote;		/* PKT_ICMP_ERROR; undefined otherwise */
};

/*
 * Says what a received frame is. Reads only frame[0 .. len); any bytes are safe. VLAN tags
 * (0x8100, 0x88a8, any number up to 4), MPLS labels and PPPoE sessions are passed over; the
 * signature is looked for at the end of the outermost IP payload (total or payload length), or at
 * the end of the frame when there is no IP. An ICMP or ICMPv6 error that quotes our frame is never
 * a test frame, nor is one in a tunnel (IP in IP, GRE, VXLAN, Geneve, GTP-U).
 */
void pkt_parse(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out);
/* The same without judging TCP and UDP checksums: for a caller that knows what was sent. */
void pkt_parse_headers(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out);

/*
 * Whether the innermost transport checksum (UDP, TCP, ICMP, ICMPv6, IGMP, SCTP) of a received test
 * frame is right; sent: the frame of its stream, size: the packet-size it was sent with, rx: what
 * pkt_parse_headers said of it. Found from the end, so that tags, tunnels and translated addresses
 * do not matter. A UDP checksum of 0 is none. True for a last fragment and for other frames, of
 * which nothing can be said.
 */
bool pkt_l4_right(
	const struct pkt_frame *sent, unsigned size, const uint8_t *frame, const struct pkt_rx *rx);
/*
 * Whether every payload byte is as it was sent in frame number n of the stream, with packet-size
 * `size`; whole: sent->size bytes in which pkt_payload_fill wrote the payload.
 */
bool pkt_data_right(const struct pkt_frame *sent, uint64_t n, unsigned size, const uint8_t *whole,
	const uint8_t *frame, const struct pkt_rx *rx);

/*
 * Turns a received frame round in place, as a station that sends it back: MAC addresses, IPv4 or
 * IPv6 addresses, TCP and UDP ports change sides; VLAN tags, payload and signature stay. The TTL
 * (hop limit) becomes a host's, 64, and the IPv4 checksum is mended (RFC 1624); all other checksums
 * cover the same words in another order and stay right.
 * False, and the frame is as it was: to or from a group (MAC or IP) or an address that is no
 * host's, ARP, ICMP, ICMPv6 and IGMP of any kind, IPv6 with extension headers, an IP packet that is not
 * whole, more than four tags. A later IPv4 fragment has no ports: its addresses alone are swapped.
 * Reads and writes only frame[0 .. len).
 */
bool pkt_reflect(uint8_t *frame, unsigned len);
