/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tgen/baseline.h"
#include "tgen/results.h"

/*
 * Any bytes as a results file: as a trial that is played back, as a tree of which every form is written,
 * as a baseline. Nothing of it may be taken for more than it is.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void trial(const cJSON *tree)
{
	static const struct result_port ports[] = {{.name = "e1"}, {.name = "e2"}};
	static const struct result_stream streams[] = {{.name = "a"}};
	const struct result_info info = {
		.ports = ports, .nb_ports = 2, .streams = streams, .nb_streams = 1};
	const struct trial_load load = {.upps = 1000000, .packet_count = UINT64_MAX};
	const struct trial_spec spec = {.purpose = "search", .loads = &load};
	struct err err = {0};
	struct results_replay *replay = results_trial_read(tree, &info, &err);

	if ((replay == NULL) == (err.text[0] == '\0'))
		abort();
	results_trial_is(tree, &spec, 1);
	results_replay_free(replay);
}

static void forms(const cJSON *tree)
{
	FILE *null = fopen("/dev/null", "w");

	for (unsigned i = 1; null != NULL && i < results_nb_forms; i++)
		results_forms[i].write(tree, null);
	if (null != NULL)
		fclose(null);
	cJSON_Delete(baseline_of(tree));
}

static void files(const uint8_t *data, size_t size)
{
	int fd = memfd_create("results", 0);
	struct err err = {0};
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cJSON_Delete(results_read(path, &err));
	err = (struct err){0};
	cJSON_Delete(baseline_tree(path, &err));
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cJSON *tree = cJSON_ParseWithLength((const char *)data, size);

	files(data, size);
	if (tree == NULL)
		return 0;
	trial(tree);
	forms(tree);
	cJSON_Delete(tree);
	return 0;
}
