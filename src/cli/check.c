/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "tgen/conf.h"
#include "tgen/pkt.h"
#include "tgen/plan.h"

/* `tgen check`: all that can be said of a file before a port is opened. */

static const unsigned usual_sizes[] = {60, 1514};

struct check {
	const struct conf *conf;
	struct plan *plan; /* of the ports; NULL: there are none */
	const struct opt_set *words;
	unsigned nb_built, nb_warnings;
	struct err *err;
};

/* The signature must fit into the last fragment, or the frame is counted lost. */
static void check_fragments(struct check *c, const char *name, const struct pkt_frame *frame)
{
	unsigned mtu, nb, last;
	struct opt_val val;

	if (!opt_set_val(c->words, &conf_check_opts[CHECK_MTU], 0, &val) || frame->sig_off == 0)
		return;
	mtu = (unsigned)val.lo;
	nb = pkt_fragments(frame, mtu, &last);
	if (nb == 1 || last >= SIG_BYTES)
		return;
	printf("warning: %s at %u bytes over an MTU of %u: the last of %u fragments carries %u "
	       "bytes, "
	       "less than the signature's %u: such frames are counted fragment and lost; use "
	       "another "
	       "size\n",
		name, frame->size, mtu, nb, last, SIG_BYTES);
	c->nb_warnings++;
}

static int check_size(struct check *c, const struct opt_set *tmpl, unsigned size)
{
	/* MAC addresses and what is learned later stand in: only the user's own words are judged */
	struct pkt_assumed assumed = {.mac_src = 0x020000000001ull,
		.mac_dst = 0x020000000002ull,
		.ip_src = 0x7f000001,
		.ip_dst = 0};
	const char *name = opt_set_one(tmpl, &pkt_template_opts[TMPL_NAME]).text;
	struct pkt_frame frame;

	if (opt_set_get(tmpl, &pkt_template_opts[TMPL_REPLY_TO]) != NULL)
		assumed.ip_dst = 0x7f000001;
	if (pkt_build(tmpl, &assumed, size, &frame, c->err) < 0)
		return -EINVAL;
	c->nb_built++;
	check_fragments(c, name, &frame);
	return 0;
}

static int check_template(struct check *c, const struct opt_set *tmpl)
{
	const struct opt_slot *sizes = opt_set_get(c->words, &conf_check_opts[CHECK_PACKET_SIZE]);
	unsigned nb = sizes != NULL ? sizes->nb_vals : sizeof(usual_sizes) / sizeof(usual_sizes[0]);
	struct plan_route route;

	if (c->plan != NULL &&
		plan_route(c->plan->ports, c->plan->nb_ports, tmpl, NULL, &route, c->err) < 0)
		return -EINVAL;
	for (unsigned i = 0; i < nb; i++)
		if (check_size(c, tmpl,
			    sizes != NULL ? (unsigned)sizes->vals[i].lo : usual_sizes[i]) < 0)
			return -EINVAL;
	return 0;
}

static int check_templates(struct check *c)
{
	const struct opt_slot *names = opt_set_get(c->words, &conf_check_opts[CHECK_TX_TEMPLATE]);
	unsigned nb = names != NULL ? names->nb_vals : conf_nb(c->conf, "packet-templates");

	for (unsigned i = 0; i < nb; i++) {
		const struct opt_set *tmpl =
			names == NULL ? conf_at(c->conf, "packet-templates", i)
				      : conf_find(c->conf, "packet-templates", names->vals[i].text);

		if (tmpl == NULL)
			return conf_not_found(c->conf, "packet-templates", "packet-template",
				names->vals[i].text, c->err);
		if (check_template(c, tmpl) < 0)
			return -EINVAL;
	}
	return 0;
}

static int run(struct check *c)
{
	const struct plan_cpu any = {.cpu = 0, .numa_node = -1};

	if (conf_nb(c->conf, "ports") > 0) {
		c->plan = plan_new_ports(c->conf, NULL, &any, 1, c->err);
		if (c->plan == NULL)
			return -EINVAL;
	}
	if (check_templates(c) < 0)
		return -EINVAL;
	printf("%s: %u ports, %u packet-templates, %u frames built: no errors, %u warnings\n",
		conf_path(c->conf), conf_nb(c->conf, "ports"), conf_nb(c->conf, "packet-templates"),
		c->nb_built, c->nb_warnings);
	return TGEN_OK;
}

int cli_check(const struct cli *cli, int argc, char **argv, struct err *err)
{
	const char *file = cli->config;
	struct conf *conf = NULL;
	struct opt_set words;
	struct check c = {.words = &words, .err = err};
	char *path = NULL;
	int rc = 0;

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
	c.conf = conf;
	rc = conf != NULL ? run(&c) : -EINVAL;
	plan_free(c.plan);
	conf_free(conf);
	free(path);
	opt_set_fini(&words);
	return rc;
}
