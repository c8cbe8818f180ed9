/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every option of every menu, given a wrong value: one line that names the place, what is allowed
 * and, for words, the nearest known one. The tables are walked: a new option is tested by being there.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/base/opt_types.h"
#include "tgen/conf.h"
#include "tgen/pkt.h"
#include "tgen/units.h"

static const struct opt_menu *const file_menus[] = {
	&pkt_template_menu,
	&pkt_raw_menu,
	&conf_stream_menu,
	&conf_port_menu,
	&conf_stream_menu,
	&conf_settings_menu,
};
static const struct opt_menu *const command_menus[] = {
	&conf_quick_menu,
	&conf_start_menu,
	&conf_ping_menu,
	&conf_reflect_menu,
	&conf_selftest_menu,
	&conf_check_menu,
};

#define NB(array) (sizeof(array) / sizeof((array)[0]))

#define MAX_BAD	 16
#define BAD_TEXT 96

struct bad {
	char text[MAX_BAD][BAD_TEXT];
	unsigned nb;
};

__attribute__((format(printf, 2, 3))) static void add(struct bad *bad, const char *fmt, ...)
{
	va_list ap;

	assert_true(bad->nb < MAX_BAD);
	va_start(ap, fmt);
	vsnprintf(bad->text[bad->nb++], BAD_TEXT, fmt, ap);
	va_end(ap);
}

/* Just outside of the limits, in the type's own way of writing. */
static void add_limits(struct bad *bad, const struct opt *opt)
{
	bool limited = opt->max != 0 && opt->max < UINT64_MAX - 1;

	switch (opt->type) {
	case OPT_UINT:
	case OPT_URANGE:
	case OPT_SIZES:
	case OPT_CPUS:
	case OPT_COUNT:
		if (opt->min > 0)
			add(bad, "%" PRIu64, opt->min - 1);
		if (limited)
			add(bad, "%" PRIu64, opt->max + 1);
		add(bad, "99999999999999999999999");
		break;
	case OPT_TIME:
		if (opt->min > 0)
			add(bad, "%" PRIu64 "ns", opt->min - 1);
		if (limited)
			add(bad, "%" PRIu64 "ns", opt->max + 1);
		break;
	case OPT_PERCENT:
		if (limited)
			add(bad, "%" PRIu64 ".000001", opt->max / (uint64_t)UNITS_MICROS);
		break;
	case OPT_SPEED:
		if (opt->min > 0)
			add(bad, "0");
		break;
	default:
		break;
	}
}

/* Of another type, or nearly of this one. NULL: the type takes any such text. */
static const char *const wrong_type[][4] = {
	[OPT_BOOL] = {"maybe", "2"},
	[OPT_UINT] = {"6x", "-1", "1.5", "0x"},
	[OPT_URANGE] = {"6x", "-1", "9-5", "5-"},
	[OPT_SIZES] = {"6x", "-1", "9-5", "60 =1"},
	[OPT_COUNT] = {"6x", "-1", "endless"},
	[OPT_PPS] = {"fast", "-1", "1kk", "0.0000001"},
	[OPT_MBPS] = {"300x", "-1", "1e3", "0.0000001"},
	[OPT_PERCENT] = {"half", "-1", "5%%"},
	[OPT_SPEED] = {"fast", "-1", "1Q"},
	[OPT_TIME] = {"soon", "-1s", "10y", "1:2:3:4"},
	[OPT_WORD] = {"?", "5 5"},
	[OPT_NAME] = {"?x", "-x", "a b"},
	[OPT_HEX] = {"abc", "xy", "0x00"},
	[OPT_MAC] = {"02:00:00:00:00", "02:00:00:00:00:0g", "1.2.3.4", "02:00:00:00:00:01/"},
	[OPT_IP4] = {"1.2.3", "1.2.3.256", "2001:db8::1", "1.2.3.4/33"},
	[OPT_IP4_IF] = {"1.2.3.4", "1.2.3.4/33", "1.2.3/24"},
	[OPT_FLAGS] = {"syn+", "?", "-1"},
	[OPT_IP6] = {"2001:db8", "1.2.3.4", "2001:db8::1/129", "2001:db8::g"},
	[OPT_ADDR] = {"1.2.3", "2001:db8", "1.2.3.4/24"},
	[OPT_RATE] = {"fast", "-1pps", "100", "101%"},
	[OPT_ARGV] = {"'open", "\"open", " "},
	[OPT_ADDR_IF] = {"1.2.3.4", "1.2.3.4/33", "2001:db8::1/129", "1.2.3.4/24@4096"},
};

static const char *const wrong_vary[] = {
	"inc:", "inc:?", "rand:?", "list:?+?", "shuffle:?", "incr:1-2", "inc:?+step=0"};

static void make_bad(struct bad *bad, const struct opt *opt)
{
	bad->nb = 0;
	add_limits(bad, opt);
	if (opt->type < NB(wrong_type))
		for (unsigned i = 0; i < 4 && wrong_type[opt->type][i] != NULL; i++)
			add(bad, "%s", wrong_type[opt->type][i]);
	if (opt->type == OPT_TEXT)
		add(bad, "\x01");
	if ((opt->flags & OPT_VARY) != 0)
		for (unsigned i = 0; i < NB(wrong_vary); i++)
			add(bad, "%s", wrong_vary[i]);
}

static bool is_word_of(const struct opt *opt, const char *text)
{
	return opt_word_find(opt, text) != NULL;
}

/* A word of the option with a letter too many; the word it must be told from, or NULL. */
static const char *misspell(const struct opt *opt, char *out, size_t size)
{
	/* a name beside the words may be anything */
	if (opt->type == OPT_NAME)
		return NULL;
	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++) {
		if (strlen(w->name) < 4 || w->name[0] < 'a')
			continue;
		snprintf(out, size, "%sq", w->name);
		if (!is_word_of(opt, out))
			return w->name;
	}
	return NULL;
}

static void assert_is_told(
	const struct err *err, const char *place, const struct opt *opt, const char *value)
{
	char *allowed = opt_item_describe(opt);

	if (strncmp(err->text, place, strlen(place)) != 0)
		fail_msg("%s=%s: \"%s\" does not begin with \"%s\"", opt->name, value, err->text,
			place);
	if (strchr(err->text, '\n') != NULL)
		fail_msg("%s=%s: more than a line: %s", opt->name, value, err->text);
	if (strstr(err->text, allowed) == NULL)
		fail_msg("%s=%s: \"%s\" does not say what is allowed: %s", opt->name, value,
			err->text, allowed);
	free(allowed);
}

/* ---- command words ---- */

static void try_word(
	const struct opt_menu *menu, const struct opt *opt, const char *value, const char *nearest)
{
	char place[80], near[BAD_TEXT];
	struct err err = {0};
	struct opt_set set;
	char *word;

	opt_set_init(&set, menu);
	assert_true(asprintf(&word, "%s=%s", opt->name, value) > 0);
	if (opt_set_arg(&set, word, &err) != -EINVAL)
		fail_msg("%s %s is taken", menu->name, word);
	snprintf(place, sizeof(place), "%s: ", opt->name);
	assert_is_told(&err, place, opt, value);
	snprintf(near, sizeof(near), "did you mean \"%s\"", nearest != NULL ? nearest : "");
	if (nearest != NULL && strstr(err.text, near) == NULL)
		fail_msg("%s: \"%s\" does not name %s", word, err.text, nearest);
	free(word);
	opt_set_fini(&set);
}

/* ---- the file ---- */

static char *write_file(const char *text)
{
	char *path = strdup("/tmp/tgen-bad-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	return path;
}

/* The value is the 3rd line's; its column is known. Text outside of JSON's own must be escaped. */
static void try_file(const struct opt_menu *menu, const struct opt *opt, const char *value)
{
	const struct conf_kind kind = {.key = "objects", .menu = menu};
	char *text, *path, *place;
	struct err err = {0};
	struct conf *conf;

	assert_true(asprintf(&text, "{\"objects\": [\n {\n  \"%s\": \"%s\"}]}\n", opt->name,
			    value[0] == '\x01' ? "\\u0001" : value) > 0);
	path = write_file(text);
	conf = conf_load(path, &kind, 1, false, &err);
	if (conf != NULL)
		fail_msg("%s: %s=%s is taken", menu->name, opt->name, value);
	assert_true(asprintf(&place, "%s:3:%zu: objects[0].%s: ", path, strlen(opt->name) + 7,
			    opt->name) > 0);
	assert_is_told(&err, place, opt, value);
	unlink(path);
	free(place);
	free(path);
	free(text);
}

static unsigned each_option(const struct opt_menu *const *menus, size_t nb_menus,
	void (*call)(const struct opt_menu *menu, const struct opt *opt))
{
	unsigned nb = 0;

	for (size_t m = 0; m < nb_menus; m++)
		for (size_t s = 0; s < menus[m]->nb_sections; s++)
			for (size_t i = 0; i < menus[m]->sections[s]->nb; i++) {
				const struct opt *opt = opt_section_at(menus[m]->sections[s], i);

				if ((opt->flags & OPT_READONLY) != 0)
					continue;
				call(menus[m], opt);
				nb++;
			}
	return nb;
}

static void word_of_menu(const struct opt_menu *menu, const struct opt *opt)
{
	char wrong[BAD_TEXT];
	const char *nearest = misspell(opt, wrong, sizeof(wrong));
	struct bad bad;

	make_bad(&bad, opt);
	assert_true(bad.nb > 0);
	for (unsigned i = 0; i < bad.nb; i++)
		if (!is_word_of(opt, bad.text[i]))
			try_word(menu, opt, bad.text[i], NULL);
	if (nearest != NULL)
		try_word(menu, opt, wrong, nearest);
}

static void key_of_file(const struct opt_menu *menu, const struct opt *opt)
{
	struct bad bad;

	make_bad(&bad, opt);
	for (unsigned i = 0; i < bad.nb; i++)
		if (!is_word_of(opt, bad.text[i]))
			try_file(menu, opt, bad.text[i]);
}

static void misspelt_name(const struct opt_menu *menu, const struct opt *opt)
{
	char word[BAD_TEXT];
	struct err err = {0};
	struct opt_set set;

	snprintf(word, sizeof(word), "%sq", opt->name);
	if (opt_menu_find(menu, word) != NULL)
		return;
	opt_set_init(&set, menu);
	strcat(word, "=1");
	assert_int_equal(opt_set_arg(&set, word, &err), -EINVAL);
	if (strstr(err.text, "unknown word") == NULL || strstr(err.text, "did you mean") == NULL)
		fail_msg("%s: %s", word, err.text);
	opt_set_fini(&set);
}

static void a_wrong_word_of_any_command_is_told_with_what_is_allowed(void **state)
{
	(void)state;
	assert_true(each_option(command_menus, NB(command_menus), word_of_menu) > 40);
	assert_true(each_option(file_menus, NB(file_menus), word_of_menu) > 30);
}

static void a_wrong_value_in_a_file_is_told_with_line_and_column(void **state)
{
	(void)state;
	assert_true(each_option(file_menus, NB(file_menus), key_of_file) > 30);
}

static void a_misspelt_name_of_any_option_is_told_with_the_nearest(void **state)
{
	(void)state;
	each_option(command_menus, NB(command_menus), misspelt_name);
	each_option(file_menus, NB(file_menus), misspelt_name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_word_of_any_command_is_told_with_what_is_allowed),
		cmocka_unit_test(a_wrong_value_in_a_file_is_told_with_line_and_column),
		cmocka_unit_test(a_misspelt_name_of_any_option_is_told_with_the_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
