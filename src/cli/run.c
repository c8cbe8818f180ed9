/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "objects.h"
#include "tgen/log.h"

/* `tgen run FILE…`: each file by itself, as DPDK can be started once a process. */

struct run_words {
	struct opt_set set;
	char **files; /* of argv */
	unsigned nb_files;
};

static int words_split(struct run_words *w, int argc, char **argv, struct err *err)
{
	opt_set_init(&w->set, &conf_run_menu);
	w->files = calloc((size_t)argc + 1, sizeof(*w->files));
	if (w->files == NULL)
		return err_device(err, ENOMEM, "run");
	for (int i = 0; i < argc; i++) {
		if (strchr(argv[i], '=') == NULL)
			w->files[w->nb_files++] = argv[i];
		else if (opt_set_arg(&w->set, argv[i], err) < 0)
			return -EINVAL;
	}
	return 0;
}

static int run_one(
	const struct cli *cli, const struct opt_set *words, const char *file, struct err *err)
{
	const struct run_options options = {.file = file,
		.kinds = cli_conf_kinds,
		.nb_kinds = cli_nb_conf_kinds,
		.words = words,
		.list = cli->list,
		.dry_run = cli->dry_run,
		.resume = cli->resume,
		.outputs = cli->outputs,
		.nb_outputs = cli->nb_outputs,
		.force = cli->force,
		.eal_args = cli->eal_args,
		.stop = cli->stop,
		.command_line = cli->command_line};

	return run_file(&options, err);
}

/* In a process of its own; the exit status. */
static int run_apart(const struct cli *cli, const struct opt_set *words, const char *file)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct err err = {0};
		int rc = run_one(cli, words, file, &err);

		if (rc < 0) {
			log_error("%s", err.text);
			rc = err.status != TGEN_OK ? (int)err.status : TGEN_DEVICE;
		}
		fflush(NULL);
		_exit(rc);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return TGEN_DEVICE;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : TGEN_DEVICE;
}

static int run_all(const struct cli *cli, const struct run_words *w, struct err *err)
{
	int worst = 0;

	if (opt_set_get(&w->set, &conf_run_opts[RUN_DIR]) != NULL)
		return opt_error(err, &w->set, &conf_run_opts[RUN_DIR],
			"is for one file; several make a directory each, below tgen-results");
	for (unsigned i = 0; i < w->nb_files && !*cli->stop; i++) {
		int status = run_apart(cli, &w->set, w->files[i]);

		worst = status > worst ? status : worst;
	}
	return worst;
}

static int run_again(const struct cli *cli, struct run_words *w, struct err *err)
{
	char *file, **words;
	unsigned nb;
	int rc;

	if (w->nb_files > 0 || w->set.nb_slots > 0)
		return err_usage(err, "--resume %s: what was run there is known; give nothing else",
			cli->resume);
	rc = run_resume_words(cli->resume, &file, &words, &nb, err);
	for (unsigned i = 0; rc == 0 && i < nb; i++)
		rc = opt_set_arg(&w->set, words[i], err);
	if (rc == 0)
		rc = run_one(cli, &w->set, file, err);
	for (unsigned i = 0; words != NULL && i < nb; i++)
		free(words[i]);
	free(words);
	free(file);
	return rc;
}

int cli_run(const struct cli *cli, int argc, char **argv, struct err *err)
{
	struct run_words w = {0};
	int rc = words_split(&w, argc, argv, err);

	if (rc == 0 && cli->resume != NULL)
		rc = run_again(cli, &w, err);
	else if (rc == 0 && w.nb_files == 0 && cli->config == NULL)
		rc = err_usage(
			err, "run: a FILE with tests is needed, as config/router-rfc2544.json");
	else if (rc == 0 && w.nb_files <= 1)
		rc = run_one(cli, &w.set, w.nb_files == 1 ? w.files[0] : cli->config, err);
	else if (rc == 0)
		rc = run_all(cli, &w, err);
	free(w.files);
	opt_set_fini(&w.set);
	return rc;
}
