/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include "devices.h"
#include "objects.h"
#include "stats.h"
#include "tgen/conf.h"

static int run_devices(const struct cli *cli, int argc, char **argv, struct err *err)
{
	(void)cli;
	return cli_devices(argc, argv, err);
}

static int run_template(const struct cli *cli, int argc, char **argv, struct err *err)
{
	return cli_objects(&cli_packet_template, cli->config, argc, argv, err);
}

static int run_port(const struct cli *cli, int argc, char **argv, struct err *err)
{
	return cli_objects(&cli_port, cli->config, argc, argv, err);
}

const struct cli_command cli_commands[] = {
	{"quick", "tx-template=NAME[,NAME…] mbps=N|pps=N [word=value …]",
		"send the streams of templates and show, every second, what came back",
		&conf_quick_menu, NULL, cli_quick},
	{"ping", "port=NAME address=A [word=value …]",
		"find a neighbour by ARP and measure ICMP echo round trips from a port",
		&conf_ping_menu, NULL, cli_ping},
	{"check", "[FILE] [word=value …]",
		"read a configuration file and build its templates without opening a port",
		&conf_check_menu, NULL, cli_check},
	{"reflect", "port=NAME[,NAME…] [word=value …]",
		"send frames back out of the port they came in by, so that a far end is measured "
		"round trip",
		&conf_reflect_menu, NULL, cli_reflect},
	{"selftest", "[port=NAME[,NAME]] [word=value …]",
		"find out, over a loop, the highest clean rate and the latency floor of the "
		"generator "
		"itself, and keep them for quick to compare with",
		&conf_selftest_menu, NULL, cli_selftest},
	{"stats", "latency-distribution|stream|port [word=value …]",
		"show figures of the last run again, or of a result in JSON", &cli_stats_menu, NULL,
		cli_stats},
	{"packet-template", "add|set|unset|remove|comment|print|get|export …",
		"keep packet templates in the configuration file", NULL, &cli_packet_template,
		run_template},
	{"port", "add|set|unset|remove|comment|enable|disable|print|get|export …",
		"keep ports in the configuration file", NULL, &cli_port, run_port},
	{"devices", "[output=table|json]", "list what could be opened as a port here",
		&cli_devices_menu, NULL, run_devices},
	{"help", "[COMMAND] [format=text|markdown|man]", "say what commands and words there are",
		NULL, NULL, cli_help},
};
const unsigned cli_nb_commands = sizeof(cli_commands) / sizeof(cli_commands[0]);
