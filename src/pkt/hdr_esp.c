/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* RFC 4303 §2; what follows counts as encrypted: no receiver looks into it. */
#define ESP_BYTES 8

enum { ESP_SPI, ESP_SEQ };

/* clang-format off */
static const struct pkt_field fields[] = {
	[ESP_SPI] = {
		.opt = {.name = "esp-spi", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "256",
			.help = "security parameters index; 0 to 255 are reserved"},
		.bit_off = 0, .bits = 32},
	[ESP_SEQ] = {
		.opt = {.name = "esp-seq", .type = OPT_UINT, HDR_VARY, .max = 0xffffffff,
			.dflt = "1",
			.help = "sequence number"},
		.bit_off = 32, .bits = 32},
};
/* clang-format on */

const struct hdr_type hdr_esp = {
	.hdr = {.name = "esp",
		.title = "ESP header; its payload is opaque",
		.min_bytes = ESP_BYTES,
		.fields = &hdr_esp.section},
	.section = OPT_SECTION("esp header", fields),
	.child_of = {{HDR_SPACE_IP_PROTO, 50}, {HDR_SPACE_IP6_NEXT, 50}},
};
