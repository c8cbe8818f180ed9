/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "objects.h"

struct menu {
	const char *name;
	int parent;
	const char *kind; /* command of the objects it holds; NULL: none */
	const char *help;
};

/* clang-format off */
static const struct menu menus[] = {
	[SCRIPT_ROOT] = {"", SCRIPT_ROOT, NULL, ""},
	[SCRIPT_TOOL] = {"tool", SCRIPT_ROOT, NULL, "RouterOS's menu of tools"},
	[SCRIPT_GENERATOR] = {"traffic-generator", SCRIPT_TOOL, "settings",
		"all of tgen; its menus and commands are also those of /"},
	[SCRIPT_IP] = {"ip", SCRIPT_ROOT, NULL, "IPv4"},
	[SCRIPT_IP_ADDRESS] = {"address", SCRIPT_IP, NULL, "IPv4 addresses of the ports"},
	[SCRIPT_IPV6] = {"ipv6", SCRIPT_ROOT, NULL, "IPv6"},
	[SCRIPT_IPV6_ADDRESS] = {"address", SCRIPT_IPV6, NULL, "IPv6 addresses of the ports"},
	[SCRIPT_STATS] = {"stats", SCRIPT_GENERATOR, NULL, "figures of the running or the last run"},
	[SCRIPT_OTHER] = {"stream", SCRIPT_STATS, NULL, "a row a stream"},
	{"port", SCRIPT_STATS, NULL, "a row a port"},
	{"raw", SCRIPT_STATS, NULL, "a row a stream and port"},
	{"latency-distribution", SCRIPT_STATS, NULL, "the distribution of latency"},
	{"packet-template", SCRIPT_GENERATOR, "packet-template", "packet templates"},
	{"raw-packet-template", SCRIPT_GENERATOR, "raw-packet-template", "templates made of bytes"},
	{"stream", SCRIPT_GENERATOR, "stream", "streams"},
	{"port", SCRIPT_GENERATOR, "port", "ports of the generator"},
	{"settings", SCRIPT_GENERATOR, "settings", "what holds for every run"},
};

/* What the language itself has no use for, or what runs scripts: no command of a script. */
static const char *const hidden[] = {"script", "console", "completion", "stats"};

/* RouterOS's commands of the generator, which a version may not have. */
static const char *const generator_commands[] = {"start", "stop", "inject", "inject-pcap"};

struct verb {
	const char *name, *help;
};
static const struct verb address_verbs[] = {
	{"add", "give a port an address: address=A/LEN interface=PORT [network=A]"},
	{"set", "change addresses: NUMBER|ADDRESS address=… interface=…"},
	{"remove", "take addresses from their ports: NUMBER|ADDRESS"},
	{"print", "show the addresses of all ports"},
};
/* clang-format on */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static bool is_one_of(const char *name, const char *const *words, size_t nb)
{
	for (size_t i = 0; i < nb; i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

const struct cli_object_kind *script_menu_kind(int menu)
{
	return menus[menu].kind != NULL ? cli_object_kind_find(menus[menu].kind) : NULL;
}

/* A menu whose objects this version does not have is not there. */
static bool is_there(int menu)
{
	return menus[menu].kind == NULL || script_menu_kind(menu) != NULL;
}

/* What the generator's menu holds, the root holds too. */
static bool is_below(int menu, int parent)
{
	return menu != SCRIPT_ROOT &&
	       (menus[menu].parent == parent ||
		       (parent == SCRIPT_ROOT && menus[menu].parent == SCRIPT_GENERATOR));
}

static bool is_generator(int menu)
{
	return menu == SCRIPT_GENERATOR || menu == SCRIPT_ROOT;
}

bool script_menu_has_addresses(int menu)
{
	return menu == SCRIPT_IP_ADDRESS || menu == SCRIPT_IPV6_ADDRESS;
}

static unsigned kind_items(
	const struct cli_object_kind *kind, struct script_item *out, unsigned nb, bool skip_export)
{
	struct script_item item = {.menu = -1};
	const char *words;

	for (unsigned i = 0;
		nb < SCRIPT_MAX_ITEMS && cli_objects_verb(kind, i, &item.name, &words, &item.help);
		i++)
		if (!skip_export || strcmp(item.name, "export") != 0)
			out[nb++] = item;
	return nb;
}

static unsigned generator_items(struct script_item *out, unsigned nb)
{
	for (unsigned i = 0; i < cli_nb_commands && nb < SCRIPT_MAX_ITEMS; i++) {
		const struct cli_command *c = &cli_commands[i];

		if (c->kind == NULL && !is_one_of(c->name, hidden, COUNT(hidden)))
			out[nb++] = (struct script_item){c->name, c->help, -1};
	}
	/* the settings are the generator's own; its export is that of everything */
	return kind_items(cli_object_kind_find("settings"), out, nb, true);
}

unsigned script_menu_items(int menu, struct script_item out[SCRIPT_MAX_ITEMS])
{
	unsigned nb = 0;

	for (size_t i = 0; i < COUNT(menus); i++)
		if (is_below((int)i, menu) && is_there((int)i))
			out[nb++] = (struct script_item){menus[i].name, menus[i].help, (int)i};
	if (is_generator(menu))
		return generator_items(out, nb);
	if (script_menu_kind(menu) != NULL)
		return kind_items(script_menu_kind(menu), out, nb, false);
	for (size_t i = 0; script_menu_has_addresses(menu) && i < COUNT(address_verbs); i++)
		out[nb++] = (struct script_item){address_verbs[i].name, address_verbs[i].help, -1};
	if (menus[menu].parent == SCRIPT_STATS)
		out[nb++] = (struct script_item){"print", "show the figures", -1};
	return nb;
}

void script_menu_path(int menu, char *out, size_t size)
{
	char above[128] = "";

	if (menu == SCRIPT_ROOT) {
		snprintf(out, size, "/");
		return;
	}
	if (menus[menu].parent != SCRIPT_ROOT)
		script_menu_path(menus[menu].parent, above, sizeof(above));
	snprintf(out, size, "%s%s%s", above, above[0] != '\0' ? " " : "/", menus[menu].name);
}

const char *script_menu_name(int menu)
{
	return menus[menu].name;
}

/* Whether word is what another version of tgen, or RouterOS, has in a menu. */
static bool is_elsewhere(int menu, const char *word)
{
	for (size_t i = 0; i < COUNT(menus); i++)
		if (is_below((int)i, menu) && strcmp(menus[i].name, word) == 0)
			return true;
	return is_generator(menu) && is_one_of(word, generator_commands, COUNT(generator_commands));
}

static bool has_item(int menu, const char *word)
{
	struct script_item items[SCRIPT_MAX_ITEMS];
	unsigned nb = script_menu_items(menu, items);

	for (unsigned i = 0; i < nb; i++)
		if (strcmp(items[i].name, word) == 0)
			return true;
	return false;
}

static int unknown_item(
	int menu, const char *word, const struct script_item *items, unsigned nb, struct err *err)
{
	const char *names[SCRIPT_MAX_ITEMS], *near;
	char path[128];

	script_menu_path(menu, path, sizeof(path));
	if (is_elsewhere(menu, word))
		return err_usage(err, "\"%s\" of %s is not in this version of tgen", word, path);
	for (unsigned i = 0; i < nb; i++)
		names[i] = items[i].name;
	near = opt_nearest(word, names, nb);
	if (near != NULL)
		return err_usage(err, "no \"%.80s\" in %s, did you mean \"%s\"?", word, path, near);
	if (menu == SCRIPT_ROOT || menu == SCRIPT_TOOL || menu == SCRIPT_IP || menu == SCRIPT_IPV6)
		return err_usage(err,
			"no \"%.80s\" in %s: of RouterOS, tgen has /tool traffic-generator, "
			"/ip address and /ipv6 address",
			word, path);
	if (has_item(SCRIPT_GENERATOR, word))
		return err_usage(err,
			"no \"%.80s\" in %s, but in /tool traffic-generator: write /%s, or go up "
			"with \"..\"",
			word, path, word);
	return err_usage(
		err, "no \"%.80s\" in %s (? lists what there is in the console)", word, path);
}

/* An item by its name or by the beginning of its name alone. NULL with err. */
static int find_item(int menu, const char *word, struct script_item *out, struct err *err)
{
	struct script_item items[SCRIPT_MAX_ITEMS];
	unsigned nb = script_menu_items(menu, items), hits = 0;
	size_t len = strlen(word);
	char list[256] = "";

	for (unsigned i = 0; i < nb; i++) {
		if (strncmp(items[i].name, word, len) != 0)
			continue;
		if (items[i].name[len] == '\0') {
			*out = items[i];
			return 0;
		}
		if (hits++ == 0)
			*out = items[i];
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			hits > 1 ? ", " : "", items[i].name);
	}
	if (hits == 1 && len > 0)
		return 0;
	if (hits > 1 && len > 0 && !is_elsewhere(menu, word))
		return err_usage(err, "\"%s\" may be %s", word, list);
	return unknown_item(menu, word, items, nb, err);
}

/* One step of a path; sets out->verb when it is a command. */
static int take_step(struct script_command *out, const char *step, struct err *err)
{
	struct script_item item;
	int rc;

	if (strcmp(step, "..") == 0) {
		out->menu = menus[out->menu].parent;
		return 0;
	}
	rc = find_item(out->menu, step, &item, err);
	if (rc != 0)
		return rc;
	if (item.menu >= 0)
		out->menu = item.menu;
	else
		out->verb = item.name;
	return 0;
}

/* A word of a path: `traffic-generator`, `/ip/address/add`, `..`. */
static int take_path(struct script_command *out, const struct script_word *word, struct err *err)
{
	char *copy = strdup(word->text), *save = NULL;
	int rc = copy == NULL ? err_device(err, ENOMEM, "script") : 0;

	if (word->text[0] == '/')
		out->menu = SCRIPT_ROOT;
	for (char *step = rc == 0 ? strtok_r(copy, "/", &save) : NULL; rc == 0 && step != NULL;
		step = strtok_r(NULL, "/", &save)) {
		if (out->verb != NULL)
			rc = err_usage(err, "\"%s\" is a command: \"%.80s\" is a word too much",
				out->verb, step);
		else
			rc = take_step(out, step, err);
	}
	free(copy);
	return rc;
}

/* A line that begins with a value: the one before has broken. */
static int no_command(const struct script_word *word, struct err *err)
{
	if (word->value >= 0)
		return err_usage(err,
			"\"%.80s\" is no command: if it belongs to the line before, end that line "
			"with a \\",
			word->text);
	return err_usage(err, "\"%.80s\" is no command", word->text);
}

int script_parse(const struct script_line *line, int menu, struct script_command *out,
	struct opt_pos *fault, struct err *err)
{
	*out = (struct script_command){.menu = menu};
	for (; out->first < line->nb && out->verb == NULL; out->first++) {
		const struct script_word *word = &line->words[out->first];
		int rc = 0;

		*fault = word->pos;
		if (word->value >= 0 || word->quoted || word->has_find) {
			if (out->first == 0 || menus[out->menu].parent != SCRIPT_STATS)
				return no_command(word, err);
			out->verb = "print"; /* figures are only shown */
			break;
		}
		rc = take_path(out, word, err);
		if (rc != 0)
			return rc;
	}
	/* what is the same at the top is the generator's */
	if (out->menu == SCRIPT_ROOT && out->verb != NULL)
		out->menu = SCRIPT_GENERATOR;
	return 0;
}
