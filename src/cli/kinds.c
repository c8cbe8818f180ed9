/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include <string.h>

#include "tgen/engine.h"
#include "tgen/pkt.h"
#include "tgen/units.h"

#define MAC_ALL	      UINT64_C(0xffffffffffff) /* mask of a plain address */
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
	if (val.mask != MAC_ALL)
		return opt_error(
			err, port, opt, "a port has one MAC address, not a set under a mask");
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

static int check_addresses(const struct opt_set *port, struct err *err)
{
	const struct opt *opt = &conf_port_opts[PORT_ADDRESS];
	const struct opt_slot *slot = opt_set_get(port, opt);

	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
		const struct opt_val *val = &slot->vals[i];

		if (val->lo == 0 || val->lo >= IP4_MULTICAST)
			return opt_error(
				err, port, opt, "%s is not the address of a host", val->text);
		for (unsigned j = 0; j < i; j++)
			if (slot->vals[j].lo == val->lo)
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
	{.key = "packet-templates", .menu = &pkt_template_menu, .check = pkt_template_check},
	{.key = "settings", .menu = &conf_settings_menu, .single = true},
};
const unsigned cli_nb_conf_kinds = sizeof(cli_conf_kinds) / sizeof(cli_conf_kinds[0]);

const struct cli_object_kind cli_packet_template = {
	.command = "packet-template",
	.key = "packet-templates",
	.menu = &pkt_template_menu,
	.assumed = cli_assumed_packet_template,
	.named_by = {"reply-to"},
};

const struct cli_object_kind cli_port = {
	.command = "port",
	.key = "ports",
	.menu = &conf_port_menu,
	.named_by = {"port", "interface", "rx-port"},
};
