/* SPDX-License-Identifier: BSD-3-Clause */
#include "objects.h"

#include "tgen/pkt.h"

const struct conf_kind cli_conf_kinds[] = {
	{.key = "ports", .menu = &conf_port_menu},
	{.key = "packet-templates", .menu = &pkt_template_menu},
	{.key = "settings", .menu = &conf_settings_menu, .single = true},
};
const unsigned cli_nb_conf_kinds = sizeof(cli_conf_kinds) / sizeof(cli_conf_kinds[0]);

const struct cli_object_kind cli_packet_template = {
	.command = "packet-template",
	.key = "packet-templates",
	.menu = &pkt_template_menu,
	.assumed = cli_assumed_packet_template,
};

const struct cli_object_kind cli_port = {
	.command = "port",
	.key = "ports",
	.menu = &conf_port_menu,
};
