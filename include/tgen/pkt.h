/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tgen/err.h"
#include "tgen/opt.h"
#include "tgen/sig.h"

#define PKT_MIN_BYTES	60u /* smallest packet-size: the 64-byte Ethernet frame without FCS */
#define PKT_MAX_HEADERS 16u
#define PKT_HDR_MAX	512u /* bytes of all headers together */
#define PKT_MAX_MODS	16u

#define PKT_ETHERTYPE_IP4     0x0800u
#define PKT_ETHERTYPE_ARP     0x0806u
#define PKT_ETHERTYPE_VLAN    0x8100u
#define PKT_ETHERTYPE_QINQ    0x88a8u
#define PKT_ETHERTYPE_IP6     0x86ddu
#define PKT_IP_PROTO_ICMP     1u
#define PKT_IP_PROTO_TCP      6u
#define PKT_IP_PROTO_UDP      17u
#define PKT_ICMP_ECHO_REPLY   0u
#define PKT_ICMP_ECHO_REQUEST 8u

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
	uint8_t bits;
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

/* Options of a packet-template that belong to no header; indexes of pkt_template_opts. */
enum pkt_template_opt {
	TMPL_NAME,
	TMPL_COMMENT,
	TMPL_HEADER_STACK,   /* list of header names; not given: mac,ip,udp */
	TMPL_PORT,	     /* name of the port that sends */
	TMPL_INTERFACE,	     /* the same under RouterOS's other name; only one may be given */
	TMPL_RX_PORT,	     /* name of the port that must receive */
	TMPL_IP_GATEWAY,     /* IPv4 whose ARP answer is mac-dst */
	TMPL_REPLY_TO,	     /* name of the template whose flows this one answers */
	TMPL_DATA,	     /* enum pkt_data */
	TMPL_DATA_BYTE,	     /* 00..FF */
	TMPL_SPECIAL_FOOTER, /* yes: frames carry the signature */
	TMPL_NB_OPTS
};
extern const struct opt pkt_template_opts[TMPL_NB_OPTS];
/* The section above and a section for every header type. */
extern const struct opt_menu pkt_template_menu;

/* A field's option by name, `ip-dst`; asserts that it exists. */
const struct opt *pkt_template_opt(const char *name);

/*
 * The header stack of a template, outermost first; returns their number or -EINVAL (stack does not
 * begin with mac, a misplaced header).
 */
int pkt_stack(
	const struct opt_set *tmpl, const struct pkt_hdr *stack[PKT_MAX_HEADERS], struct err *err);

/* What the plan found for fields the user left open; the user's own values win. 0: nothing found. */
struct pkt_assumed {
	uint64_t mac_src, mac_dst; /* 48 bits */
	uint32_t ip_src;	   /* host order */
	uint32_t ip_dst;	   /* of a reply; 0: the user must give it */
};

enum pkt_data {
	PKT_DATA_UNINITIALIZED, /* zeros: known, so that checksums can be right */
	PKT_DATA_SPECIFIC,	/* data-byte */
	PKT_DATA_INCREMENTING,	/* 00 01 02 … from the first payload byte */
};

/* A field that varies: lo, lo+1 … lo+nb-1, and again. Kept in order and complete by the sender. */
struct pkt_mod {
	uint16_t off;	       /* of the first byte in the frame */
	uint8_t bytes;	       /* 1, 2 or 4 */
	uint32_t lo;	       /* the value that the built frame holds */
	uint32_t nb;	       /* number of values, >= 2 (1 with a table) */
	const uint32_t *table; /* the values one by one instead of lo, lo+1 …; NULL: none */
	uint16_t csum_off[2];  /* checksums that cover it (IPv4's, UDP's); 0: none */
};

/* A frame ready to send: header bytes, how the rest is filled, what changes from frame to frame. */
struct pkt_frame {
	uint8_t hdr[PKT_HDR_MAX];
	uint16_t hdr_bytes;
	uint16_t size;	  /* packet-size: bytes without FCS */
	uint16_t sig_off; /* of the signature; 0: none (special-footer=no) */
	uint16_t l3_off;  /* of the outermost IPv4 header; 0: none */
	uint16_t l4_off;  /* of the innermost TCP/UDP header; 0: none */
	uint8_t nb_tags;  /* VLAN tags */
	enum pkt_data data;
	uint8_t data_byte;
	uint8_t nb_mods;
	struct pkt_mod mods[PKT_MAX_MODS];
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

/*
 * Builds the frame of a template for one packet-size (bytes without FCS). Lengths, next-protocol
 * fields and checksums are right; values the user gave for them win. The IP payload ends with the
 * frame. udp-checksum=compute counts the signature as zero: right for every signature.
 * Item n of a field's list goes to the n-th header of its type; one item serves all of them.
 * -EINVAL: size too small (names the minimum) or over 65535, a mask that is not full (random bits
 * are not there yet), an address neither given nor assumed (ip-dst: not given), values for headers
 * that the stack does not have, a wrong stack.
 */
int pkt_build(const struct opt_set *tmpl, const struct pkt_assumed *assumed, unsigned size,
	struct pkt_frame *out, struct err *err);

/* Writes the payload pattern into buf[hdr_bytes .. size). The signature's place holds zeros. */
void pkt_payload_fill(const struct pkt_frame *frame, uint8_t *buf);
/* True when two frames need the same payload bytes at the same offsets: they can share a pool. */
bool pkt_payload_same(const struct pkt_frame *a, const struct pkt_frame *b);
/*
 * Frame number n of a template as it goes out, whole: header, varying fields (each at step n modulo
 * its own nb), payload, signature (sig NULL or sig_off 0: none). out holds frame->size bytes.
 */
void pkt_render(const struct pkt_frame *frame, uint64_t n, const struct sig *sig, uint8_t *out);

/*
 * Sets a varying field of a frame that holds the template's bytes to lo + step and mends the
 * checksums that cover it (RFC 1624; a computed 0 is sent as 0xffff; csum_off[1] is UDP's, which
 * is left alone when it is 0). step < nb.
 */
void pkt_mod_apply(uint8_t *frame, const struct pkt_mod *mod, uint32_t step);

/*
 * Makes a built frame (with UDP) the answer to nb flows: frame n goes to ips[n % nb]:ports[n % nb]
 * (host order; the arrays stay the caller's), from src_port unless that is above 65535. False when
 * the frame has no IPv4 and UDP header or varies in too many fields already.
 */
bool pkt_reply(struct pkt_frame *frame, const uint32_t *ips, const uint32_t *ports, uint32_t nb,
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

/* ---- what came in ---- */

enum pkt_class {
	PKT_UNKNOWN,	/* nothing of ours */
	PKT_TEST,	/* signature good, checksums that cover it right */
	PKT_BAD,	/* magic and test-id ours, but the sum or a covering checksum wrong */
	PKT_FRAGMENT,	/* an IP fragment without the whole signature */
	PKT_ICMP_ERROR, /* an ICMP error; about one of our frames when quote.has_sig */
	PKT_ARP,
	PKT_ECHO, /* an ICMP echo request or reply */
};

struct pkt_quote { /* what an ICMP error quotes */
	uint32_t ip_src, ip_dst;
	uint16_t l4_src, l4_dst; /* 0 when there are none */
	uint8_t ip_proto;
	bool has_sig; /* the whole signature is quoted: pkt_rx.sig is it */
};

/* All addresses and ports in host order. */
struct pkt_rx {
	enum pkt_class cls;
	struct sig sig;		 /* PKT_TEST; PKT_ICMP_ERROR with quote.has_sig */
	bool sig_good;		 /* PKT_BAD: a covering checksum is wrong, sig itself is whole */
	bool last_fragment;	 /* PKT_TEST found in the last fragment of a packet */
	uint16_t end_off;	 /* end of the IP payload; of the frame when it is not IPv4 */
	uint16_t ethertype;	 /* after VLAN tags */
	uint16_t l3_off;	 /* bytes before the L3 header */
	uint32_t ip_src, ip_dst; /* 0 when not IPv4 */
	uint8_t ip_proto;
	uint16_t l4_src, l4_dst;
	uint8_t icmp_type, icmp_code;
	struct pkt_quote quote;
};

/*
 * Says what a received frame is. Reads only frame[0 .. len); any bytes are safe. VLAN tags
 * (0x8100, 0x88a8, any number up to 4) are passed over; the signature is looked for at the end of
 * the IP payload (total length), or at the end of the frame when it is not IPv4.
 */
void pkt_parse(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out);
/* The same without judging TCP and UDP checksums: for a caller that knows what was sent. */
void pkt_parse_headers(const uint8_t *frame, unsigned len, uint8_t test_id, struct pkt_rx *out);

/*
 * Whether the innermost UDP checksum of a received test frame is right; sent: the frame of its
 * stream, rx: what pkt_parse_headers said of it. Found from the end, so that tags, tunnels and
 * translated addresses do not matter. A checksum of 0 is none. True for a last fragment and for
 * frames without UDP, of which nothing can be said.
 */
bool pkt_l4_right(const struct pkt_frame *sent, const uint8_t *frame, const struct pkt_rx *rx);
/*
 * Whether every payload byte is as it was sent; whole: sent->size bytes in which pkt_payload_fill
 * wrote the payload.
 */
bool pkt_data_right(const struct pkt_frame *sent, const uint8_t *whole, const uint8_t *frame,
	const struct pkt_rx *rx);

/*
 * Turns a received frame round in place, as a station that sends it back: MAC addresses, IPv4 or
 * IPv6 addresses, TCP and UDP ports change sides; VLAN tags, payload and signature stay. The TTL
 * (hop limit) becomes a host's, 64, and the IPv4 checksum is mended (RFC 1624); all other checksums
 * cover the same words in another order and stay right.
 * False, and the frame is as it was: to or from a group (MAC or IP) or an address that is no
 * host's, ARP, ICMP and ICMPv6 of any kind, IPv6 with extension headers, an IP packet that is not
 * whole, more than four tags. A later IPv4 fragment has no ports: its addresses alone are swapped.
 * Reads and writes only frame[0 .. len).
 */
bool pkt_reflect(uint8_t *frame, unsigned len);
