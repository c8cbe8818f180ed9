/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

#include "tgen/err.h"
#include "tgen/opt.h"

/* ---- the option tables that belong to no packet header ---- */

/* A port of the generator. */
enum conf_port_opt {
	PORT_NAME,
	PORT_COMMENT,
	PORT_DISABLED,
	PORT_DEVICE,	   /* af_packet:IFACE, pci:ADDRESS, ring:NAME, memif:…, vdev:ARGS … */
	PORT_ADDRESS,	   /* list of A/len */
	PORT_MAC,	   /* default: the device's own */
	PORT_MTU,	   /* 68..16000; default: the device's own */
	PORT_SPEED,	   /* link speed, where the driver has none */
	PORT_GATEWAY,	   /* list: next hops of the streams that a test's topology makes */
	PORT_FIRST_HEADER, /* read-only: mac */
	PORT_NB_OPTS
};
extern const struct opt conf_port_opts[PORT_NB_OPTS];
extern const struct opt_menu conf_port_menu;

/* Settings of the whole generator (one object, key `settings`). */
enum conf_settings_opt {
	SET_COMMENT,
	SET_TEST_ID,		   /* 0..255, default 0 */
	SET_MEASURE_OUT_OF_ORDER,  /* yes */
	SET_RATE_LAYER,		   /* packet l1 l2 l3 */
	SET_IDLE,		   /* enum conf_idle: busy pause sleep */
	SET_STATS_SAMPLES_TO_KEEP, /* 0..4294967295, default 100 */
	SET_LATENCY_DISTRIBUTION_MAX,
	SET_RUNNING, /* read-only: whether a detached run goes on */
	SET_NB_OPTS
};
/* What a worker does while nothing is due and nothing comes. */
enum conf_idle { IDLE_BUSY, IDLE_PAUSE, IDLE_SLEEP };
extern const struct opt conf_settings_opts[SET_NB_OPTS];
extern const struct opt_menu conf_settings_menu;

/*
 * What can be said of every stream: one section of two menus. In `quick` item n of a list is for
 * stream n, and goes before what the stream itself says; in a `stream` each has one value (cpu-core
 * but).
 */
enum conf_stream_opt {
	STREAM_PORT,	     /* the port that sends, before the template's own */
	STREAM_INTERFACE,    /* the same under RouterOS's other name */
	STREAM_ID,	     /* 0..65535, unique */
	STREAM_PACKET_SIZE,  /* pkt_sizes_parse; 0: MTU + 14 */
	STREAM_FRAME_SIZE,   /* the same, FCS included */
	STREAM_MBPS,	     /* 0: not given, as for all rates */
	STREAM_PPS,	     /* or max */
	STREAM_PERCENT,	     /* of the line of the port that sends */
	STREAM_RATE_PROFILE, /* plan_profile_parse */
	STREAM_WEIGHT,	     /* share of a total- rate */
	STREAM_PACKET_COUNT,
	STREAM_BURST_PACKETS,
	STREAM_BURST_COUNT,
	STREAM_INTER_BURST_GAP,
	STREAM_START_DELAY,
	STREAM_AFTER, /* name of a stream or template of this run */
	STREAM_GAPS,  /* enum conf_gaps */
	STREAM_SEED,
	/* CPUs that send it. In quick: those that may send and receive at all */
	STREAM_CPU_CORE,
	STREAM_NB_OPTS
};
enum conf_gaps { GAPS_EVEN, GAPS_POISSON };
extern const struct opt conf_stream_opts[STREAM_NB_OPTS];

/* A stream object; the section above follows. */
enum conf_stream_obj_opt {
	STREAM_OBJ_NAME,
	STREAM_OBJ_COMMENT,
	STREAM_OBJ_DISABLED,
	STREAM_OBJ_TX_TEMPLATE,	 /* one */
	STREAM_OBJ_GROUP,	 /* direction, class or service it is counted with */
	STREAM_OBJ_DEFAULT_PORT, /* read-only: the port that its template goes out by */
	STREAM_OBJ_NB_OPTS
};
extern const struct opt conf_stream_obj_opts[STREAM_OBJ_NB_OPTS];
extern const struct opt_menu conf_stream_menu;

/* What a run can be told; the section of every stream follows. */
enum conf_quick_opt {
	QUICK_TX_TEMPLATE, /* list of template names */
	QUICK_STREAM,	   /* list of stream names; neither: all that are not disabled */
	QUICK_TOTAL_MBPS,  /* of all streams together, by weight */
	QUICK_TOTAL_PPS,
	QUICK_TOTAL_PERCENT, /* of each port's line, among its streams */
	QUICK_DURATION,
	QUICK_TEST_ID,
	QUICK_MEASURE_OUT_OF_ORDER,
	QUICK_RATE_LAYER,
	QUICK_IDLE,
	QUICK_ENTRIES_TO_SHOW,	     /* default 20 */
	QUICK_FREEZE_FRAME_INTERVAL, /* 20ms..30s */
	QUICK_PROPLIST,		     /* list of column names */
	QUICK_AS_VALUE,		     /* yes: name=value;… */
	QUICK_GRACE,		    /* a row is printed this long after its second, default 100ms */
	QUICK_DRAIN,		    /* longest wait for late frames at the end, default 2s */
	QUICK_ARP_TIMEOUT,	    /* default 3s */
	QUICK_VERIFY_CHECKSUM,	    /* enum conf_verify: hardware (else software), software, no */
	QUICK_VERIFY_DATA,	    /* yes: every payload byte */
	QUICK_LATENCY_TYPE,	    /* enum latency_type of result.h: filo */
	QUICK_LATENCY_INTENDED,	    /* yes: a second series against the schedule */
	QUICK_LATENCY_DISTRIBUTION, /* yes: print it after the totals */
	QUICK_LATENCY_DISTRIBUTION_MAX, /* range of the graph; auto */
	QUICK_MAX_UNSENT,		/* limits of generator health: percent short, default 0.1 */
	QUICK_MAX_RX_MISSED,		/* frames, default 0 */
	QUICK_MAX_LAG,			/* P99 of the schedule lag; 0: no limit */
	QUICK_MAX_STEAL,		/* percent of the workers' CPU time */
	QUICK_NB_OPTS
};
enum conf_verify { VERIFY_HARDWARE, VERIFY_SOFTWARE, VERIFY_NO };
extern const struct opt conf_quick_opts[QUICK_NB_OPTS];
extern const struct opt_menu conf_quick_menu;

enum conf_ping_opt {
	PING_PORT,
	PING_ADDRESS,
	PING_VLAN,
	PING_COUNT,
	PING_INTERVAL,
	PING_SIZE,
	PING_TTL,
	PING_ARP_TIMEOUT,
	PING_NB_OPTS
};
extern const struct opt conf_ping_opts[PING_NB_OPTS];
extern const struct opt_menu conf_ping_menu;

enum conf_reflect_opt {
	REFLECT_PORT,	      /* list of port names; required */
	REFLECT_DURATION,     /* not given: until stopped */
	REFLECT_PACKET_COUNT, /* frames sent back, of all ports together */
	REFLECT_TEST_ID,      /* not given: as in settings */
	REFLECT_ONLY_TEST,    /* yes: test frames to any station, and nothing else */
	REFLECT_CPU_CORE,
	REFLECT_NB_OPTS
};
extern const struct opt conf_reflect_opts[REFLECT_NB_OPTS];
extern const struct opt_menu conf_reflect_menu;

enum conf_selftest_opt {
	SELFTEST_PORT,	      /* list of one or two; not given: a ring port of its own */
	SELFTEST_PACKET_SIZE, /* list */
	SELFTEST_DURATION,    /* of each trial */
	SELFTEST_RESOLUTION,
	SELFTEST_MAX_RATE, /* max: what flat out shows */
	SELFTEST_CPU_CORE,
	SELFTEST_NB_OPTS
};
extern const struct opt conf_selftest_opts[SELFTEST_NB_OPTS];
extern const struct opt_menu conf_selftest_menu;

enum conf_check_opt { CHECK_MTU, CHECK_NB_OPTS };
extern const struct opt conf_check_opts[CHECK_NB_OPTS];
extern const struct opt_menu conf_check_menu; /* with the words of quick */

enum conf_start_opt { START_SAMPLES_TO_KEEP, START_NB_OPTS };
extern const struct opt conf_start_opts[START_NB_OPTS];
extern const struct opt_menu conf_start_menu; /* with the words of quick */

/* ---- tests: what `run` reads ---- */

/* What every test can say; the words of its procedure follow. */
enum conf_test_opt {
	TEST_NAME,
	TEST_COMMENT,
	TEST_DISABLED,
	TEST_PROCEDURE,
	TEST_STREAM,	  /* list of stream names */
	TEST_TX_TEMPLATE, /* list of template names; neither, and no topology: all enabled streams */
	TEST_TOPOLOGY,	  /* enum conf_topology */
	TEST_TEMPLATE,	  /* what the streams of a topology are made of */
	TEST_PORTS,	  /* list: the ports of a topology, in order; not given: all of the file */
	TEST_FRAME_SIZES,  /* list, FCS included: a cell of the matrix each */
	TEST_PACKET_SIZES, /* the same without FCS */
	TEST_REPEATS,
	TEST_PASS_IF,  /* all, or N-of-M */
	TEST_EXPECT,   /* list of criteria (tgen/criteria.h) */
	TEST_BASELINE, /* file of `baseline save` */
	TEST_DUT,
	TEST_VARIANTS,	  /* list of variants of the dut; not given: all of them */
	TEST_SETUP_SCOPE, /* enum conf_setup_scope */
	TEST_EVENT,	  /* list of commands, for outage, reset */
	TEST_EVENT_AFTER,
	TEST_MEND, /* list of commands */
	TEST_MEND_AFTER,
	TEST_WARM_UP, /* an unscored trial before the first of each cell */
	TEST_SETTLE,  /* between learning and a trial */
	TEST_PAUSE,   /* after a trial */

	TEST_MAX_INVALID,  /* how often an invalid trial is repeated */
	TEST_MAX_DURATION, /* of the whole test */
	TEST_NB_OPTS
};
enum conf_topology {
	TOPOLOGY_GIVEN,		/* streams or templates as they are */
	TOPOLOGY_PAIR,		/* 1 → 2, 3 → 4 … */
	TOPOLOGY_BIDIRECTIONAL, /* the same, both ways */
	TOPOLOGY_FULL_MESH,
	TOPOLOGY_ONE_TO_MANY,
	TOPOLOGY_MANY_TO_ONE,
	TOPOLOGY_BACKBONE,   /* the first half of the ports to the second, RFC 2544 §16 order */
	TOPOLOGY_LEARNING,   /* RFC 2889 §5.7: learning, test and monitoring port */
	TOPOLOGY_CONGESTION, /* RFC 2889 §5.5: two ports to one, and half of one to a fourth */
	TOPOLOGY_BROADCAST,  /* RFC 2889 §5.10 */
};
enum conf_setup_scope { SETUP_PER_RUN, SETUP_PER_TEST, SETUP_PER_TRIAL };
extern const struct opt conf_test_opts[TEST_NB_OPTS];
/* Words of quick that tests take as well: of the run, of the health of the generator, of streams. */
extern const struct opt_section conf_test_section, conf_test_run_section, conf_test_receive_section,
	conf_test_health_section, conf_test_streams_section;

/* A device under test; its variants are within it. */
enum conf_dut_opt {
	DUT_NAME,
	DUT_COMMENT,
	DUT_MODEL,
	DUT_SERIAL,
	DUT_FIRMWARE,
	DUT_CONFIGURATION, /* a file whose hash goes into the results */
	DUT_NB_OPTS
};
extern const struct opt conf_dut_opts[DUT_NB_OPTS];
extern const struct opt_menu conf_dut_menu;

enum conf_variant_opt {
	VARIANT_NAME,
	VARIANT_COMMENT,
	VARIANT_SETUP, /* list of commands */
	VARIANT_TEARDOWN,
	VARIANT_PROBE,		 /* one command, each second of a trial */
	VARIANT_SHELL,		 /* the commands are lines for sh */
	VARIANT_TIME_LIMIT,	 /* of each command */
	VARIANT_WAIT_READY_PING, /* list of PORT=ADDRESS that must answer after setup */
	VARIANT_WAIT_READY,	 /* a command that must succeed */
	VARIANT_READY_TIME_LIMIT,
	VARIANT_NB_OPTS
};
extern const struct opt conf_variant_opts[VARIANT_NB_OPTS];
extern const struct opt_menu conf_variant_menu;

/* What a report says about the circumstances, as given. */
enum conf_meta_opt {
	META_CUSTOMER,
	META_SITE,
	META_OPERATOR,
	META_PROJECT,
	META_TITLE, /* of the report */
	META_COMMENT,
	META_NB_OPTS
};
extern const struct opt conf_meta_opts[META_NB_OPTS];
extern const struct opt_menu conf_meta_menu;

/* The words of the command `run`. */
enum conf_run_opt {
	RUN_TEST,    /* list of test names */
	RUN_VARIANT, /* list of variant names */
	RUN_DIR,     /* of the results */
	RUN_NB_OPTS
};
extern const struct opt conf_run_opts[RUN_NB_OPTS];
extern const struct opt_menu conf_run_menu;

/* ---- the configuration file ---- */

/* A kind of object the file may hold. */
struct conf_kind {
	const char *key;	     /* `packet-templates` */
	const struct opt_menu *menu; /* its options; a list's objects have a required `name` */
	bool single;		     /* one object instead of a list */
	/* The key of another list: a name is in one of the two only. NULL: none. */
	const char *names_with;
	/* The key of the list whose objects each hold one of this; NULL: at the top of the file. */
	const char *within;
	/*
	 * What the table cannot say about an object: 0, or -EINVAL with opt_error. Asked when it is
	 * loaded, added and changed. NULL: nothing.
	 */
	int (*check)(const struct opt_set *obj, struct err *err);
};

struct conf; /* a file: its text, its tree, its objects */

/*
 * Which file: explicit (--config), else $TGEN_CONFIG, else tgen.json here, else
 * $XDG_CONFIG_HOME/tgen/tgen.json (or ~/.config/…), else SYSCONFDIR/tgen/tgen.json. Caller frees.
 * With must_exist an absent file is an error that lists what was tried; otherwise the one to create
 * (explicit, $TGEN_CONFIG or ./tgen.json) is returned.
 */
char *conf_path_find(const char *explicit_path, bool must_exist, struct err *err);

/*
 * Reads a file. kinds must outlive the conf. NULL on error, with `FILE:LINE:COL: PATH: text`;
 * unknown and repeated keys, wrong types and values, repeated names are errors.
 * may_be_absent: an absent file is an empty configuration.
 *
 * "include": ["FILE", …] takes the objects of other files in, before its own; relative names are
 * from the directory of the file that says so. Single objects are joined, the includer's values win.
 */
struct conf *conf_load(const char *path, const struct conf_kind *kinds, unsigned nb_kinds,
	bool may_be_absent, struct err *err);
/*
 * The same, and until conf_free no one else can change the file this way: conf_save finds it as it
 * was read.
 */
struct conf *conf_load_to_change(const char *path, const struct conf_kind *kinds, unsigned nb_kinds,
	bool may_be_absent, struct err *err);
void conf_free(struct conf *conf);
const char *conf_path(const struct conf *conf);
/* The comment of the file itself; NULL: it has none. */
const char *conf_comment(const struct conf *conf);

unsigned conf_nb(const struct conf *conf, const char *key);
const struct opt_set *conf_at(const struct conf *conf, const char *key, unsigned i);
/* Of a kind within another: the index there of the object that holds object i. */
unsigned conf_parent(const struct conf *conf, const char *key, unsigned i);
/* Files that were read beside conf_path, in order; *nb of them. */
const char *const *conf_included(const struct conf *conf, unsigned *nb);
/*
 * By name; NULL when there is none. A single object: name is ignored, and it is always there, empty
 * when the file has none. Sets stay where they are until their own object is removed.
 */
const struct opt_set *conf_find(const struct conf *conf, const char *key, const char *name);
/* A usage error: no such NAME, with the nearest known one and the file. -EINVAL. */
int conf_not_found(const struct conf *conf, const char *key, const char *what, const char *name,
	struct err *err);

/*
 * Changes of the tree; nothing is on disk before conf_save.
 *   add:    a new object with the values of set; its name must be free
 *   update: the values of set are given to the object of that name (which keeps its others)
 *   unset:  removes one value of it; conf_check says whether it can do without
 *   remove: the object goes
 */
int conf_add(struct conf *conf, const char *key, const struct opt_set *set, struct err *err);
int conf_update(struct conf *conf, const char *key, const char *name, const struct opt_set *set,
	struct err *err);
int conf_unset(struct conf *conf, const char *key, const char *name, const struct opt *opt,
	struct err *err);
/* The check of the object's kind. */
int conf_check(const struct conf *conf, const char *key, const char *name, struct err *err);
int conf_remove(struct conf *conf, const char *key, const char *name, struct err *err);
/* Atomic: a new file beside the old one, synced, renamed. Key order and comments are kept. */
int conf_save(struct conf *conf, struct err *err);
