/* SPDX-License-Identifier: BSD-3-Clause */
#include "menus.h"

#include "tgen/conf.h"

/* clang-format off */
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

static const struct opt_word gaps_words[] = {
	{"even", GAPS_EVEN},
	{"poisson", GAPS_POISSON},
	{NULL, 0},
};

static const struct opt_word after_words[] = {
	{"none", 0},
	{NULL, 0},
};

/* What they hold is a matter of pkt_sizes_parse; a test compares the two lists. */
static const struct opt_word size_words[] = {
	{"imix", 0},
	{"imix-570", 0},
	{"imix-576", 0},
	{"imix-ipv6", 0},
	{"imix-tolly", 0},
	{NULL, 0},
};

const struct opt conf_stream_opts[STREAM_NB_OPTS] = {
	[STREAM_PORT] = {.name = "port", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "port that sends, before the one of the template"},
	[STREAM_INTERFACE] = {.name = "interface", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "other name of port; only one of the two may be given"},
	[STREAM_ID] = {.name = "id", .type = OPT_UINT, .flags = OPT_LIST, .max = 65535,
		.help = "number of the stream in the output, each once; not given: from 0"},
	[STREAM_PACKET_SIZE] = {.name = "packet-size", .type = OPT_SIZES, .flags = OPT_LIST,
		.max = 65535, .words = size_words, .dflt = "0", .unit = "bytes",
		.help = "size of the frames without FCS; 0: MTU of the port and MAC header; N-M: "
			"all of them once a round in random order; 60=7+1514=1: sizes or ranges by "
			"weight; genome:aaafg or genome:20xabcd+5xggga: sizes of RFC 6985, which, as "
			"the imix words, count the FCS"},
	[STREAM_FRAME_SIZE] = {.name = "frame-size", .type = OPT_SIZES, .flags = OPT_LIST,
		.max = 65539, .words = size_words, .unit = "bytes",
		.help = "the same with the FCS included, as RFC 2544 counts: 64 is packet-size 60; "
			"only one of the two may be given"},
	[STREAM_MBPS] = {.name = "mbps", .type = OPT_MBPS, .flags = OPT_LIST, .dflt = "0",
		.unit = "Mbit/s", .help = "rate of the stream; 0: not given"},
	[STREAM_PPS] = {.name = "pps", .type = OPT_PPS, .flags = OPT_LIST, .dflt = "0",
		.unit = "packets/s",
		.help = "rate of the stream; 0: not given, max: as fast as it goes"},
	[STREAM_PERCENT] = {.name = "percent", .type = OPT_PERCENT, .flags = OPT_LIST,
		.max = 100000000, .dflt = "0", .unit = "%",
		.help = "rate of the stream as a share of the line of the port that sends, with FCS, "
			"preamble and gap; 0: not given"},
	[STREAM_RATE_PROFILE] = {.name = "rate-profile", .type = OPT_TEXT, .flags = OPT_LIST,
		.help = "rate over time: steps:0s=10mbps+10s=100mbps+20s=0, or linear:0s=0+60s=50% "
			"for straight lines in between; units mbps, pps (with k, M, G) and %; without "
			"a word: steps; the last rate stays"},
	[STREAM_WEIGHT] = {.name = "weight", .type = OPT_UINT, .flags = OPT_LIST, .min = 1,
		.max = 1000000, .dflt = "1", .help = "share of the stream in a total- rate"},
	[STREAM_PACKET_COUNT] = {.name = "packet-count", .type = OPT_COUNT, .flags = OPT_LIST,
		.min = 1, .max = UINT64_MAX, .dflt = "unlimited", .unit = "packets",
		.help = "packets that the stream sends"},
	[STREAM_BURST_PACKETS] = {.name = "burst-packets", .type = OPT_UINT, .flags = OPT_LIST,
		.max = 1000000000, .dflt = "0", .unit = "packets",
		.help = "packets of a burst, sent at the rate given (pps=max: back to back); 0: no "
			"bursts"},
	[STREAM_BURST_COUNT] = {.name = "burst-count", .type = OPT_COUNT, .flags = OPT_LIST,
		.min = 1, .max = UINT64_MAX, .dflt = "unlimited", .unit = "bursts",
		.help = "bursts that the stream sends"},
	[STREAM_INTER_BURST_GAP] = {.name = "inter-burst-gap", .type = OPT_TIME,
		.flags = OPT_LIST, .max = 86400 * S, .dflt = "1s",
		.help = "time from the last packet of a burst to the first of the next"},
	[STREAM_START_DELAY] = {.name = "start-delay", .type = OPT_TIME, .flags = OPT_LIST,
		.max = 86400 * S, .dflt = "0s",
		.help = "time before the first packet, from the start or the end of after"},
	[STREAM_AFTER] = {.name = "after", .type = OPT_NAME, .flags = OPT_LIST,
		.words = after_words,
		.help = "stream (or template) of this run that must have sent all its packets "
			"before; none: begin with the run"},
	[STREAM_GAPS] = {.name = "gaps", .type = OPT_WORD, .flags = OPT_LIST,
		.words = gaps_words, .dflt = "even",
		.help = "time between packets: always the same, or at random as of a Poisson process "
			"of that rate"},
	[STREAM_SEED] = {.name = "seed", .type = OPT_UINT, .flags = OPT_LIST, .max = UINT64_MAX,
		.dflt = "0", .help = "beginning of the random order of sizes and of random gaps"},
	[STREAM_CPU_CORE] = {.name = "cpu-core", .type = OPT_CPUS, .flags = OPT_LIST,
		.help = "CPUs that send the stream; in quick those that send and receive at all; not "
			"given: all that the process may use"},
};

const struct opt conf_stream_obj_opts[STREAM_OBJ_NB_OPTS] = {
	[STREAM_OBJ_NAME] = {.name = "name", .type = OPT_NAME, .flags = OPT_REQUIRED,
		.help = "name by which commands mean this stream"},
	[STREAM_OBJ_COMMENT] = {.name = "comment", .type = OPT_TEXT,
		.help = "free text, kept and not used"},
	[STREAM_OBJ_DISABLED] = {.name = "disabled", .type = OPT_BOOL, .dflt = "no",
		.help = "leave the stream out of runs that do not name it"},
	[STREAM_OBJ_TX_TEMPLATE] = {.name = "tx-template", .type = OPT_NAME,
		.flags = OPT_REQUIRED, .help = "packet template that it sends"},
	[STREAM_OBJ_GROUP] = {.name = "group", .type = OPT_NAME,
		.help = "direction, class or service that the stream is counted with in tests"},
	[STREAM_OBJ_DEFAULT_PORT] = {.name = "default-port", .type = OPT_NAME,
		.flags = OPT_READONLY,
		.help = "port that sends it when neither it nor a command names one"},
};

const struct opt conf_quick_opts[QUICK_NB_OPTS] = {
	[QUICK_TX_TEMPLATE] = {.name = "tx-template", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "packet templates to send, one stream each; beside stream: the templates of "
			"those streams for this run"},
	[QUICK_STREAM] = {.name = "stream", .type = OPT_NAME, .flags = OPT_LIST,
		.help = "streams of the file to send; given neither this nor tx-template: all that "
			"are not disabled"},
	[QUICK_TOTAL_MBPS] = {.name = "total-mbps", .type = OPT_MBPS, .dflt = "0",
		.unit = "Mbit/s",
		.help = "rate of all streams together, shared by their weights; 0: not given"},
	[QUICK_TOTAL_PPS] = {.name = "total-pps", .type = OPT_PPS, .dflt = "0",
		.unit = "packets/s",
		.help = "the same in packets; max: each line in full, shared by its streams"},
	[QUICK_TOTAL_PERCENT] = {.name = "total-percent", .type = OPT_PERCENT, .dflt = "0",
		.max = 100000000, .unit = "%",
		.help = "share of the line of every port that sends, among its streams by weight"},
	[QUICK_DURATION] = {.name = "duration", .type = OPT_TIME, .min = MS, .max = UINT64_MAX,
		.help = "how long to send; not given: until stopped"},
	[QUICK_TEST_ID] = {.name = "test-id", .type = OPT_UINT, .max = 255,
		.help = "number in every frame; not given: as in settings"},
	[QUICK_MEASURE_OUT_OF_ORDER] = {.name = "measure-out-of-order", .type = OPT_BOOL,
		.help = "count frames that were overtaken; not given: as in settings"},
	[QUICK_RATE_LAYER] = {.name = "rate-layer", .type = OPT_WORD, .words = conf_rate_layers,
		.help = "bytes that Mbit/s count; not given: as in settings"},
	[QUICK_IDLE] = {.name = "idle", .type = OPT_WORD, .words = conf_idle_words,
		.help = "what a worker's core does while there is nothing to do; not given: as in "
			"settings"},
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

/* clang-format on */

const struct opt_section conf_every_stream_section = OPT_SECTION("Every stream", conf_stream_opts);

static const struct opt_section stream_obj_section =
	OPT_SECTION("The stream", conf_stream_obj_opts);
static const struct opt_section *const stream_sections[] = {
	&stream_obj_section, &conf_every_stream_section};
const struct opt_menu conf_stream_menu = {.name = "stream",
	.help = "Streams: a packet template, its sizes, its rate and when it is sent.",
	.sections = stream_sections,
	.nb_sections = 2};

const struct opt_section conf_quick_section = OPT_SECTION("The run", conf_quick_opts);
static const struct opt_section *const quick_sections[] = {
	&conf_quick_section, &conf_every_stream_section};
const struct opt_menu conf_quick_menu = {.name = "quick",
	.help = "Sends streams or packet templates and shows each second what became of the "
		"frames.",
	.sections = quick_sections,
	.nb_sections = 2};
