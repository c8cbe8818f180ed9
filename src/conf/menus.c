/* SPDX-License-Identifier: BSD-3-Clause */
#include "menus.h"

#include "tgen/conf.h"

/* clang-format off */
const struct opt_word conf_rate_layers[] = {
	{"packet", RATE_LAYER_PACKET},
	{"l1", RATE_LAYER_L1},
	{"l2", RATE_LAYER_L2},
	{"l3", RATE_LAYER_L3},
	{NULL, 0},
};

const struct opt_word conf_idle_words[] = {
	{"busy", IDLE_BUSY},
	{"pause", IDLE_PAUSE},
	{"sleep", IDLE_SLEEP},
	{NULL, 0},
};

const struct opt conf_port_opts[PORT_NB_OPTS] = {
	[PORT_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name by which templates and commands mean this port"},
	[PORT_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "free text, kept and not used"},
	[PORT_DISABLED] = {.name = "disabled", .type = OPT_BOOL, .dflt = "no",
		.help = "leave the port alone: nothing opens it"},
	[PORT_DEVICE] = {.name = "device", .type = OPT_TEXT, .flags = OPT_REQUIRED,
		.help = "what to open: auto:IFACE, af_packet:IFACE, af_xdp:IFACE, pci:ADDRESS, "
			"ring:NAME, null:, tap:IFACE, memif:ARGS, pcap:ARGS or vdev:DRIVER,ARGS"},
	[PORT_ADDRESS] = {.name = "address", .type = OPT_ADDR_IF, .flags = OPT_LIST,
		.help = "addresses of the port, for which it answers ARP, neighbour discovery and "
			"echo; A/len@VID and A/len@OUTER.INNER within VLANs"},
	[PORT_MAC] = {.name = "mac", .type = OPT_MAC,
		.help = "MAC address of the port; not given: the device's own"},
	[PORT_MTU] = {.name = "mtu", .type = OPT_UINT, .min = 68, .max = 16000, .unit = "bytes",
		.help = "largest IP packet of the port; not given: the device's own"},
	[PORT_SPEED] = {.name = "speed", .type = OPT_SPEED, .min = 1, .max = UINT64_MAX,
		.help = "speed of the link, as 100M or 1G, where the driver tells none; "
			"rates are capped to it"},
	[PORT_GATEWAY] = {.name = "gateway", .type = OPT_ADDR, .flags = OPT_LIST, .max_items = 2,
		.help = "next hop, one of IPv4 and one of IPv6, of the streams that the topology of a "
			"test makes; not given: the other port itself"},
	[PORT_FIRST_HEADER] = {.name = "first-header", .type = OPT_NAME, .flags = OPT_READONLY,
		.help = "header that its frames begin with"},
};

const struct opt conf_settings_opts[SET_NB_OPTS] = {
	[SET_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "free text, kept and not used"},
	[SET_TEST_ID] = {.name = "test-id", .type = OPT_UINT, .max = 255, .dflt = "0",
		.help = "number in every frame; frames with another one are not counted as ours"},
	[SET_MEASURE_OUT_OF_ORDER] = {.name = "measure-out-of-order", .type = OPT_BOOL,
		.dflt = "yes", .help = "count frames that were overtaken"},
	[SET_RATE_LAYER] = {.name = "rate-layer", .type = OPT_WORD, .words = conf_rate_layers,
		.dflt = "packet",
		.help = "bytes that Mbit/s count: packet-size, or those of a frame on layer 1, 2 or 3"},
	[SET_IDLE] = {.name = "idle", .type = OPT_WORD, .words = conf_idle_words,
		.dflt = "pause",
		.help = "what a worker's core does while there is nothing to do: busy: look again at "
			"once; pause: the same with the CPU's pause instruction; sleep: leave the core to "
			"others for up to 50 us, latency is that much less exact"},
	[SET_STATS_SAMPLES_TO_KEEP] = {.name = "stats-samples-to-keep", .type = OPT_UINT,
		.max = 4294967295, .dflt = "100", .unit = "intervals",
		.help = "how many of the last intervals of a run of start tgen stats can show"},
	[SET_LATENCY_DISTRIBUTION_MAX] = {.name = "latency-distribution-max", .type = OPT_TIME,
		.min = 1, .max = 60 * S,
		.help = "range of the graph of latency, the rest is its overflow row; not given: all "
			"there is"},
	[SET_RUNNING] = {.name = "running", .type = OPT_BOOL, .flags = OPT_READONLY,
		.help = "whether a run that start began goes on"},
};

const struct opt conf_check_opts[CHECK_NB_OPTS] = {
	[CHECK_MTU] = {.name = "mtu", .type = OPT_UINT, .min = 68, .max = 65535, .unit = "bytes",
		.help = "smallest MTU on the way: warns of sizes whose last fragment cannot carry the "
			"signature"},
};

const struct opt conf_start_opts[START_NB_OPTS] = {
	[START_SAMPLES_TO_KEEP] = {.name = "stats-samples-to-keep", .type = OPT_UINT,
		.max = 4294967295, .unit = "intervals",
		.help = "how many of the last intervals tgen stats can show; not given: as in settings"},
};

const struct opt conf_ping_opts[PING_NB_OPTS] = {
	[PING_PORT] = {.name = "port", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "port that asks"},
	[PING_ADDRESS] = {.name = "address", .type = OPT_ADDR, .flags = OPT_REQUIRED,
		.help = "address to ask"},
	[PING_VLAN] = {.name = "vlan", .type = OPT_UINT, .flags = OPT_LIST, .max_items = 2,
		.min = 1, .max = 4094,
		.help = "VLAN to ask in, or the outer and the inner one; not given: untagged"},
	[PING_COUNT] = {.name = "count", .type = OPT_COUNT, .min = 1, .max = UINT64_MAX,
		.dflt = "4", .unit = "requests", .help = "how often to ask"},
	[PING_INTERVAL] = {.name = "interval", .type = OPT_TIME, .min = 10 * MS, .max = 3600 * S,
		.dflt = "1s", .help = "time between two requests"},
	[PING_SIZE] = {.name = "size", .type = OPT_UINT, .min = 60, .max = 16014, .dflt = "98",
		.unit = "bytes", .help = "size of the frames without FCS"},
	[PING_TTL] = {.name = "ttl", .type = OPT_UINT, .min = 1, .max = 255, .dflt = "64",
		.help = "time to live of the requests"},
	[PING_ARP_TIMEOUT] = {.name = "arp-timeout", .type = OPT_TIME, .min = MS, .max = 60 * S,
		.dflt = "3s", .help = "how long to ask for a MAC address before giving up"},
};

const struct opt conf_reflect_opts[REFLECT_NB_OPTS] = {
	[REFLECT_PORT] = {.name = "port", .type = OPT_NAME, .flags = OPT_LIST | OPT_REQUIRED,
		.help = "ports that send back what comes in"},
	[REFLECT_DURATION] = {.name = "duration", .type = OPT_TIME, .min = MS, .max = UINT64_MAX,
		.help = "how long to reflect; not given: until stopped"},
	[REFLECT_PACKET_COUNT] = {.name = "packet-count", .type = OPT_COUNT, .min = 1,
		.max = UINT64_MAX, .dflt = "unlimited", .unit = "packets",
		.help = "packets to send back, on all ports together, before the end"},
	[REFLECT_TEST_ID] = {.name = "test-id", .type = OPT_UINT, .max = 255,
		.help = "number of the frames that only-test=yes means; not given: as in settings"},
	[REFLECT_ONLY_TEST] = {.name = "only-test", .type = OPT_BOOL, .dflt = "no",
		.help = "no: send back what is addressed to the port's own MAC; yes: send back tgen's "
			"test frames alone, whatever their MAC"},
	[REFLECT_CPU_CORE] = {.name = "cpu-core", .type = OPT_CPUS, .flags = OPT_LIST,
		.help = "CPUs that may receive and send; not given: all that the process may use but "
			"the first"},
};

const struct opt conf_selftest_opts[SELFTEST_NB_OPTS] = {
	[SELFTEST_PORT] = {.name = "port", .type = OPT_NAME, .flags = OPT_LIST, .max_items = 2,
		.help = "port whose frames a cable brings back to it, or two: the frames of the first "
			"arrive at the second; not given: a ring port of its own"},
	[SELFTEST_PACKET_SIZE] = {.name = "packet-size", .type = OPT_UINT, .flags = OPT_LIST,
		.max_items = 16, .min = 60, .max = 16014, .dflt = "60,508,1514", .unit = "bytes",
		.help = "sizes of the frames without FCS, one after the other"},
	[SELFTEST_DURATION] = {.name = "duration", .type = OPT_TIME, .min = 10 * MS,
		.max = 600 * S, .dflt = "1s", .help = "length of each trial"},
	[SELFTEST_RESOLUTION] = {.name = "resolution", .type = OPT_PERCENT, .min = 100000,
		.max = 50000000, .dflt = "2", .unit = "%",
		.help = "how exactly the highest clean rate is found"},
	[SELFTEST_MAX_RATE] = {.name = "max-rate", .type = OPT_PPS, .min = UNITS_MICROS,
		.max = UINT64_MAX - 1, .dflt = "max", .unit = "packets/s",
		.help = "highest rate to try; max: what it sends flat out"},
	[SELFTEST_CPU_CORE] = {.name = "cpu-core", .type = OPT_CPUS, .flags = OPT_LIST,
		.help = "CPUs that may send and receive; not given: all that the process may use but "
			"the first"},
};
/* clang-format on */

MENU(conf_port, "port",
	"Ports of the generator: what they open and which addresses they answer for.");
MENU(conf_settings, "settings", "Settings of the whole generator.");
MENU(conf_ping, "ping",
	"Asks an address with ICMP or ICMPv6 echo from a port, to see that it is there.");
MENU(conf_reflect, "reflect",
	"Sends frames back out of the port they came in by, addresses swapped.");
MENU(conf_selftest, "selftest",
	"Finds out, over a loop, what the generator itself can do: its highest clean rate and its "
	"latency floor.");

/* check and start take the words of quick as well. */
static const struct opt_section conf_check_section = OPT_SECTION("of check", conf_check_opts);
static const struct opt_section *const conf_check_sections[] = {
	&conf_check_section, &conf_quick_section, &conf_every_stream_section};
const struct opt_menu conf_check_menu = {.name = "check",
	.help = "Reads a configuration file, builds its frames and prints the plan of a run, "
		"without "
		"opening a port.",
	.sections = conf_check_sections,
	.nb_sections = sizeof(conf_check_sections) / sizeof(conf_check_sections[0])};

static const struct opt_section conf_start_section = OPT_SECTION("of start", conf_start_opts);
static const struct opt_section *const conf_start_sections[] = {
	&conf_start_section, &conf_quick_section, &conf_every_stream_section};
const struct opt_menu conf_start_menu = {.name = "start",
	.help = "Sends packet templates as quick does, detached from the terminal.",
	.sections = conf_start_sections,
	.nb_sections = sizeof(conf_start_sections) / sizeof(conf_start_sections[0])};
