/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include "compare.h"
#include "completion.h"
#include "console.h"
#include "devices.h"
#include "objects.h"
#include "schema.h"
#include "script_run.h"
#include "stats.h"
#include "tgen/conf.h"

#include <string.h>

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

static int run_raw_packet_template(const struct cli *cli, int argc, char **argv, struct err *err)
{
	return cli_objects(&cli_raw_packet_template, cli->config, argc, argv, err);
}

static int run_stream(const struct cli *cli, int argc, char **argv, struct err *err)
{
	return cli_objects(&cli_stream, cli->config, argc, argv, err);
}

static int run_settings(const struct cli *cli, int argc, char **argv, struct err *err)
{
	return cli_objects(&cli_settings, cli->config, argc, argv, err);
}

static int run_export(const struct cli *cli, int argc, char **argv, struct err *err)
{
	if (argc > 0)
		return err_usage(err, "export: \"%.80s\" is one word too many", argv[0]);
	return cli_objects_export(cli->config, err);
}

static int run_script(const struct cli *cli, int argc, char **argv, struct err *err)
{
	if (argc != 1)
		return err_usage(err, "script: one FILE is needed, - for standard input");
	return script_run_file(cli, strcmp(argv[0], "-") == 0 ? NULL : argv[0], err);
}

const struct cli_command cli_commands[] = {
	{"quick", "[tx-template=NAME,…] [stream=NAME,…] [mbps=N|pps=N] [word=value …]",
		"send streams or templates and show, every second, what came back",
		&conf_quick_menu, NULL, cli_quick},
	{"run",
		"FILE… [test=NAME,…] [variant=NAME,…] [dir=DIR] [--list] [--dry-run] [--resume "
		"DIR]",
		"run the tests of a file unattended: verdicts, results and a report in a directory",
		&conf_run_menu, NULL, cli_run},
	{"compare", "DIR DIR… [figure=NAME]",
		"show figures of two or more results side by side: change, and whether it is more "
		"than "
		"chance",
		NULL, NULL, cli_compare},
	{"baseline", "save FILE from=DIR | show FILE | compare FILE DIR…",
		"keep the figures of a result, for criteria of later ones to compare with", NULL,
		NULL, cli_baseline},
	{"history", "DIR… [figure=NAME]",
		"show figures over many results by their time, and where their level changed", NULL,
		NULL, cli_history},
	{"report", "DIR", "write the report and the other files of a result again", NULL, NULL,
		cli_report},
	{"start", "tx-template=NAME[,NAME…] mbps=N|pps=N [word=value …]",
		"send as quick does, detached: the run outlives the terminal and the session",
		&conf_start_menu, NULL, cli_start},
	{"stop", "", "end the run that start began, and show its totals", NULL, NULL, cli_stop},
	{"ping", "port=NAME address=A [word=value …]",
		"find a neighbour by ARP and measure ICMP echo round trips from a port",
		&conf_ping_menu, NULL, cli_ping},
	{"check", "[FILE] [word=value …]",
		"read a configuration file, build its frames and print the plan, without opening a "
		"port",
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
	{"stats", "stream|port|raw|latency-distribution [word=value …]",
		"show figures of the running or the last run, or of a result in JSON",
		&cli_stats_menu, NULL, cli_stats},
	{"packet-template", "add|set|unset|remove|comment|print|get|find|export …",
		"keep packet templates in the configuration file", NULL, &cli_packet_template,
		run_template},
	{"port", "add|set|unset|remove|comment|enable|disable|print|get|find|export …",
		"keep ports in the configuration file", NULL, &cli_port, run_port},
	{"raw-packet-template", "add|set|unset|remove|comment|print|get|find|export …",
		"keep frames given byte by byte in the configuration file", NULL,
		&cli_raw_packet_template, run_raw_packet_template},
	{"stream", "add|set|unset|remove|comment|enable|disable|print|get|find|export …",
		"keep streams in the configuration file", NULL, &cli_stream, run_stream},
	{"settings", "set|unset|print|get|export …",
		"keep what holds for every run in the configuration file", NULL, &cli_settings,
		run_settings},
	{"export", "", "print the whole configuration as a script for the console", NULL, NULL,
		run_export},
	{"script", "FILE",
		"run a file of the console's commands; without any command, what comes by standard "
		"input",
		NULL, NULL, run_script},
	{"console", "", "type RouterOS's commands, with history, completion by TAB and help by ?",
		NULL, NULL, cli_console},
	{"schema", "[results]", "print the JSON schema of the configuration file, or of results",
		NULL, NULL, cli_schema},
	{"completion", "bash|zsh", "print a script by which the shell completes tgen's words", NULL,
		NULL, cli_completion},
	{"devices", "[output=table|json]", "list what could be opened as a port here",
		&cli_devices_menu, NULL, run_devices},
	{"help", "[COMMAND|PROCEDURE|test|procedures] [format=text|markdown|man]",
		"say what commands and words there are", NULL, NULL, cli_help},
};
const unsigned cli_nb_commands = sizeof(cli_commands) / sizeof(cli_commands[0]);
