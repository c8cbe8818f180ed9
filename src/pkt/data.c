/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vary.h"

/* The payload as the template says it. */

#define FILE_MAX (64u << 10)

/* What is given for another kind of data is a mistake, and what its kind needs must be given. */
static int check_given(const struct opt_set *tmpl, enum pkt_template_opt which, uint64_t word,
	const char *name, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[which];
	bool needed = opt_set_one(tmpl, &pkt_template_opts[TMPL_DATA]).lo == word;
	bool given = opt_set_get(tmpl, opt) != NULL;

	if (given && !needed)
		return opt_error(err, tmpl, opt, "given, but data is not %s", name);
	if (needed && !given && opt->dflt == NULL)
		return opt_error(err, tmpl, opt, "is missing: data=%s needs it", name);
	return 0;
}

int data_check(const struct opt_set *tmpl, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_DATA_BYTE];
	const char *byte = opt_set_one(tmpl, opt).text;
	int rc = check_given(tmpl, TMPL_DATA_HEX, DATA_WORD_HEX, "hex", err);

	if (rc == 0)
		rc = check_given(tmpl, TMPL_DATA_FILE, DATA_WORD_FILE, "file", err);
	if (rc == 0)
		rc = check_given(tmpl, TMPL_DATA_SEED, PKT_DATA_RANDOM, "random", err);
	if (rc == 0 && strlen(byte) != 2)
		return opt_error(err, tmpl, opt, "\"%.40s\" is not one byte (00..FF)", byte);
	return rc;
}

static int read_hex(const struct opt_set *tmpl, struct pkt_frame *frame, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_DATA_HEX];
	unsigned bytes = hdr_hex_bytes(tmpl, opt, 0);

	frame->pattern = malloc(bytes);
	if (frame->pattern == NULL)
		return err_device(err, ENOMEM, "%s", opt->name);
	hdr_hex_put(tmpl, opt, 0, frame->pattern);
	frame->pattern_bytes = bytes;
	return 0;
}

/* Relative to the file that names it. NULL without memory. */
static char *file_path(const struct opt_set *tmpl, const char *name)
{
	const char *slash = tmpl->origin != NULL ? strrchr(tmpl->origin, '/') : NULL;
	char *path;

	if (name[0] == '/' || slash == NULL)
		return strdup(name);
	return asprintf(&path, "%.*s/%s", (int)(slash - tmpl->origin), tmpl->origin, name) < 0
		       ? NULL
		       : path;
}

/* At most FILE_MAX bytes of a regular file. */
static int load_file(const struct opt_set *tmpl, const char *path, int fd, struct pkt_frame *frame,
	struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_DATA_FILE];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return opt_error(err, tmpl, opt, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return opt_error(err, tmpl, opt, "%s is not a regular file", path);
	if (st.st_size == 0 || st.st_size > (off_t)FILE_MAX)
		return opt_error(err, tmpl, opt, "%s has %lld bytes (1..%u are allowed)", path,
			(long long)st.st_size, FILE_MAX);
	frame->pattern = malloc((size_t)st.st_size);
	if (frame->pattern == NULL)
		return err_device(err, ENOMEM, "%s", opt->name);
	while (frame->pattern_bytes < st.st_size) {
		n = read(fd, frame->pattern + frame->pattern_bytes,
			(size_t)st.st_size - frame->pattern_bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return opt_error(err, tmpl, opt, "%s: %s", path,
				n == 0 ? "became shorter" : strerror(errno));
		frame->pattern_bytes += (uint32_t)n;
	}
	return 0;
}

static int read_file(const struct opt_set *tmpl, struct pkt_frame *frame, struct err *err)
{
	const struct opt *opt = &pkt_template_opts[TMPL_DATA_FILE];
	char *path = file_path(tmpl, opt_set_one(tmpl, opt).text);
	int fd, rc;

	if (path == NULL)
		return err_device(err, ENOMEM, "%s", opt->name);
	/* a pipe without a writer must not hold us up */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	rc = fd < 0 ? opt_error(err, tmpl, opt, "%s: %s", path, strerror(errno))
		    : load_file(tmpl, path, fd, frame, err);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}

int data_init(const struct opt_set *tmpl, struct pkt_frame *frame, struct err *err)
{
	uint64_t word = opt_set_one(tmpl, &pkt_template_opts[TMPL_DATA]).lo;
	int rc = data_check(tmpl, err);

	if (rc != 0)
		return rc;
	frame->data_byte = (uint8_t)strtoul(
		opt_set_one(tmpl, &pkt_template_opts[TMPL_DATA_BYTE]).text, NULL, 16);
	frame->data_seed = opt_set_one(tmpl, &pkt_template_opts[TMPL_DATA_SEED]).lo;
	frame->data = (enum pkt_data)word;
	if (word == DATA_WORD_HEX || word == DATA_WORD_FILE)
		frame->data = PKT_DATA_PATTERN;
	if (word == DATA_WORD_HEX)
		return read_hex(tmpl, frame, err);
	return word == DATA_WORD_FILE ? read_file(tmpl, frame, err) : 0;
}
