/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <assert.h>

#include "vary.h"

/* A word a header type, its value the index in hdr_types. */
#define HDR_INDEX(name_, word_) HDR_INDEX_##name_,
enum hdr_index { HDR_LIST(HDR_INDEX) HDR_NB };
#define HDR_WORD(name_, word_) {word_, HDR_INDEX_##name_},
static const struct opt_word stack_words[] = {HDR_LIST(HDR_WORD){NULL, 0}};

static const struct opt_word data_words[] = {
	{"uninitialized", PKT_DATA_UNINITIALIZED},
	{"specific-byte", PKT_DATA_SPECIFIC},
	{"incrementing", PKT_DATA_INCREMENTING},
	{"random", PKT_DATA_RANDOM},
	{"hex", DATA_WORD_HEX},
	{"file", DATA_WORD_FILE},
	{NULL, 0},
};

static const struct opt_word csum_words[] = {{"no-checksum", UINT32_MAX}, {NULL, 0}};

/* clang-format off */
const struct opt pkt_template_opts[TMPL_NB_OPTS] = {
	[TMPL_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name of the template"},
	[TMPL_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "free text"},
	[TMPL_PORT] = {.name = "port", .type = OPT_NAME,
		.help = "port that sends; when not given, found from the addresses"},
	[TMPL_INTERFACE] = {.name = "interface", .type = OPT_NAME,
		.help = "another word for port; give only one of them"},
	[TMPL_RX_PORT] = {.name = "rx-port", .type = OPT_NAME,
		.help = "port that must receive; when not given, found from the destination or the "
			"first frames"},
	[TMPL_DATA] = {.name = "data", .type = OPT_WORD, .words = data_words,
		.dflt = "uninitialized",
		.help = "payload: zeros, data-byte, 00 01 02 and so on, random bytes (the same in every "
			"frame), or data-hex or data-file, again and again"},
	[TMPL_DATA_BYTE] = {.name = "data-byte", .type = OPT_HEX, .dflt = "00",
		.help = "payload byte of data=specific-byte, 00..FF"},
	[TMPL_DATA_HEX] = {.name = "data-hex", .type = OPT_HEX,
		.help = "payload of data=hex"},
	[TMPL_DATA_FILE] = {.name = "data-file", .type = OPT_TEXT,
		.help = "file with the payload of data=file, at most 64 KiB; a relative path begins at "
			"the directory of the configuration file, on a command line at the current one"},
	[TMPL_DATA_SEED] = {.name = "data-seed", .type = OPT_UINT, .dflt = "0",
		.help = "seed of data=random"},
	[TMPL_RANDOM_RANGES] = {.name = "random-ranges", .type = OPT_TEXT, .flags = OPT_LIST,
		.max_items = PKT_MAX_MODS,
		.help = "offset:width:range, as 34:16:1000-2000: a random number of 8, 16 or 32 bits "
			"at a byte of the frame, counted from the first of the destination MAC"},
	[TMPL_RANDOM_MASKS] = {.name = "random-byte-offsets-and-masks", .type = OPT_TEXT,
		.flags = OPT_LIST, .max_items = PKT_MAX_MODS,
		.help = "offset:mask, as 34:0f: the bits of the mask (hex) are random in that byte"},
	[TMPL_RANDOM_SEED] = {.name = "random-seed", .type = OPT_UINT,
		.help = "seed of both; when not given, it is made of the template's name"},
	[TMPL_SPECIAL_FOOTER] = {.name = "special-footer", .type = OPT_BOOL, .dflt = "yes",
		.help = "frames end with the signature; without it they are counted by the sender only"},
	[TMPL_CSUM_FROM] = {.name = "compute-checksum-from-offset", .type = OPT_UINT, .max = 65535,
		.words = csum_words, .dflt = "no-checksum",
		.help = "the header that begins at this byte of the frame (ip, udp, tcp, icmp, icmpv6, "
			"igmp, gre) gets a right checksum"},
	[TMPL_HEADER_STACK] = {.name = "header-stack", .type = OPT_WORD, .flags = OPT_LIST,
		.max_items = PKT_MAX_HEADERS, .words = stack_words, .dflt = "mac,ip,udp",
		.help = "headers of the frame, outermost first"},
	[TMPL_IP_GATEWAY] = {.name = "ip-gateway", .type = OPT_IP4,
		.help = "router whose ARP answer is mac-dst"},
	[TMPL_IPV6_GATEWAY] = {.name = "ipv6-gateway", .type = OPT_IP6,
		.help = "router whose answer to neighbour discovery is mac-dst"},
	[TMPL_REPLY_TO] = {.name = "reply-to", .type = OPT_NAME,
		.help = "template of the same run whose flows this one answers: destination addresses "
			"and ports are learned, flow by flow, from what arrives before the run (NAT)"},
	[TMPL_NEST] = {.name = "nest", .type = OPT_TEXT, .flags = OPT_LIST,
		.max_items = PKT_MAX_MODS,
		.help = "groups of varying fields, joined by +: ip-src+ip-dst,udp-src-port; the first "
			"group moves with each frame, the next when that has gone round; all: every "
			"field a group, outermost first; fields not named move with each frame"},
};
/* clang-format on */

static const struct opt_section template_section = OPT_SECTION("template", pkt_template_opts);

#define HDR_SECTION(name_, word_) &hdr_##name_.section,
static const struct opt_section *const sections[] = {&template_section, HDR_LIST(HDR_SECTION)};

const struct opt_menu pkt_template_menu = {
	.name = "packet-template",
	.help = "What the frames of a stream look like, header by header.",
	.sections = sections,
	.nb_sections = 1 + HDR_NB,
};

const struct opt *pkt_template_opt(const char *name)
{
	const struct opt *opt = opt_menu_find(&pkt_template_menu, name);

	assert(opt != NULL);
	return opt;
}
