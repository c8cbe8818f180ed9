/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/conf.h"
#include "tgen/units.h"

#define MS (UNITS_NS_PER_S / 1000)
#define S  UNITS_NS_PER_S

/* clang-format off */
static const struct opt_word rate_layers[] = {
	{"packet", RATE_LAYER_PACKET},
	{"l1", RATE_LAYER_L1},
	{"l2", RATE_LAYER_L2},
	{"l3", RATE_LAYER_L3},
	{NULL, 0},
};

static const struct opt_word verify_words[] = {
	{"hardware", VERIFY_HARDWARE},
	{"software", VERIFY_SOFTWARE},
	{"no", VERIFY_NO},
	{NULL, 0},
};

/* Values of enum latency_type in result.h, which conf does not include; a test compares them. */
static const struct opt_word latency_types[] = {
	{"filo", 0},
	{"fifo", 1},
	{"lifo", 2},
	{"lilo", 3},
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
	[PORT_ADDRESS] = {.name = "address", .type = OPT_IP4_IF, .flags = OPT_LIST,
		.help = "addresses of the port, for which it answers ARP and echo"},
	[PORT_MAC] = {.name = "mac", .type = OPT_MAC,
		.help = "MAC address of the port; not given: the device's own"},
	[PORT_MTU] = {.name = "mtu", .type = OPT_UINT, .min = 68, .max = 16000, .unit = "bytes",
		.help = "largest IP packet of the port; not given: the device's own"},
	[PORT_SPEED] = {.name = "speed", .type = OPT_SPEED, .min = 1, .max = UINT64_MAX,
		.help = "speed of the link, as 100M or 1G, where the driver tells none; "
			"rates are capped to it"},
};

const struct opt conf_settings_opts[SET_NB_OPTS] = {
	[SET_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "free text, kept and not used"},
	[SET_TEST_ID] = {.name = "test-id", .type = OPT_UINT, .max = 255, .dflt = "0",
		.help = "number in every frame; frames with another one are not counted as ours"},
	[SET_MEASURE_OUT_OF_ORDER] = {.name = "measure-out-of-order", .type = OPT_BOOL,
		.dflt = "yes", .help = "count frames that were overtaken"},
	[SET_RATE_LAYER] = {.name = "rate-layer", .type = OPT_WORD, .words = rate_layers,
		.dflt = "packet",
		.help = "bytes that Mbit/s count: packet-size, or those of a frame on layer 1, 2 or 3"},
};

const struct opt conf_quick_opts[QUICK_NB_OPTS] = {
	[QUICK_TX_TEMPLATE] = {.name = "tx-template", .type = OPT_NAME,
		.flags = OPT_LIST | OPT_REQUIRED,
		.help = "packet templates to send, one stream each"},
	[QUICK_PACKET_SIZE] = {.name = "packet-size", .type = OPT_UINT, .flags = OPT_LIST,
		.max = 65535, .dflt = "0", .unit = "bytes",
		.help = "size of the frames without FCS; 0: MTU of the port and MAC header"},
	[QUICK_MBPS] = {.name = "mbps", .type = OPT_MBPS, .flags = OPT_LIST, .dflt = "0",
		.unit = "Mbit/s", .help = "rate of each stream; 0: not given"},
	[QUICK_PPS] = {.name = "pps", .type = OPT_PPS, .flags = OPT_LIST, .dflt = "0",
		.unit = "packets/s",
		.help = "rate of each stream; 0: not given, max: as fast as it goes"},
	[QUICK_PACKET_COUNT] = {.name = "packet-count", .type = OPT_COUNT, .flags = OPT_LIST,
		.min = 1, .max = UINT64_MAX, .dflt = "unlimited", .unit = "packets",
		.help = "packets that each stream sends"},
	[QUICK_DURATION] = {.name = "duration", .type = OPT_TIME, .min = MS, .max = UINT64_MAX,
		.help = "how long to send; not given: until stopped"},
	[QUICK_PORT] = {.name = "port", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "port that sends, before the one of the template"},
	[QUICK_INTERFACE] = {.name = "interface", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "other name of port; only one of the two may be given"},
	[QUICK_ID] = {.name = "id", .type = OPT_UINT, .flags = OPT_LIST, .max = 255,
		.help = "number of each stream in the output, each once; not given: from 0"},
	[QUICK_TEST_ID] = {.name = "test-id", .type = OPT_UINT, .max = 255,
		.help = "number in every frame; not given: as in settings"},
	[QUICK_MEASURE_OUT_OF_ORDER] = {.name = "measure-out-of-order", .type = OPT_BOOL,
		.help = "count frames that were overtaken; not given: as in settings"},
	[QUICK_CPU_CORE] = {.name = "cpu-core", .type = OPT_CPUS, .flags = OPT_LIST,
		.help = "CPUs that may send and receive; not given: all that the process may use"},
	[QUICK_RATE_LAYER] = {.name = "rate-layer", .type = OPT_WORD, .words = rate_layers,
		.help = "bytes that Mbit/s count; not given: as in settings"},
	[QUICK_ENTRIES_TO_SHOW] = {.name = "entries-to-show", .type = OPT_UINT, .min = 2,
		.max = 65535, .dflt = "20", .unit = "rows",
		.help = "rows of the live table, totals included"},
	[QUICK_FREEZE_FRAME_INTERVAL] = {.name = "freeze-frame-interval", .type = OPT_TIME,
		.min = 20 * MS, .max = 30 * S, .dflt = "1s",
		.help = "time between two drawings of the live table"},
	[QUICK_PROPLIST] = {.name = "proplist", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "columns to show; not given: those of RouterOS"},
	[QUICK_AS_VALUE] = {.name = "as-value", .type = OPT_BOOL, .dflt = "no",
		.help = "print each row as name=value;... with plain numbers"},
	[QUICK_GRACE] = {.name = "grace", .type = OPT_TIME, .min = MS, .max = 10 * S,
		.dflt = "100ms", .help = "how long after its second a row is printed"},
	[QUICK_DRAIN] = {.name = "drain", .type = OPT_TIME, .max = 60 * S, .dflt = "2s",
		.help = "longest wait for frames still on their way when sending has ended"},
	[QUICK_ARP_TIMEOUT] = {.name = "arp-timeout", .type = OPT_TIME, .min = MS, .max = 60 * S,
		.dflt = "3s", .help = "how long to ask for a MAC address before giving up"},
	[QUICK_VERIFY_CHECKSUM] = {.name = "verify-checksum", .type = OPT_WORD,
		.words = verify_words, .dflt = "hardware",
		.help = "check the innermost UDP checksum of our frames: by the device where it can, "
			"else by software; always by software; or not"},
	[QUICK_VERIFY_DATA] = {.name = "verify-data", .type = OPT_BOOL, .dflt = "no",
		.help = "compare every payload byte with what was sent; a difference is a bad frame"},
	[QUICK_LATENCY_TYPE] = {.name = "latency-type", .type = OPT_WORD, .words = latency_types,
		.dflt = "filo",
		.help = "RFC 1242 definition: from first or last bit in to first or last bit out; all "
			"but filo need the link speeds"},
	[QUICK_LATENCY_INTENDED] = {.name = "latency-intended", .type = OPT_BOOL, .dflt = "no",
		.help = "a second latency series against the time the schedule wanted each frame to "
			"leave, in which lost frames count as infinite"},
	[QUICK_LATENCY_DISTRIBUTION] = {.name = "latency-distribution", .type = OPT_BOOL,
		.dflt = "no", .help = "print the distribution of latency after the totals"},
	[QUICK_LATENCY_DISTRIBUTION_MAX] = {.name = "latency-distribution-max", .type = OPT_TIME,
		.min = 1, .max = 60 * S,
		.help = "range of that graph, the rest is its overflow row; not given: all there is"},
	[QUICK_MAX_UNSENT] = {.name = "max-unsent", .type = OPT_PERCENT, .max = 100000000,
		.dflt = "0.1", .unit = "%",
		.help = "limit of generator health: frames of the schedule that may stay unsent, "
			"beyond one a stream"},
	[QUICK_MAX_RX_MISSED] = {.name = "max-rx-missed", .type = OPT_COUNT, .max = UINT64_MAX,
		.dflt = "0", .unit = "frames",
		.help = "limit of generator health: received frames that driver and kernel may lose"},
	[QUICK_MAX_LAG] = {.name = "max-lag", .type = OPT_TIME, .max = 60 * S, .dflt = "10ms",
		.help = "limit of generator health: 99th percentile of the time by which frames leave "
			"late; 0: none"},
	[QUICK_MAX_STEAL] = {.name = "max-steal", .type = OPT_PERCENT, .max = 100000000,
		.dflt = "10", .unit = "%",
		.help = "limit of generator health: share of the workers' CPU time that the hypervisor "
			"took; 100: none"},
};

const struct opt conf_check_opts[CHECK_NB_OPTS] = {
	[CHECK_TX_TEMPLATE] = {.name = "tx-template", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "templates to build; not given: all of the file"},
	[CHECK_PACKET_SIZE] = {.name = "packet-size", .type = OPT_UINT, .flags = OPT_LIST,
		.min = 60, .max = 65535, .unit = "bytes",
		.help = "sizes to build them in, without FCS; not given: 60 and 1514"},
	[CHECK_MTU] = {.name = "mtu", .type = OPT_UINT, .min = 68, .max = 65535, .unit = "bytes",
		.help = "smallest MTU on the way: warns of sizes whose last fragment cannot carry the "
			"signature"},
};

const struct opt conf_ping_opts[PING_NB_OPTS] = {
	[PING_PORT] = {.name = "port", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "port that asks"},
	[PING_ADDRESS] = {.name = "address", .type = OPT_IP4, .flags = OPT_REQUIRED,
		.help = "plain IPv4 address to ask"},
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

#define MENU(var, name_, help_)                                                                    \
	static const struct opt_section var##_section = OPT_SECTION(NULL, var##_opts);             \
	static const struct opt_section *const var##_sections[] = {&var##_section};                \
	const struct opt_menu var##_menu = {                                                       \
		.name = (name_), .help = (help_), .sections = var##_sections, .nb_sections = 1}

MENU(conf_port, "port",
	"Ports of the generator: what they open and which addresses they answer for.");
MENU(conf_settings, "settings", "Settings of the whole generator.");
MENU(conf_quick, "quick",
	"Sends packet templates and shows each second what became of the frames.");
MENU(conf_check, "check",
	"Reads a configuration file and builds its templates, without opening a port.");
MENU(conf_ping, "ping", "Asks an address with ICMP echo from a port, to see that it is there.");
MENU(conf_reflect, "reflect",
	"Sends frames back out of the port they came in by, addresses swapped.");
MENU(conf_selftest, "selftest",
	"Finds out, over a loop, what the generator itself can do: its highest clean rate and its "
	"latency floor.");
