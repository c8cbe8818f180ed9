/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include <string.h>

#include "tgen/engine.h"
#include "tgen/pkt.h"
#include "tgen/plan.h"
#include "tgen/run.h"
#include "tgen/units.h"

#define MAC_ALL	      UINT64_C(0xffffffffffff) /* mask of a plain address */
#define IP4_LOOPBACK  127u		       /* RFC 1122 3.2.1.3: the first byte */
#define IP4_MULTICAST 0xe0000000u	       /* and all that follow are no host's */

static int check_device(const struct opt_set *port, struct err *err)
{
	const struct opt *opt = &conf_port_opts[PORT_DEVICE];
	const char *device = opt_set_one(port, opt).text;
	char known[256];

	if (!engine_device_known(device, known, sizeof(known)))
		return opt_error(err, port, opt, "\"%.80s\" is not one of %s", device, known);
	if (strchr(device, ' ') != NULL)
		return opt_error(err, port, opt, "\"%.80s\" has a space in it", device);
	return 0;
}

static int check_mac(const struct opt_set *port, struct err *err)
{
	const struct opt *opt = &conf_port_opts[PORT_MAC];
	struct opt_val val;

	if (!opt_set_val(port, opt, 0, &val))
		return 0;
	if (val.mask != MAC_ALL || val.lo != val.hi)
		return opt_error(err, port, opt, "a port has one MAC address, not several");
	if (val.lo >> 40 & 1)
		return opt_error(err, port, opt,
			"%s is a group's address; a port needs one of its own, as "
			"02:00:00:00:00:01",
			val.text);
	if (val.lo == 0)
		return opt_error(err, port, opt,
			"all zeros are no address; leave mac out to use the device's own");
	return 0;
}

static bool is_host(const struct opt_val *val)
{
	const struct units_ip ip6 = {.up = val->up.lo, .lo = val->lo};

	if (!val->is_ip6)
		return val->lo != 0 && val->lo >> 24 != IP4_LOOPBACK && val->lo < IP4_MULTICAST;
	/* unspecified, loopback, groups, addresses that stand for IPv4's: RFC 4291 §2.5 and §2.7 */
	return (ip6.up != 0 || ip6.lo > 1) && !units_ip_is_group(ip6) && !units_ip_is4(ip6);
}

/* What an IPv4 address is instead of a host's; NULL: a host's. /31: RFC 3021. */
static const char *subnet_role(const struct opt_val *val)
{
	uint64_t host_bits = ~val->mask & UINT32_MAX, host = val->lo & host_bits;

	if (val->is_ip6 || host_bits <= 1)
		return NULL;
	return host == 0 ? "network" : host == host_bits ? "broadcast" : NULL;
}

/* In the same VLAN. */
static bool is_same_address(const struct opt_val *a, const struct opt_val *b)
{
	return a->is_ip6 == b->is_ip6 && a->lo == b->lo && (!a->is_ip6 || a->up.lo == b->up.lo) &&
	       a->tags[0] == b->tags[0] && a->tags[1] == b->tags[1];
}

static int check_addresses(const struct opt_set *port, struct err *err)
{
	const struct opt *opt = &conf_port_opts[PORT_ADDRESS];
	const struct opt_slot *slot = opt_set_get(port, opt);

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
		const struct opt_val *val = &slot->vals[i];

		if (!is_host(val))
			return opt_error(
				err, port, opt, "%s is not the address of a host", val->text);
		if (subnet_role(val) != NULL)
			return opt_error(err, port, opt,
				"%s is the %s address of its subnet, not that of a host", val->text,
				subnet_role(val));
		for (unsigned j = 0; j < i; j++)
			if (is_same_address(&slot->vals[j], val))
				return opt_error(err, port, opt, "%s is given twice", val->text);
	}
	return 0;
}

static int check_port(const struct opt_set *port, struct err *err)
{
	int rc = check_device(port, err);

	if (rc == 0)
		rc = check_mac(port, err);
	return rc == 0 ? check_addresses(port, err) : rc;
}

const struct conf_kind cli_conf_kinds[] = {
	{.key = "ports", .menu = &conf_port_menu, .check = check_port},
	{.key = "packet-templates",
		.menu = &pkt_template_menu,
		.check = pkt_template_check,
		.names_with = "raw-packet-templates"},
	{.key = "raw-packet-templates",
		.menu = &pkt_raw_menu,
		.check = pkt_template_check,
		.names_with = "packet-templates"},
	{.key = "streams", .menu = &conf_stream_menu, .check = plan_stream_check},
	{.key = "settings", .menu = &conf_settings_menu, .single = true},
	{.key = "duts", .menu = &conf_dut_menu},
	{.key = "variants", .menu = &conf_variant_menu, .within = "duts"},
	{.key = "tests", .menu = &run_test_menu, .check = run_test_check},
	{.key = "meta", .menu = &conf_meta_menu, .single = true},
};
const unsigned cli_nb_conf_kinds = sizeof(cli_conf_kinds) / sizeof(cli_conf_kinds[0]);

const struct cli_object_kind cli_packet_template = {
	.command = "packet-template",
	.key = "packet-templates",
	.menu = &pkt_template_menu,
	.assumed = cli_assumed_packet_template,
	.named_by = {"reply-to", "tx-template"},
};

const struct cli_object_kind cli_port = {
	.command = "port",
	.key = "ports",
	.menu = &conf_port_menu,
	.assumed = cli_assumed_port,
	.named_by = {"port", "interface", "rx-port"},
};

const struct cli_object_kind cli_stream = {
	.command = "stream",
	.key = "streams",
	.menu = &conf_stream_menu,
	.assumed = cli_assumed_stream,
	.named_by = {"after"},
};

const struct cli_object_kind cli_raw_packet_template = {
	.command = "raw-packet-template",
	.key = "raw-packet-templates",
	.menu = &pkt_raw_menu,
	.assumed = cli_assumed_raw_packet_template,
	.named_by = {"tx-template"},
};

const struct cli_object_kind cli_settings = {
	.command = "settings",
	.key = "settings",
	.menu = &conf_settings_menu,
	.single = true,
	.assumed = cli_assumed_settings,
	.named_by = {NULL},
};

const struct cli_object_kind *const cli_object_kinds[] = {
	&cli_settings,
	&cli_port,
	&cli_packet_template,
	&cli_raw_packet_template,
	&cli_stream,
};
const unsigned cli_nb_object_kinds = sizeof(cli_object_kinds) / sizeof(cli_object_kinds[0]);

const struct cli_object_kind *cli_object_kind_find(const char *command)
{
	for (unsigned i = 0; i < cli_nb_object_kinds; i++) {
		if (strcmp(cli_object_kinds[i]->command, command) == 0)
			return cli_object_kinds[i];
	}
	return NULL;
}
