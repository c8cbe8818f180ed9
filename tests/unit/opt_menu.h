/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The menu that the tests of options share. */

#include "tgen/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NB(array) (sizeof(array) / sizeof((array)[0]))

#define TEST_SECOND UINT64_C(1000000000)
#define NO_POS	    ((struct opt_pos){0})
#define IN_FILE	    ((struct opt_pos){14, 23})

static const struct opt_word protocols[] = {{"arp", 0x0806}, {"ip", 0x0800}, {"vlan", 0x8100}, {0}};
static const struct opt_word stack_words[] = {{"mac", 1}, {"ip", 2}, {"udp", 3}, {0}};
static const struct opt_word patterns[] = {{"random", 1}, {"incrementing", 2}, {0}};

/* An entry as menus have it: the option first, more behind it. */
struct entry {
	struct opt opt;
	int more;
};

enum { A_BOOL, A_UINT, A_SIZE, A_COUNT, A_PPS, A_MBPS, A_SPEED, A_TIME, A_WORD, A_NAME, A_TEXT };
enum {
	B_HEX,
	B_MAC,
	B_IP,
	B_ADDRESS,
	B_CPUS,
	B_PROTOCOL,
	B_STACK,
	B_TAGS,
	B_RUNNING,
	B_PORTS,
	B_IP6,
	B_ANY,
	B_IF
};

/* clang-format off */
static const struct entry table_a[] = {
	[A_BOOL] = {{.name = "disabled", .type = OPT_BOOL, .dflt = "no"}, 0},
	[A_UINT] = {{.name = "ip-ttl", .type = OPT_UINT, .max = 255, .dflt = "64"}, 0},
	[A_SIZE] = {{.name = "packet-size", .type = OPT_URANGE, .flags = OPT_LIST, .max_items = 4,
		.min = 60, .max = 65535}, 0},
	[A_COUNT] = {{.name = "packet-count", .type = OPT_COUNT, .dflt = "unlimited"}, 0},
	[A_PPS] = {{.name = "pps", .type = OPT_PPS, .flags = OPT_LIST}, 0},
	[A_MBPS] = {{.name = "mbps", .type = OPT_MBPS, .flags = OPT_LIST, .max = 400000000000,
		.unit = "Mbit/s"}, 0},
	[A_SPEED] = {{.name = "speed", .type = OPT_SPEED, .min = 1000000, .max = 400000000000}, 0},
	[A_TIME] = {{.name = "freeze-frame-interval", .type = OPT_TIME, .min = 20000000,
		.max = 30 * TEST_SECOND, .dflt = "1s"}, 0},
	[A_WORD] = {{.name = "data", .type = OPT_WORD, .words = patterns, .dflt = "random"}, 0},
	[A_NAME] = {{.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED}, 0},
	[A_TEXT] = {{.name = "comment", .type = OPT_TEXT, .dflt = ""}, 0},
};

static const struct opt table_b[] = {
	[B_HEX] = {.name = "raw-header", .type = OPT_HEX},
	[B_MAC] = {.name = "mac-src", .type = OPT_MAC},
	[B_IP] = {.name = "ip-dst", .type = OPT_IP4, .flags = OPT_LIST},
	[B_ADDRESS] = {.name = "address", .type = OPT_IP4_IF},
	[B_CPUS] = {.name = "cpu-core", .type = OPT_CPUS, .flags = OPT_LIST},
	[B_PROTOCOL] = {.name = "mac-protocol", .type = OPT_UINT, .max = 65535, .words = protocols},
	[B_STACK] = {.name = "header-stack",
		.type = OPT_WORD,
		.flags = OPT_LIST,
		.max_items = 3,
		.words = stack_words,
		.dflt = "mac,ip,udp"},
	[B_TAGS] = {.name = "tags", .type = OPT_TEXT, .flags = OPT_LIST, .dflt = ""},
	[B_RUNNING] = {.name = "running", .type = OPT_BOOL, .flags = OPT_READONLY},
	[B_PORTS] = {.name = "ports", .type = OPT_UINT, .flags = OPT_LIST, .dflt = "7,9"},
	[B_IP6] = {.name = "ipv6-dst", .type = OPT_IP6, .flags = OPT_LIST},
	[B_ANY] = {.name = "router", .type = OPT_ADDR},
	[B_IF] = {.name = "addresses", .type = OPT_ADDR_IF, .flags = OPT_LIST},
};
/* clang-format on */

static const struct opt_section section_a = OPT_SECTION("first", table_a);
static const struct opt_section section_b = OPT_SECTION("second", table_b);
static const struct opt_section *const sections[] = {&section_a, &section_b};
static const struct opt_menu menu = {"packet-template", "Templates", sections, 2};

static const struct opt *opt_named(const char *name)
{
	const struct opt *opt = opt_menu_find(&menu, name);

	assert_non_null(opt);
	return opt;
}

static void give(struct opt_set *set, const char *name, const char *text)
{
	struct err err = {0};

	if (opt_set_text(set, opt_named(name), text, NO_POS, &err) != 0)
		fail_msg("%s=%s: %s", name, text, err.text);
}
