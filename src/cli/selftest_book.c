/* SPDX-License-Identifier: BSD-3-Clause */
#include "selftest_book.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "state.h"
#include "tgen/units.h"

#define SCHEMA	       "tgen.selftest/1"
#define FILE_BYTES_MAX (4u << 20)
#define RING	       "ring:"

/* ---- the host ---- */

void selftest_host_get(struct selftest_host *host)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	struct utsname uts;
	char line[256];

	*host = (struct selftest_host){.cpu = "unknown"};
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "model name : %127[^\n]", host->cpu) == 1)
			break;
	if (f != NULL)
		fclose(f);
	if (uname(&uts) == 0)
		snprintf(host->kernel, sizeof(host->kernel), "%s %s", uts.sysname, uts.release);
}

void selftest_device(char *out, size_t size, const char *device)
{
	bool is_ring = strncmp(device, RING, strlen(RING)) == 0;

	snprintf(out, size, "%s", is_ring ? RING : device);
}

/* ---- entries ---- */

static bool same_key(const struct selftest_entry *a, const struct selftest_entry *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
	       a->packet_size == b->packet_size;
}

int selftest_book_put(struct selftest_book *book, const struct selftest_entry *entry)
{
	struct selftest_entry *grown;

	for (unsigned i = 0; i < book->nb; i++) {
		if (!same_key(&book->entries[i], entry))
			continue;
		book->entries[i] = *entry;
		return 0;
	}
	grown = realloc(book->entries, (book->nb + 1) * sizeof(*grown));
	if (grown == NULL)
		return -ENOMEM;
	book->entries = grown;
	book->entries[book->nb++] = *entry;
	return 0;
}

void selftest_book_fini(struct selftest_book *book)
{
	free(book->entries);
	*book = (struct selftest_book){0};
}

/* ---- JSON ---- */

static bool text_take(const cJSON *object, const char *key, char *out, size_t size)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsString(node))
		return false;
	snprintf(out, size, "%s", node->valuestring);
	return true;
}

static bool number_take(const cJSON *object, const char *key, uint64_t *out)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsNumber(node) || node->valuedouble < 0 || node->valuedouble > 1e15)
		return false;
	*out = (uint64_t)node->valuedouble;
	return true;
}

static bool entry_take(const cJSON *object, struct selftest_entry *e)
{
	uint64_t size = 0, workers = 0;

	*e = (struct selftest_entry){0};
	if (!text_take(object, "device", e->device, sizeof(e->device)) ||
		!text_take(object, "rx-device", e->rx_device, sizeof(e->rx_device)) ||
		!text_take(object, "driver", e->driver, sizeof(e->driver)) ||
		!text_take(object, "date", e->date, sizeof(e->date)) ||
		!number_take(object, "packet-size", &size) ||
		!number_take(object, "workers", &workers) ||
		!number_take(object, "clean-pps", &e->clean_pps) || size > UINT16_MAX)
		return false;
	e->packet_size = (uint32_t)size;
	e->limited = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "limited-by-max-rate"));
	e->workers = (uint32_t)workers;
	if (number_take(object, "floor-pps", &e->floor_pps) &&
		number_take(object, "floor-count", &e->floor.count) &&
		number_take(object, "floor-min-ns", &e->floor.min) &&
		number_take(object, "floor-p50-ns", &e->floor.p50) &&
		number_take(object, "floor-p99-ns", &e->floor.p99))
		return true;
	e->floor = (struct result_latency){0};
	return true;
}

static int book_take(struct selftest_book *book, const cJSON *root)
{
	const cJSON *host = cJSON_GetObjectItemCaseSensitive(root, "host");
	const cJSON *entries = cJSON_GetObjectItemCaseSensitive(root, "entries"), *node;
	char schema[32];

	if (!text_take(root, "schema", schema, sizeof(schema)) || strcmp(schema, SCHEMA) != 0 ||
		!text_take(host, "cpu-model", book->host.cpu, sizeof(book->host.cpu)) ||
		!text_take(host, "kernel", book->host.kernel, sizeof(book->host.kernel)) ||
		!text_take(host, "dpdk", book->host.dpdk, sizeof(book->host.dpdk)) ||
		!cJSON_IsArray(entries))
		return -EINVAL;
	cJSON_ArrayForEach(node, entries)
	{
		struct selftest_entry entry;

		if (!entry_take(node, &entry))
			return -EINVAL;
		if (selftest_book_put(book, &entry) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The whole file, NUL at its end; NULL and errno. */
static char *file_text(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = f != NULL ? malloc(FILE_BYTES_MAX + 1) : NULL;
	size_t len = 0;

	if (text != NULL) {
		len = fread(text, 1, FILE_BYTES_MAX, f);
		text[len] = '\0';
	}
	if (f != NULL)
		fclose(f);
	return text;
}

int selftest_book_read(struct selftest_book *book, const char *path, struct err *err)
{
	char *text = file_text(path);
	cJSON *root;
	int rc;

	*book = (struct selftest_book){0};
	if (text == NULL)
		return errno == ENOENT ? -ENOENT : err_device(err, errno, "cannot read %s", path);
	root = cJSON_Parse(text);
	rc = book_take(book, root);
	cJSON_Delete(root);
	free(text);
	if (rc == 0)
		return 0;
	selftest_book_fini(book);
	return rc == -ENOMEM ? err_device(err, ENOMEM, "%s", path)
			     : err_usage(err, "%s is no file of selftests (%s)", path, SCHEMA);
}

static bool put_number(cJSON *object, const char *key, bool known, uint64_t value)
{
	return (known ? cJSON_AddNumberToObject(object, key, (double)value)
		      : cJSON_AddNullToObject(object, key)) != NULL;
}

static bool put_text(cJSON *object, const char *key, const char *text)
{
	return cJSON_AddStringToObject(object, key, text) != NULL;
}

static bool entry_put(cJSON *object, const struct selftest_entry *e)
{
	uint64_t wire = 8ull * units_layer_bytes(RATE_LAYER_L1, e->packet_size, 0);
	bool known = e->floor.count > 0;

	return put_text(object, "device", e->device) &&
	       put_text(object, "rx-device", e->rx_device) &&
	       put_text(object, "driver", e->driver) &&
	       put_number(object, "packet-size", true, e->packet_size) &&
	       put_text(object, "date", e->date) &&
	       put_number(object, "workers", true, e->workers) &&
	       put_number(object, "clean-pps", true, e->clean_pps) &&
	       put_number(object, "clean-l1-bps", true, e->clean_pps * wire) &&
	       cJSON_AddBoolToObject(object, "limited-by-max-rate", e->limited) != NULL &&
	       put_number(object, "floor-pps", known, e->floor_pps) &&
	       put_number(object, "floor-count", known, e->floor.count) &&
	       put_number(object, "floor-min-ns", known, e->floor.min) &&
	       put_number(object, "floor-p50-ns", known, e->floor.p50) &&
	       put_number(object, "floor-p99-ns", known, e->floor.p99);
}

cJSON *selftest_book_json(const struct selftest_book *book)
{
	cJSON *root = cJSON_CreateObject(), *host, *entries;
	bool ok = root != NULL && put_text(root, "schema", SCHEMA);

	host = ok ? cJSON_AddObjectToObject(root, "host") : NULL;
	ok = host != NULL && put_text(host, "cpu-model", book->host.cpu) &&
	     put_text(host, "kernel", book->host.kernel) && put_text(host, "dpdk", book->host.dpdk);
	entries = ok ? cJSON_AddArrayToObject(root, "entries") : NULL;
	ok = entries != NULL;
	for (unsigned i = 0; ok && i < book->nb; i++) {
		cJSON *object = cJSON_CreateObject();

		ok = object != NULL && cJSON_AddItemToArray(entries, object);
		if (!ok)
			cJSON_Delete(object);
		ok = ok && entry_put(object, &book->entries[i]);
	}
	if (ok)
		return root;
	cJSON_Delete(root);
	return NULL;
}

/* Beside it first: a reader sees the old file or the new one. */
static int text_write(const char *text, const char *path)
{
	char *tmp = NULL;
	int fd, rc = 0;
	FILE *f;

	if (asprintf(&tmp, "%s.tmp.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkstemp(tmp);
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (f == NULL) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
	} else {
		if (fprintf(f, "%s\n", text) < 0 || fflush(f) != 0 || fchmod(fd, 0644) < 0 ||
			fsync(fd) < 0)
			rc = -errno;
		if (fclose(f) != 0 && rc == 0)
			rc = -errno;
	}
	if (rc == 0 && rename(tmp, path) < 0)
		rc = -errno;
	if (rc < 0 && fd >= 0)
		unlink(tmp);
	free(tmp);
	return rc;
}

int selftest_book_write(const struct selftest_book *book, const char *path, struct err *err)
{
	cJSON *root = selftest_book_json(book);
	char *text = root != NULL ? cJSON_Print(root) : NULL;
	int rc = text != NULL ? cli_state_parents(path) : -ENOMEM;

	if (rc == 0)
		rc = text_write(text, path);
	free(text);
	cJSON_Delete(root);
	return rc < 0 ? err_device(err, -rc, "cannot write %s", path) : 0;
}

/* ---- what it says about a run ---- */

/* The entry of a port's device with the size nearest to bytes. may_receive: also as the receiver. */
static const struct selftest_entry *entry_find(const struct selftest_book *book,
	const struct result_port *port, uint64_t bytes, bool may_receive)
{
	const struct selftest_entry *best = NULL;
	uint64_t best_off = UINT64_MAX;
	char device[160];

	selftest_device(device, sizeof(device), port->device);
	for (unsigned i = 0; i < book->nb; i++) {
		const struct selftest_entry *e = &book->entries[i];
		uint64_t off =
			e->packet_size > bytes ? e->packet_size - bytes : bytes - e->packet_size;
		bool is_its = strcmp(e->device, device) == 0 ||
			      (may_receive && strcmp(e->rx_device, device) == 0);

		if (!is_its || strcmp(e->driver, port->driver) != 0 || off >= best_off)
			continue;
		best = e;
		best_off = off;
	}
	return best;
}

static uint64_t port_floor(
	const struct selftest_book *book, const struct result_port *port, uint32_t bytes)
{
	const struct selftest_entry *e = entry_find(book, port, bytes, true);

	return e != NULL && e->floor.count > 0 ? e->floor.p50 : 0;
}

uint64_t selftest_book_floor(const struct selftest_book *book, const struct result_info *info)
{
	uint64_t highest = 0;

	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];
		uint64_t floor = port_floor(book, &info->ports[s->tx_port], s->packet_size);

		if (floor > highest)
			highest = floor;
		if (s->rx_port < 0)
			continue;
		floor = port_floor(book, &info->ports[s->rx_port], s->packet_size);
		if (floor > highest)
			highest = floor;
	}
	return highest;
}

char *selftest_book_warning(
	const struct selftest_book *book, const struct result_info *info, unsigned port)
{
	unsigned __int128 bytes = 0, upps = 0;
	const struct selftest_entry *e;
	char asked[UNITS_TEXT_MAX], clean[UNITS_TEXT_MAX], *text = NULL;

	for (unsigned i = 0; i < info->nb_streams; i++) {
		const struct result_stream *s = &info->streams[i];

		if (s->tx_port != port)
			continue;
		upps += s->asked_upps; /* 0 of a flat-out stream: as much as goes is its limit */
		bytes += (unsigned __int128)s->asked_upps * s->packet_size;
	}
	if (upps == 0)
		return NULL;
	e = entry_find(book, &info->ports[port], (uint64_t)(bytes / upps), false);
	if (e == NULL || e->limited || upps <= (unsigned __int128)e->clean_pps * UNITS_MICROS)
		return NULL;
	if (asprintf(&text,
		    "port %s: %s pps asked, but selftest found %s pps clean at %" PRIu32
		    " bytes: the generator may be the limit",
		    info->ports[port].name, units_fmt_count(asked, (int64_t)(upps / UNITS_MICROS)),
		    units_fmt_count(clean, (int64_t)e->clean_pps), e->packet_size) < 0)
		return NULL;
	return text;
}
