/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

#include <assert.h>

/* A word a header type, its value the index in hdr_types. */
#define HDR_INDEX(name_) HDR_INDEX_##name_,
enum hdr_index { HDR_LIST(HDR_INDEX) HDR_NB };
#define HDR_WORD(name_) {#name_, HDR_INDEX_##name_},
static const struct opt_word stack_words[] = {HDR_LIST(HDR_WORD){NULL, 0}};

static const struct opt_word data_words[] = {
	{"uninitialized", PKT_DATA_UNINITIALIZED},
	{"specific-byte", PKT_DATA_SPECIFIC},
	{"incrementing", PKT_DATA_INCREMENTING},
	{NULL, 0},
};

/* clang-format off */
const struct opt pkt_template_opts[TMPL_NB_OPTS] = {
	[TMPL_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name of the template"},
	[TMPL_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "free text"},
	[TMPL_HEADER_STACK] = {.name = "header-stack", .type = OPT_WORD, .flags = OPT_LIST,
		.max_items = PKT_MAX_HEADERS, .words = stack_words, .dflt = "mac,ip,udp",
		.help = "headers of the frame, outermost first"},
	[TMPL_PORT] = {.name = "port", .type = OPT_NAME,
		.help = "port that sends; when not given, found from the addresses"},
	[TMPL_INTERFACE] = {.name = "interface", .type = OPT_NAME,
		.help = "another word for port; give only one of them"},
	[TMPL_RX_PORT] = {.name = "rx-port", .type = OPT_NAME,
		.help = "port that must receive; when not given, found from ip-dst or the first frames"},
	[TMPL_IP_GATEWAY] = {.name = "ip-gateway", .type = OPT_IP4,
		.help = "router whose ARP answer is mac-dst"},
	[TMPL_REPLY_TO] = {.name = "reply-to", .type = OPT_NAME,
		.help = "template of the same run whose flows this one answers: destination addresses "
			"and ports are learned, flow by flow, from what arrives before the run (NAT)"},
	[TMPL_DATA] = {.name = "data", .type = OPT_WORD, .words = data_words,
		.dflt = "uninitialized",
		.help = "payload: zeros, data-byte, or 00 01 02 and so on"},
	[TMPL_DATA_BYTE] = {.name = "data-byte", .type = OPT_HEX, .dflt = "00",
		.help = "payload byte of data=specific-byte, 00..FF"},
	[TMPL_SPECIAL_FOOTER] = {.name = "special-footer", .type = OPT_BOOL, .dflt = "yes",
		.help = "frames end with the signature; without it they are counted by the sender only"},
};
/* clang-format on */

static const struct opt_section template_section = OPT_SECTION("template", pkt_template_opts);

#define HDR_SECTION(name_) &hdr_##name_.section,
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
