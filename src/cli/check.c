/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_plan.h"
#include "objects.h"
#include "tgen/pkt.h"

/*
 * `tgen check`: all that can be said of a file before a port is opened. With words of a run, or
 * streams in the file, the plan of that run; else where each template would go.
 */

static const unsigned usual_sizes[] = {60, 1514};
#define NB_USUAL      (sizeof(usual_sizes) / sizeof(usual_sizes[0]))
#define MOST_STAND_IN 1514u /* packet-size=0 where no port is known */

/* Addresses that are only known later: just the user's own words are judged. */
#define MAC_STAND_IN 0x020000000002ull
#define IP_STAND_IN  0x7f000001u

struct check {
	struct check_plan found;
	struct err *err;
};

static void warn(struct check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void warn(struct check *c, const char *fmt, ...)
{
	struct check_plan *found = &c->found;
	char **more = realloc(found->warnings, (found->nb_warnings + 1) * sizeof(*more));
	va_list ap;

	if (more == NULL)
		return;
	found->warnings = more;
	va_start(ap, fmt);
	if (vasprintf(&more[found->nb_warnings], fmt, ap) >= 0)
		found->nb_warnings++;
	va_end(ap);
}

/* The signature must fit into the last fragment, or the frame is counted lost. */
static void check_fragments(struct check *c, const char *name, const struct pkt_frame *frame)
{
	unsigned mtu, nb, last;
	struct opt_val val;

	if (!opt_set_val(c->found.words, &conf_check_opts[CHECK_MTU], 0, &val) ||
		frame->sig_off == 0)
		return;
	mtu = (unsigned)val.lo;
	nb = pkt_fragments(frame, mtu, &last);
	if (nb == 1 || last >= SIG_BYTES)
		return;
	warn(c,
		"%s at %u bytes over an MTU of %u: the last of %u fragments carries %u bytes, "
		"less than the signature's %u: such frames are counted fragment and lost; use "
		"another size",
		name, frame->size, mtu, nb, last, SIG_BYTES);
}

static int check_size(struct check *c, const struct opt_set *tmpl, const char *name, unsigned size)
{
	struct pkt_assumed assumed = {.mac_src = MAC_STAND_IN,
		.mac_dst = MAC_STAND_IN,
		.ip_src = IP_STAND_IN,
		.ip6_src_lo = 1};
	struct pkt_frame frame;

	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_REPLY_TO]) != NULL)
		assumed.ip_dst = IP_STAND_IN;
	if (pkt_build(tmpl, &assumed, size, &frame, c->err) < 0)
		return -EINVAL;
	c->found.nb_built++;
	check_fragments(c, name, &frame);
	pkt_frame_fini(&frame);
	return 0;
}

/* ---- templates alone ---- */

/* Every size of one item of packet-size. */
static int check_mix(
	struct check *c, const struct opt_set *tmpl, const char *name, const char *item)
{
	const struct pkt_size_facts facts = {.most = MOST_STAND_IN};
	struct pkt_sizes sizes;
	int rc = pkt_sizes_parse(item, &facts, &sizes, c->err);

	if (rc < 0)
		return opt_error(c->err, c->found.words, &conf_stream_opts[STREAM_PACKET_SIZE],
			"%s", c->err->text);
	for (unsigned i = 0; rc == 0 && i < sizes.nb; i++)
		rc = check_size(c, tmpl, name, sizes.bytes[i]);
	pkt_sizes_fini(&sizes);
	return rc;
}

static int check_sizes(struct check *c, const struct opt_set *tmpl, const char *name)
{
	const struct opt_slot *sizes =
		opt_set_get(c->found.words, &conf_stream_opts[STREAM_PACKET_SIZE]);
	int rc = 0;

	for (unsigned i = 0; sizes != NULL && rc == 0 && i < sizes->nb_vals; i++)
		rc = check_mix(c, tmpl, name, sizes->vals[i].text);
	for (unsigned i = 0; sizes == NULL && rc == 0 && i < NB_USUAL; i++)
		rc = check_size(c, tmpl, name, usual_sizes[i]);
	return rc;
}

static int check_template(struct check *c, const struct opt_set *tmpl)
{
	const char *name = opt_set_one(tmpl, &pkt_template_opts[TMPL_NAME]).text;
	struct plan *plan = c->found.plan;
	struct plan_stream *s;

	if (check_sizes(c, tmpl, name) < 0)
		return -EINVAL;
	if (plan == NULL)
		return 0;
	s = &plan->streams[plan->nb_streams];
	if (plan_route(plan->ports, plan->nb_ports, tmpl, NULL, &s->route, c->err) < 0)
		return -EINVAL;
	plan->nb_streams++;
	s->name = name;
	s->tmpl = tmpl;
	s->packet_count = UINT64_MAX;
	s->reply.stream = -1;
	s->transmit_only = opt_set_one(tmpl, &pkt_template_opts[TMPL_SPECIAL_FOOTER]).lo == 0;
	return 0;
}

/* The lists of the file that hold templates. */
static const char *const template_keys[] = {"packet-templates", "raw-packet-templates"};
#define NB_KEYS (sizeof(template_keys) / sizeof(template_keys[0]))

static int check_all(struct check *c)
{
	const struct conf *conf = c->found.conf;

	for (size_t k = 0; k < NB_KEYS; k++)
		for (unsigned i = 0; i < conf_nb(conf, template_keys[k]); i++)
			if (check_template(c, conf_at(conf, template_keys[k], i)) < 0)
				return -EINVAL;
	return 0;
}

static int check_named(struct check *c, const char *name)
{
	const struct conf *conf = c->found.conf;

	for (size_t k = 0; k < NB_KEYS; k++) {
		const struct opt_set *tmpl = conf_find(conf, template_keys[k], name);

		if (tmpl != NULL)
			return check_template(c, tmpl);
	}
	return conf_not_found(conf, template_keys[0], "packet-template", name, c->err);
}

static int check_templates(struct check *c)
{
	const struct opt_slot *names =
		opt_set_get(c->found.words, &conf_quick_opts[QUICK_TX_TEMPLATE]);
	unsigned nb = names != NULL ? names->nb_vals : 0;

	for (size_t k = 0; names == NULL && k < NB_KEYS; k++)
		nb += conf_nb(c->found.conf, template_keys[k]);
	if (c->found.plan != NULL) {
		c->found.plan->streams = calloc(nb + 1, sizeof(*c->found.plan->streams));
		if (c->found.plan->streams == NULL)
			return err_device(c->err, ENOMEM, "plan");
	}
	if (names == NULL)
		return check_all(c);
	for (unsigned i = 0; i < nb; i++)
		if (check_named(c, names->vals[i].text) < 0)
			return -EINVAL;
	return 0;
}

/* ---- a run ---- */

static bool has_streams(const struct conf *conf)
{
	for (unsigned i = 0; i < cli_nb_conf_kinds; i++)
		if (strcmp(cli_conf_kinds[i].key, "streams") == 0)
			return conf_nb(conf, "streams") > 0;
	return false;
}

/* Templates and sizes alone are no run. */
static bool wants_run(const struct opt_set *words, const struct conf *conf)
{
	bool has_templates = false;

	for (unsigned i = 0; i < words->nb_slots; i++) {
		const struct opt *opt = words->slots[i].opt;

		if (opt == &conf_quick_opts[QUICK_TX_TEMPLATE])
			has_templates = true;
		else if (opt != &conf_stream_opts[STREAM_PACKET_SIZE] &&
			 opt != &conf_check_opts[CHECK_MTU])
			return true;
	}
	return !has_templates && has_streams(conf);
}

static int guess_ports(struct check *c, struct plan_facts *facts)
{
	if (engine_guess_ports(c->found.plan, c->found.guesses, c->err) < 0)
		return -EINVAL;
	for (unsigned p = 0; p < c->found.plan->nb_ports; p++)
		facts[p] = c->found.guesses[p].facts;
	return 0;
}

static int run_plan(struct check *c, const struct plan_cpu *cpus, unsigned nb_cpus)
{
	struct plan_facts facts[PLAN_MAX_PORTS];
	struct plan *plan = plan_new(c->found.conf, c->found.words, cpus, nb_cpus, c->err);

	c->found.plan = plan;
	c->found.is_run = true;
	if (plan == NULL || guess_ports(c, facts) < 0 || plan_size(plan, facts, c->err) < 0)
		return -EINVAL;
	if (engine_needs_of(plan, c->found.guesses, &c->found.needs) < 0)
		return err_device(c->err, ENOMEM, "plan");
	for (unsigned i = 0; i < plan->nb_streams; i++)
		if (check_size(c, plan->streams[i].tmpl, plan->streams[i].name,
			    plan->streams[i].size) < 0)
			return -EINVAL;
	return 0;
}

/* A file of templates alone may have no ports yet. */
static int template_plan(struct check *c, const struct plan_cpu *cpus, unsigned nb_cpus)
{
	struct plan_facts facts[PLAN_MAX_PORTS];

	if (conf_nb(c->found.conf, "ports") > 0) {
		c->found.plan = plan_new_ports(c->found.conf, NULL, cpus, nb_cpus, c->err);
		if (c->found.plan == NULL || guess_ports(c, facts) < 0)
			return -EINVAL;
	}
	return check_templates(c);
}

static int run(struct check *c, bool as_json)
{
	struct plan_cpu *cpus = NULL;
	int nb = engine_cpus(&cpus), rc;

	if (nb <= 0)
		return err_device(c->err, -nb, "the CPUs of this process");
	rc = wants_run(c->found.words, c->found.conf) ? run_plan(c, cpus, (unsigned)nb)
						      : template_plan(c, cpus, (unsigned)nb);
	free(cpus);
	if (rc < 0)
		return rc;
	if (as_json)
		return check_print_json(&c->found, c->err);
	check_print(&c->found);
	return TGEN_OK;
}

static void check_fini(struct check *c)
{
	for (unsigned i = 0; i < c->found.nb_warnings; i++)
		free(c->found.warnings[i]);
	free(c->found.warnings);
	plan_free(c->found.plan);
}

static int form_read(const struct cli *cli, bool *as_json, struct err *err)
{
	const char *form = cli->nb_outputs > 0 ? cli->outputs[0] : "table";

	*as_json = strcmp(form, "json") == 0;
	if (cli->nb_outputs > 1 || (!*as_json && strcmp(form, "table") != 0))
		return err_usage(err, "output: check prints table or json, to standard output");
	return 0;
}

int cli_check(const struct cli *cli, int argc, char **argv, struct err *err)
{
	const char *file = cli->config;
	struct check c = {.err = err};
	struct conf *conf = NULL;
	struct opt_set words;
	char *path = NULL;
	bool as_json;
	int rc = form_read(cli, &as_json, err);

	opt_set_init(&words, &conf_check_menu);
	for (int i = 0; rc == 0 && i < argc; i++) {
		if (i == 0 && strchr(argv[0], '=') == NULL)
			file = argv[0];
		else
			rc = opt_set_arg(&words, argv[i], err);
	}
	if (rc == 0)
		path = conf_path_find(file, true, err);
	if (path != NULL)
		conf = conf_load(path, cli_conf_kinds, cli_nb_conf_kinds, false, err);
	c.found.conf = conf;
	c.found.words = &words;
	rc = conf != NULL ? run(&c, as_json) : -EINVAL;
	check_fini(&c);
	conf_free(conf);
	free(path);
	opt_set_fini(&words);
	return rc;
}
