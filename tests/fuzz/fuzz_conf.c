/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tgen/conf.h"
#include "tgen/pkt.h"

/*
 * Any bytes as a configuration file, and every line of them as a command word: each is read or
 * refused with a message, and what is read can be built into frames or is refused as well.
 */

static const struct conf_kind kinds[] = {
	{"settings", &conf_settings_menu, true},
	{"ports", &conf_port_menu, false},
	{"packet-templates", &pkt_template_menu, false},
};

static void build_all(const struct conf *conf)
{
	const struct pkt_assumed assumed = {
		.mac_src = 0x020000000001ull, .mac_dst = 0x020000000002ull, .ip_src = 0x01010101};

	for (unsigned i = 0; i < conf_nb(conf, "packet-templates"); i++) {
		struct pkt_frame frame;
		struct err err = {0};

		if (pkt_build(conf_at(conf, "packet-templates", i), &assumed, 128, &frame, &err) <
				0 &&
			err.text[0] == '\0')
			abort(); /* refused without a word */
	}
}

static void words(const char *text)
{
	char *copy = strdup(text), *save = NULL;
	struct opt_set set;

	opt_set_init(&set, &pkt_template_menu);
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
		line = strtok_r(NULL, "\n", &save)) {
		struct err err = {0};

		if (opt_set_arg(&set, line, &err) < 0 && err.text[0] == '\0')
			abort();
	}
	opt_set_fini(&set);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/tgen-fuzz-XXXXXX";
	int fd = mkstemp(path);
	struct err err = {0};
	struct conf *conf;
	char *text;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	conf = conf_load(path, kinds, 3, false, &err);
	if (conf != NULL)
		build_all(conf);
	else if (err.text[0] == '\0')
		abort();
	conf_free(conf);
	unlink(path);
	text = strndup((const char *)data, size);
	words(text);
	free(text);
	return 0;
}
