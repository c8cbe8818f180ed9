/* SPDX-License-Identifier: BSD-3-Clause */
#include "script_address.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "tgen/conf.h"
#include "tgen/log.h"
#include "tgen/units.h"

#define PORTS "ports"

enum address_opt { ADDRESS, INTERFACE, NETWORK, DISABLED, COMMENT, ADVERTISE, EUI_64, NB_OPTS };

/* clang-format off */
static const struct opt address_opts[NB_OPTS] = {
	[ADDRESS] = {.name = "address", .type = OPT_TEXT, .help = "address with its length, as 1.1.1.1/24"},
	[INTERFACE] = {.name = "interface", .type = OPT_TEXT, .help = "name of the port"},
	[NETWORK] = {.name = "network", .type = OPT_TEXT, .help = "must be the network of the address"},
	[DISABLED] = {.name = "disabled", .type = OPT_BOOL, .help = "only no: an address is there or not"},
	[COMMENT] = {.name = "comment", .type = OPT_TEXT, .help = "not kept"},
	[ADVERTISE] = {.name = "advertise", .type = OPT_BOOL, .help = "only no: no router is played"},
	[EUI_64] = {.name = "eui-64", .type = OPT_BOOL, .help = "only no: write the whole address"},
};
/* clang-format on */
static const struct opt_section address_section = OPT_SECTION(NULL, address_opts);
static const struct opt_section *const address_sections[] = {&address_section};
const struct opt_menu script_address_menu = {.name = "address",
	.help = "Addresses of the ports.",
	.sections = address_sections,
	.nb_sections = 1};

/* An address of a port. */
struct item {
	const struct opt_set *port;
	const struct opt_val *val;
};

/* A command at work. */
struct call {
	struct conf *conf;
	bool ip6;
	struct err *err;
	struct item *items; /* of the family, in the order of the file */
	unsigned nb;
};

static const char *given(const struct opt_set *set, enum address_opt opt)
{
	const struct opt_slot *slot = opt_set_get(set, &address_opts[opt]);

	return slot != NULL ? slot->vals[0].text : NULL;
}

static const char *port_name(const struct opt_set *port)
{
	return opt_set_one(port, &conf_port_opts[PORT_NAME]).text;
}

static int no_memory(struct err *err)
{
	return err_device(err, ENOMEM, "address");
}

/* To be called again after a change: values move. */
static int items_collect(struct call *call)
{
	free(call->items);
	call->items = NULL;
	call->nb = 0;
	for (unsigned p = 0; p < conf_nb(call->conf, PORTS); p++) {
		const struct opt_set *port = conf_at(call->conf, PORTS, p);
		const struct opt_slot *slot = opt_set_get(port, &conf_port_opts[PORT_ADDRESS]);

		for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
			struct item *more;

			if (slot->vals[i].is_ip6 != call->ip6)
				continue;
			more = realloc(call->items, (call->nb + 1) * sizeof(*more));
			if (more == NULL)
				return no_memory(call->err);
			call->items = more;
			more[call->nb++] = (struct item){port, &slot->vals[i]};
		}
	}
	return 0;
}

/* An interface is the port of that name, or the one whose device is that interface. */
static const struct opt_set *find_port(struct call *call, const char *name)
{
	const struct opt_set *port = conf_find(call->conf, PORTS, name);

	for (unsigned i = 0; port == NULL && i < conf_nb(call->conf, PORTS); i++) {
		const struct opt_set *other = conf_at(call->conf, PORTS, i);
		const char *device = opt_set_one(other, &conf_port_opts[PORT_DEVICE]).text;
		const char *colon = strchr(device, ':');

		if (colon != NULL && strcmp(colon + 1, name) == 0)
			port = other;
	}
	if (port == NULL)
		err_usage(call->err,
			"interface: there is no port \"%.80s\" in %s; make it first: tgen port add "
			"name=%.80s device=auto:%.80s",
			name, conf_path(call->conf), name, name);
	return port;
}

/* The addresses of a port as a list, without the one called gone, and with more. Caller frees. */
static char *address_list(const struct opt_set *port, const char *gone, const char *more)
{
	const struct opt_slot *slot = opt_set_get(port, &conf_port_opts[PORT_ADDRESS]);
	const char *before = "";
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	for (unsigned i = 0; slot != NULL && i < slot->nb_vals; i++) {
		if (gone != NULL && strcmp(slot->vals[i].text, gone) == 0)
			continue;
		fprintf(f, "%s%s", before, slot->vals[i].text);
		before = ",";
	}
	if (more != NULL)
		fprintf(f, "%s%s", before, more);
	return fclose(f) == 0 ? text : (free(text), NULL);
}

/* An error when network is not the one of an address. */
static int check_network(struct call *call, const char *network, const struct opt_val *val)
{
	char text[UNITS_TEXT_MAX];
	uint32_t ip, want = (uint32_t)(val->lo & val->mask);

	if (network == NULL)
		return 0;
	if (call->ip6 || units_parse_ip4(network, &ip) != 0)
		return err_usage(call->err, "network: \"%.80s\" is no IPv4 address", network);
	if (ip == want)
		return 0;
	return err_usage(call->err, "network: %s is not the network of %s, which is %s", network,
		val->text, units_fmt_ip4(text, want));
}

/* Gives a port another list of addresses; checks the last when it is new. */
static int port_update(struct call *call, const struct opt_set *port, const char *gone,
	const char *more, const char *network)
{
	const struct opt *opt = &conf_port_opts[PORT_ADDRESS];
	char *list = address_list(port, gone, more);
	struct opt_set set;
	int rc;

	if (list == NULL)
		return no_memory(call->err);
	opt_set_init(&set, &conf_port_menu);
	if (list[0] == '\0') {
		rc = conf_unset(call->conf, PORTS, port_name(port), opt, call->err);
	} else {
		rc = opt_set_text(&set, opt, list, (struct opt_pos){0}, call->err);
		if (rc == 0 && more != NULL) {
			const struct opt_slot *slot = opt_set_get(&set, opt);
			const struct opt_val *val = &slot->vals[slot->nb_vals - 1];

			if (val->is_ip6 != call->ip6)
				rc = err_usage(call->err, "address: %s belongs to /%s address",
					val->text, call->ip6 ? "ip" : "ipv6");
			else
				rc = check_network(call, network, val);
		}
		if (rc == 0)
			rc = conf_update(call->conf, PORTS, port_name(port), &set, call->err);
	}
	opt_set_fini(&set);
	free(list);
	return rc;
}

/* Takes the words; refuses what an address here cannot have. */
static int take_words(struct call *call, struct opt_set *set, int argc, char **argv)
{
	static const enum address_opt only_no[] = {DISABLED, ADVERTISE, EUI_64};
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = opt_set_arg(set, argv[i], call->err);
	for (size_t i = 0; rc == 0 && i < sizeof(only_no) / sizeof(only_no[0]); i++) {
		struct opt_val val;

		if (opt_set_val(set, &address_opts[only_no[i]], 0, &val) && val.lo != 0)
			rc = opt_error(call->err, set, &address_opts[only_no[i]],
				"yes is not supported here (%s)", address_opts[only_no[i]].help);
	}
	if (rc == 0 && given(set, COMMENT) != NULL)
		log_warning("the comment of an address is not kept: comment the port");
	return rc;
}

static int address_add(struct call *call, int argc, char **argv)
{
	const struct opt_set *port;
	struct opt_set set;
	int rc;

	opt_set_init(&set, &script_address_menu);
	rc = take_words(call, &set, argc, argv);
	if (rc == 0 && given(&set, ADDRESS) == NULL)
		rc = err_usage(call->err, "address: is missing");
	if (rc == 0 && given(&set, INTERFACE) == NULL)
		rc = err_usage(call->err, "interface: is missing: the name of a port");
	if (rc == 0) {
		port = find_port(call, given(&set, INTERFACE));
		rc = port == NULL ? -EINVAL
				  : port_update(call, port, NULL, given(&set, ADDRESS),
					    given(&set, NETWORK));
	}
	opt_set_fini(&set);
	return rc;
}

/* The item that text means: its number, or its address. */
static const struct item *find_item(struct call *call, const char *text, size_t len)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (len > 0 && end == text + len && number < call->nb)
		return &call->items[number];
	for (unsigned i = 0; i < call->nb; i++)
		if (strncmp(call->items[i].val->text, text, len) == 0 &&
			call->items[i].val->text[len] == '\0')
			return &call->items[i];
	err_usage(call->err, "no address \"%.*s\" (print shows those that there are)",
		(int)(len > 80 ? 80 : len), text);
	return NULL;
}

/* Changes one address: another port, another value, or both; with neither it goes. */
static int item_change(struct call *call, const struct item *item, const struct opt_set *set)
{
	const char *interface = given(set, INTERFACE), *network = given(set, NETWORK);
	const char *address = given(set, ADDRESS);
	const struct opt_set *port = item->port;
	char *old = strdup(item->val->text);
	int rc = old == NULL ? no_memory(call->err) : 0;

	if (rc == 0 && interface != NULL && (port = find_port(call, interface)) == NULL)
		rc = -EINVAL;
	if (rc == 0)
		rc = port_update(call, item->port, old, NULL, NULL);
	if (rc == 0 && set->nb_slots > 0)
		rc = port_update(call, port, NULL, address != NULL ? address : old, network);
	free(old);
	return rc;
}

/* set, and with no value remove. A change moves values: numbers are those before it. */
static int address_change(struct call *call, bool removes, int argc, char **argv)
{
	const char *names = argc > 0 ? argv[0] : "";
	struct opt_set set;
	unsigned *chosen = calloc(call->nb + 1, sizeof(*chosen)), nb = 0;
	int rc = chosen == NULL ? no_memory(call->err) : 0;

	if (strncmp(names, "numbers=", strlen("numbers=")) == 0)
		names += strlen("numbers=");
	else if (strchr(names, '=') != NULL)
		names = "";
	opt_set_init(&set, &script_address_menu);
	if (rc == 0 && names[0] == '\0')
		rc = err_usage(call->err, "which address? its number, or the address itself");
	else if (rc == 0)
		rc = take_words(call, &set, argc - 1, argv + 1);
	if (rc == 0 && removes != (set.nb_slots == 0))
		rc = removes ? err_usage(call->err, "\"%.80s\" is one word too many", argv[1])
			     : err_usage(call->err, "nothing to set: no name=value is given");
	while (rc == 0 && *names != '\0') {
		size_t len = strcspn(names, ",");
		const struct item *item = find_item(call, names, len);

		if (item == NULL)
			rc = -EINVAL;
		else if (nb == call->nb)
			rc = err_usage(call->err, "an address is named twice");
		else
			chosen[nb++] = (unsigned)(item - call->items);
		names += len + (names[len] == ',');
	}
	/* from the last on, what comes before stays where it is */
	for (unsigned n = call->nb; rc == 0 && n-- > 0;)
		for (unsigned i = 0; rc == 0 && i < nb; i++) {
			if (chosen[i] != n)
				continue;
			rc = item_change(call, &call->items[n], &set);
			if (rc == 0)
				rc = items_collect(call);
			break;
		}
	opt_set_fini(&set);
	free(chosen);
	return rc;
}

static bool is_disabled(const struct opt_set *port)
{
	return opt_set_one(port, &conf_port_opts[PORT_DISABLED]).lo != 0;
}

static int address_print(struct call *call, int argc, char **argv)
{
	if (argc > 0 && strcmp(argv[0], "detail") != 0)
		return err_usage(call->err, "\"%.80s\" is one word too many", argv[0]);
	printf("Flags: X - port disabled\n%3s   %-44s %-16s %s\n", "#", "ADDRESS",
		call->ip6 ? "" : "NETWORK", "INTERFACE");
	for (unsigned i = 0; i < call->nb; i++) {
		const struct item *item = &call->items[i];
		char text[UNITS_TEXT_MAX] = "";

		if (!call->ip6)
			units_fmt_ip4(text, (uint32_t)(item->val->lo & item->val->mask));
		printf("%3u %c %-44s %-16s %s\n", i, is_disabled(item->port) ? 'X' : ' ',
			item->val->text, text, port_name(item->port));
	}
	return 0;
}

static int run_verb(struct call *call, int argc, char **argv)
{
	if (strcmp(argv[0], "add") == 0)
		return address_add(call, argc - 1, argv + 1);
	if (strcmp(argv[0], "print") == 0)
		return address_print(call, argc - 1, argv + 1);
	return address_change(call, strcmp(argv[0], "remove") == 0, argc - 1, argv + 1);
}

static int call_open(struct call *call, const char *config, bool changes)
{
	char *path = conf_path_find(config, false, call->err);

	if (path == NULL)
		return -EINVAL;
	call->conf = (changes ? conf_load_to_change : conf_load)(
		path, cli_conf_kinds, cli_nb_conf_kinds, true, call->err);
	free(path);
	return call->conf == NULL ? -EINVAL : items_collect(call);
}

static void call_close(struct call *call)
{
	free(call->items);
	conf_free(call->conf);
}

int script_address(const char *config, bool ip6, int argc, char **argv, struct err *err)
{
	struct call call = {.ip6 = ip6, .err = err};
	bool changes = strcmp(argv[0], "print") != 0;
	int rc = call_open(&call, config, changes);

	if (rc == 0)
		rc = run_verb(&call, argc, argv);
	if (rc == 0 && changes)
		rc = conf_save(call.conf, err);
	call_close(&call);
	return rc;
}

/* Whether an address has the values looked for. */
static bool is_found(const struct item *item, const struct opt_set *filter)
{
	const char *address = given(filter, ADDRESS), *interface = given(filter, INTERFACE);
	const char *network = given(filter, NETWORK), *device;
	uint32_t ip;

	device = strchr(opt_set_one(item->port, &conf_port_opts[PORT_DEVICE]).text, ':');
	if (address != NULL && strcmp(address, item->val->text) != 0)
		return false;
	if (interface != NULL && strcmp(interface, port_name(item->port)) != 0 &&
		(device == NULL || strcmp(interface, device + 1) != 0))
		return false;
	return network == NULL || (units_parse_ip4(network, &ip) == 0 && !item->val->is_ip6 &&
					  ip == (item->val->lo & item->val->mask));
}

char *script_address_find(const char *config, bool ip6, int argc, char **argv, struct err *err)
{
	struct call call = {.ip6 = ip6, .err = err};
	const char *before = "";
	struct opt_set filter;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	int rc = f == NULL ? no_memory(err) : call_open(&call, config, false);

	opt_set_init(&filter, &script_address_menu);
	if (rc == 0)
		rc = take_words(&call, &filter, argc, argv);
	for (unsigned i = 0; rc == 0 && i < call.nb; i++) {
		if (!is_found(&call.items[i], &filter))
			continue;
		fprintf(f, "%s%u", before, i);
		before = ",";
	}
	opt_set_fini(&filter);
	call_close(&call);
	if (f != NULL)
		fclose(f);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}
