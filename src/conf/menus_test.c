/* SPDX-License-Identifier: BSD-3-Clause */
#include "menus.h"

#include "tgen/conf.h"

/* clang-format off */
static const struct opt_word topology_words[] = {
	{"as-given", TOPOLOGY_GIVEN},
	{"pair", TOPOLOGY_PAIR},
	{"bidirectional", TOPOLOGY_BIDIRECTIONAL},
	{"full-mesh", TOPOLOGY_FULL_MESH},
	{"one-to-many", TOPOLOGY_ONE_TO_MANY},
	{"many-to-one", TOPOLOGY_MANY_TO_ONE},
	{"backbone", TOPOLOGY_BACKBONE},
	{"learning", TOPOLOGY_LEARNING},
	{"congestion", TOPOLOGY_CONGESTION},
	{"broadcast", TOPOLOGY_BROADCAST},
	{NULL, 0},
};

static const struct opt_word scope_words[] = {
	{"run", SETUP_PER_RUN},
	{"test", SETUP_PER_TEST},
	{"trial", SETUP_PER_TRIAL},
	{NULL, 0},
};

/* What they hold is a matter of pkt_sizes_parse. */
static const struct opt_word test_size_words[] = {
	{"imix", 0},
	{"imix-570", 0},
	{"imix-576", 0},
	{"imix-ipv6", 0},
	{"imix-tolly", 0},
	{NULL, 0},
};

const struct opt conf_test_opts[TEST_NB_OPTS] = {
	[TEST_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name by which test= and reports mean this test"},
	[TEST_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "what the test is for; stands in the report"},
	[TEST_DISABLED] = {.name = "disabled", .type = OPT_BOOL, .dflt = "no",
		.help = "leave the test out of runs that do not name it"},
	[TEST_PROCEDURE] = {.name = "procedure", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "what is done: tgen help procedures lists them"},
	[TEST_STREAM] = {.name = "stream", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "streams that are sent"},
	[TEST_TX_TEMPLATE] = {.name = "tx-template", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "packet templates that are sent; neither stream nor tx-template nor topology: "
			"all streams that are not disabled"},
	[TEST_TOPOLOGY] = {.name = "topology", .type = OPT_WORD, .words = topology_words,
		.dflt = "as-given",
		.help = "as-given: the streams or templates named; else streams are made of template "
			"between the ports: pair 1>2 3>4, bidirectional the same both ways, full-mesh, "
			"one-to-many, many-to-one, backbone the first half to the second and back; "
			"learning, congestion and broadcast are those of RFC 2889"},
	[TEST_TEMPLATE] = {.name = "template", .type = OPT_NAME,
		.help = "packet template of a topology's streams: its ports, addresses and next hops "
			"are filled in from the ports; not given: a plain mac,ip,udp one as RFC 2544 "
			"has it"},
	[TEST_PORTS] = {.name = "ports", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "ports of the topology, in order; not given: all of the file"},
	[TEST_FRAME_SIZES] = {.name = "frame-sizes", .type = OPT_SIZES, .flags = OPT_LIST,
		.max = 65539, .words = test_size_words, .unit = "bytes",
		.help = "sizes to measure, with FCS, each by itself; not given: as the streams have it"},
	[TEST_PACKET_SIZES] = {.name = "packet-sizes", .type = OPT_SIZES, .flags = OPT_LIST,
		.max = 65535, .words = test_size_words, .unit = "bytes",
		.help = "the same without FCS; only one of the two may be given"},
	[TEST_REPEATS] = {.name = "repeats", .type = OPT_UINT, .min = 1, .max = 1000, .dflt = "1",
		.help = "how often each size is measured; the report has mean, deviation, least and most"},
	[TEST_PASS_IF] = {.name = "pass-if", .type = OPT_TEXT, .dflt = "all",
		.help = "how many repeats must meet the criteria: all, or N-of-M as 2-of-3"},
	[TEST_EXPECT] = {.name = "expect", .type = OPT_TEXT, .flags = OPT_LIST | OPT_WHOLE,
		.help = "criteria, all of which must hold: throughput >= 95% of baseline, "
			"lost-ratio <= 0.1%, group voice latency-p99 < 2ms …"},
	[TEST_BASELINE] = {.name = "baseline", .type = OPT_TEXT,
		.help = "file of tgen baseline save, from the directory of the configuration; criteria "
			"compare with it"},
	[TEST_DUT] = {.name = "dut", .type = OPT_NAME,
		.help = "device under test whose variants are measured; not given: the only one of the "
			"file, if there is one"},
	[TEST_VARIANTS] = {.name = "variants", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "variants of the device, in order, the first is what others are compared with; "
			"not given: all"},
	[TEST_SETUP_SCOPE] = {.name = "setup-scope", .type = OPT_WORD, .words = scope_words,
		.dflt = "test",
		.help = "a variant is set up and torn down once a run, a test, or a trial"},
	[TEST_EVENT] = {.name = "event", .type = OPT_ARGV, .flags = OPT_LIST | OPT_WHOLE,
		.help = "commands that break the path or reset the device during a trial"},
	[TEST_EVENT_AFTER] = {.name = "event-after", .type = OPT_TIME, .min = MS,
		.max = 86400 * S, .dflt = "5s", .help = "when event runs, after the first frame"},
	[TEST_MEND] = {.name = "mend", .type = OPT_ARGV, .flags = OPT_LIST | OPT_WHOLE,
		.help = "commands that mend what event broke"},
	[TEST_MEND_AFTER] = {.name = "mend-after", .type = OPT_TIME, .min = MS, .max = 86400 * S,
		.dflt = "10s", .help = "when mend runs, after the first frame"},
	[TEST_WARM_UP] = {.name = "warm-up", .type = OPT_TIME, .max = 3600 * S, .dflt = "1s",
		.help = "length of a trial before the first of each size, which does not count; 0: none"},
	[TEST_SETTLE] = {.name = "settle", .type = OPT_TIME, .max = 3600 * S, .dflt = "2s",
		.help = "time between each trial and what goes before it: ARP, and the announcements by which switches learn the ports (RFC 2544 §23)"},
	[TEST_PAUSE] = {.name = "pause", .type = OPT_TIME, .max = 3600 * S, .dflt = "5s",
		.help = "time after each trial, for the device to recover (RFC 2544 §23)"},
	[TEST_MAX_INVALID] = {.name = "max-invalid", .type = OPT_UINT, .max = 100, .dflt = "3",
		.help = "how often a trial is repeated in which the generator was not clean"},
	[TEST_MAX_DURATION] = {.name = "max-duration", .type = OPT_TIME, .min = S,
		.max = 30 * 86400 * S,
		.help = "end of the test, whatever is not finished by then is an error; not given: none"},
};

const struct opt conf_dut_opts[DUT_NB_OPTS] = {
	[DUT_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name by which tests and reports mean the device"},
	[DUT_COMMENT] = {.name = "comment", .type = OPT_TEXT, .help = "stands in the report"},
	[DUT_MODEL] = {.name = "model", .type = OPT_TEXT, .help = "stands in the report"},
	[DUT_SERIAL] = {.name = "serial", .type = OPT_TEXT, .help = "stands in the report"},
	[DUT_FIRMWARE] = {.name = "firmware", .type = OPT_TEXT,
		.help = "version of its software; stands in the report"},
	[DUT_CONFIGURATION] = {.name = "configuration", .type = OPT_TEXT,
		.help = "file with its configuration: the SHA-256 of it stands in the report"},
};

const struct opt conf_variant_opts[VARIANT_NB_OPTS] = {
	[VARIANT_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name of this way to set the device up, as plain, firewall or nat"},
	[VARIANT_COMMENT] = {.name = "comment", .type = OPT_TEXT, .help = "stands in the report"},
	[VARIANT_SETUP] = {.name = "setup", .type = OPT_ARGV, .flags = OPT_LIST | OPT_WHOLE,
		.help = "commands before its tests, each a string or a list of words"},
	[VARIANT_TEARDOWN] = {.name = "teardown", .type = OPT_ARGV, .flags = OPT_LIST | OPT_WHOLE,
		.help = "commands after its tests, also when they failed"},
	[VARIANT_PROBE] = {.name = "probe", .type = OPT_ARGV, .flags = OPT_LIST | OPT_WHOLE,
		.help = "commands that run each second of a trial and print key=value or JSON lines: "
			"their numbers become series in the results"},
	[VARIANT_SHELL] = {.name = "shell", .type = OPT_BOOL, .dflt = "no",
		.help = "yes: the commands are lines for sh; no: a program and its words"},
	[VARIANT_TIME_LIMIT] = {.name = "time-limit", .type = OPT_TIME, .min = MS,
		.max = 86400 * S, .dflt = "60s", .help = "how long each command may take"},
	[VARIANT_WAIT_READY_PING] = {.name = "wait-ready-ping", .type = OPT_TEXT,
		.flags = OPT_LIST,
		.help = "PORT=ADDRESS pairs that must answer ARP and echo after setup"},
	[VARIANT_WAIT_READY] = {.name = "wait-ready", .type = OPT_ARGV,
		.help = "command that is repeated after setup until it succeeds"},
	[VARIANT_READY_TIME_LIMIT] = {.name = "ready-time-limit", .type = OPT_TIME, .min = MS,
		.max = 86400 * S, .dflt = "120s",
		.help = "how long to wait for the device after setup"},
};

const struct opt conf_meta_opts[META_NB_OPTS] = {
	[META_CUSTOMER] = {.name = "customer", .type = OPT_TEXT, .help = "stands in the report"},
	[META_SITE] = {.name = "site", .type = OPT_TEXT, .help = "stands in the report"},
	[META_OPERATOR] = {.name = "operator", .type = OPT_TEXT, .help = "who measured"},
	[META_PROJECT] = {.name = "project", .type = OPT_TEXT, .help = "stands in the report"},
	[META_TITLE] = {.name = "title", .type = OPT_TEXT, .help = "title of the report"},
	[META_COMMENT] = {.name = "comment", .type = OPT_TEXT, .help = "stands in the report"},
};

const struct opt conf_run_opts[RUN_NB_OPTS] = {
	[RUN_TEST] = {.name = "test", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "tests to run; not given: all that are not disabled"},
	[RUN_VARIANT] = {.name = "variant", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "variants of the device to measure; not given: those of each test"},
	[RUN_DIR] = {.name = "dir", .type = OPT_TEXT,
		.help = "directory for the results; not given: a new one, named by file and time, "
			"below tgen-results"},
};
/* clang-format on */

const struct opt_section conf_test_section = OPT_SECTION("of every test", conf_test_opts);
/* Parts of the table of quick that lie together. */
#define QUICK_PART(title_, first, last)                                                            \
	{                                                                                          \
		.title = (title_), .base = &conf_quick_opts[first],                                \
		.stride = sizeof(conf_quick_opts[0]), .nb = (last) - (first) + 1                   \
	}
const struct opt_section conf_test_run_section =
	QUICK_PART("of the trials", QUICK_TEST_ID, QUICK_IDLE);
const struct opt_section conf_test_receive_section =
	QUICK_PART("of receiving", QUICK_GRACE, QUICK_LATENCY_INTENDED);
const struct opt_section conf_test_health_section =
	QUICK_PART("of the generator's health", QUICK_MAX_UNSENT, QUICK_MAX_STEAL);
const struct opt_section conf_test_streams_section =
	OPT_SECTION("of its streams", conf_stream_opts);

MENU(conf_dut, "dut", "Devices under test, and the variants in which they are measured.");
MENU(conf_variant, "variant", "A way to set a device up.");
MENU(conf_meta, "meta", "What a report says about the circumstances.");
MENU(conf_run, "run",
	"Runs the tests of a file unattended and leaves verdicts, results and a report.");
