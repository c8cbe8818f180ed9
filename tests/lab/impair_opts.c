/* SPDX-License-Identifier: BSD-3-Clause */
#include "impair.h"

#include "tgen/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_INDENT "                          "

enum kind { SHARE, TIME, COUNT, RANGE, FIELD, ONLY, STREAM, TEXT, FLAG };

/* One option: of each direction in scope (struct settings), or of the whole relay (options). */
struct word {
	const char *name;
	const char *value;
	const char *help;
	enum kind kind;
	bool global;
	size_t offset;
};

#define EACH(member) false, offsetof(struct settings, member)
#define ALL(member)  true, offsetof(struct options, member)

static const struct word words[] = {
	{"loss", "P%", "lose this share, at random", SHARE, EACH(loss_share)},
	{"loss-every", "N", "lose each N-th frame", COUNT, EACH(loss_every)},
	{"loss-for", "T", "lose all for that time", TIME, EACH(loss_for_ns)},
	{"loss-from", "T", "... from T on, counted from the first frame, or from SIGUSR1 (0)", TIME,
		EACH(loss_from_ns)},
	{"delay", "T", "leave that much later", TIME, EACH(delay_ns)},
	{"jitter", "T", "... plus or minus up to T, uniform; order is kept", TIME, EACH(jitter_ns)},
	{"jitter-reorders", NULL, "... order is not kept", FLAG, EACH(jitter_reorders)},
	{"reorder", "P%", "hold this share back until later ones of the lane have left", SHARE,
		EACH(reorder_share)},
	{"reorder-gap", "K", "... that many (1)", COUNT, EACH(reorder_gap)},
	{"reorder-timeout", "T", "... or that time has passed (500ms)", TIME,
		EACH(reorder_timeout_ns)},
	{"duplicate", "P%", "send this share twice", SHARE, EACH(duplicate_share)},
	{"duplicate-to", "IFACE", "... the copy leaves there", TEXT, EACH(duplicate_to)},
	{"corrupt", "P%", "flip one bit in this share", SHARE, EACH(corrupt_share)},
	{"corrupt-bytes", "FROM-TO", "... in these bytes, the first is 0 (all)", RANGE,
		EACH(corrupt_first)},
	{"corrupt-field", "NAME",
		"... in mac-dst, mac-src, ethertype, ip-header, ip-ttl,\n" HELP_INDENT
		"udp-ports, udp-length, udp-checksum, payload or signature",
		FIELD, EACH(corrupt_field)},
	{"only", "udp|ip",
		"all this is for IPv4/UDP, or for all IPv4 (udp);\n" HELP_INDENT
		"other frames pass untouched, at once",
		ONLY, EACH(only)},
	{"stream", "SRC,DST", "... only between these addresses", STREAM, EACH(has_stream)},
	{"seed", "N", "of all that is random (1)", COUNT, ALL(seed)},
	{"one-way", NULL, "relay from A to B only", FLAG, ALL(one_way)},
	{"ring", "N", "frames that the kernel keeps per interface (16384)", COUNT,
		ALL(ring_frames)},
	{"log", "FILE", "write what was done to each frame (CSV), at the end", TEXT, ALL(log_path)},
	{"summary", "FILE", "write the counts (JSON) there, not to stdout", TEXT,
		ALL(summary_path)},
};

static const char *const field_names[] = {
	[FIELD_MAC_DST] = "mac-dst",
	[FIELD_MAC_SRC] = "mac-src",
	[FIELD_ETHERTYPE] = "ethertype",
	[FIELD_IP_HEADER] = "ip-header",
	[FIELD_IP_TTL] = "ip-ttl",
	[FIELD_UDP_PORTS] = "udp-ports",
	[FIELD_UDP_LENGTH] = "udp-length",
	[FIELD_UDP_CHECKSUM] = "udp-checksum",
	[FIELD_PAYLOAD] = "payload",
	[FIELD_SIGNATURE] = "signature",
};

#define NB(array) (sizeof(array) / sizeof((array)[0]))

static void usage(void)
{
	puts("usage: impair [OPTION...] A B\n"
	     "Relays all frames between the interfaces A and B and does to the test frames what "
	     "the\n"
	     "options say, the same for the same seed and order of arrival. Prints `ready` when "
	     "it\n"
	     "relays, ends by SIGTERM or SIGINT. Times: 10ms, 50us, 1.5s.\n"
	     "  --ab, --ba, --both      the options that follow are for that direction, or both");
	for (size_t i = 0; i < NB(words); i++) {
		const struct word *w = &words[i];
		int width = 22 - (int)strlen(w->name);

		printf("  --%s %-*s%s\n", w->name, width > 0 ? width - 1 : 0,
			w->value ? w->value : "", w->help);
	}
	exit(0);
}

static bool parse_share(const char *text, uint64_t *share)
{
	char number[32];
	size_t n = strlen(text);

	if (n > 0 && text[n - 1] == '%')
		n--;
	if (n >= sizeof(number))
		return false;
	memcpy(number, text, n);
	number[n] = '\0';
	return units_parse_micro(number, false, share) == 0 && *share <= SHARE_ALL;
}

/* Two parts with a mark between them. */
static bool split(const char *text, char mark, char first[32], const char **second)
{
	const char *at = strchr(text, mark);

	if (!at || at - text >= 32)
		return false;
	memcpy(first, text, (size_t)(at - text));
	first[at - text] = '\0';
	*second = at + 1;
	return true;
}

static bool parse_range(const char *text, struct settings *s)
{
	char first[32];
	const char *last;

	s->corrupt_field = FIELD_RANGE;
	return split(text, '-', first, &last) && units_parse_u64(first, &s->corrupt_first) == 0 &&
	       units_parse_u64(last, &s->corrupt_last) == 0 && s->corrupt_first <= s->corrupt_last;
}

static bool parse_stream(const char *text, struct settings *s)
{
	char src[32];
	const char *dst;

	s->has_stream = true;
	return split(text, ',', src, &dst) && units_parse_ip4(src, &s->stream_src) == 0 &&
	       units_parse_ip4(dst, &s->stream_dst) == 0;
}

static bool parse_field(const char *text, enum field *field)
{
	for (size_t i = FIELD_RANGE + 1; i < NB(field_names); i++) {
		if (strcmp(text, field_names[i]) == 0) {
			*field = (enum field)i;
			return true;
		}
	}
	return false;
}

static bool parse_only(const char *text, enum only *only)
{
	*only = strcmp(text, "ip") == 0 ? ONLY_IP : ONLY_UDP;
	return *only == ONLY_IP || strcmp(text, "udp") == 0;
}

/* object: the struct settings or struct options that the word belongs to. */
static bool set(const struct word *w, const char *text, void *object)
{
	void *at = (char *)object + w->offset;

	switch (w->kind) {
	case SHARE:
		return parse_share(text, at);
	case TIME:
		return units_parse_time(text, at) == 0;
	case COUNT:
		return units_parse_u64(text, at) == 0;
	case RANGE:
		return parse_range(text, object);
	case FIELD:
		return parse_field(text, at);
	case ONLY:
		return parse_only(text, at);
	case STREAM:
		return parse_stream(text, object);
	case TEXT:
		*(const char **)at = text;
		return true;
	case FLAG:
		*(bool *)at = true;
		return true;
	}
	return false;
}

/* The option of an argument `--name` or `--name=value`; *value is NULL or what follows the '='. */
static const struct word *find(const char *argument, const char **value)
{
	const char *name = argument + 2;
	size_t length = strcspn(name, "=");

	*value = name[length] == '=' ? name + length + 1 : NULL;
	for (size_t i = 0; i < NB(words); i++) {
		if (strlen(words[i].name) == length && memcmp(words[i].name, name, length) == 0)
			return &words[i];
	}
	die(STATUS_USAGE, "there is no option %s", argument);
}

/* --ab, --ba, --both: sets which directions the next options are for. */
static bool set_scope(const char *argument, unsigned *scope)
{
	static const struct {
		const char *name;
		unsigned scope;
	} scopes[] = {
		{"--ab", 1 << WAY_AB},
		{"--ba", 1 << WAY_BA},
		{"--both", 1 << WAY_AB | 1 << WAY_BA},
	};

	for (size_t i = 0; i < NB(scopes); i++) {
		if (strcmp(argument, scopes[i].name) == 0) {
			*scope = scopes[i].scope;
			return true;
		}
	}
	return false;
}

static void apply(struct options *o, unsigned scope, const struct word *w, const char *value)
{
	bool ok = true;

	if (w->global)
		ok = set(w, value, o);
	for (unsigned way = 0; way < NB_WAYS && !w->global; way++) {
		if (scope & 1u << way)
			ok = ok && set(w, value, &o->settings[way]);
	}
	if (!ok)
		die(STATUS_USAGE, "--%s %s: not %s", w->name, value, w->value);
}

void options_parse(struct options *o, int argc, char **argv)
{
	unsigned scope = 1 << WAY_AB | 1 << WAY_BA, nb_names = 0;

	*o = (struct options){.seed = 1, .ring_frames = 16384};
	for (unsigned i = 0; i < NB_WAYS; i++)
		o->settings[i] = (struct settings){.reorder_gap = 1,
			.reorder_timeout_ns = 500000000,
			.corrupt_last = UINT64_MAX};
	for (int i = 1; i < argc; i++) {
		const struct word *w;
		const char *value;

		if (strcmp(argv[i], "--help") == 0)
			usage();
		if (strncmp(argv[i], "--", 2) != 0) {
			if (nb_names == NB_WAYS)
				die(STATUS_USAGE, "more than two interfaces: %s", argv[i]);
			o->name[nb_names++] = argv[i];
			continue;
		}
		if (set_scope(argv[i], &scope))
			continue;
		w = find(argv[i], &value);
		if (w->value && !value && i + 1 < argc)
			value = argv[++i];
		if (!w->value != !value)
			die(STATUS_USAGE, "--%s: %s", w->name,
				w->value ? "needs a value" : "takes no value");
		apply(o, scope, w, value);
	}
	if (nb_names != NB_WAYS)
		die(STATUS_USAGE, "which two interfaces? (impair --help)");
	if (o->ring_frames == 0 || o->ring_frames > 1u << 20)
		die(STATUS_USAGE, "--ring: 1 to 1048576");
}
