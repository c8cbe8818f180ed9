/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_private.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <rte_version.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tgen/log.h"

/*
 * EAL's arguments are derived: the user need not know them. Huge pages when there are enough free
 * ones (--in-memory), else plain memory of the size the plan needs; DPDK 22.11 refuses --in-memory
 * together with --no-huge.
 */

#define EAL_MAX_ARGS 160

struct eal_args {
	char *argv[EAL_MAX_ARGS];
	int argc;
	bool failed;
};

/* EAL and drivers log into this file; its tail goes into error messages. Lives with the process. */
static FILE *eal_log;

bool eal_has_hugepages(void)
{
	return rte_eal_has_hugepages() != 0;
}

const char *engine_dpdk_version(void)
{
	return rte_version();
}

const char *eal_log_tail(void)
{
	static char tail[400];
	long end;
	size_t n;

	tail[0] = '\0';
	if (eal_log == NULL)
		return tail;
	fflush(eal_log);
	fseek(eal_log, 0, SEEK_END);
	end = ftell(eal_log);
	fseek(eal_log, end > (long)sizeof(tail) - 1 ? end - (long)sizeof(tail) + 1 : 0, SEEK_SET);
	n = fread(tail, 1, sizeof(tail) - 1, eal_log);
	tail[n] = '\0';
	fseek(eal_log, 0, SEEK_END);
	while (n > 0 && isspace((unsigned char)tail[n - 1]))
		tail[--n] = '\0';
	for (char *p = tail; *p != '\0'; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	return tail;
}

static void arg_add(struct eal_args *args, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void arg_add(struct eal_args *args, const char *fmt, ...)
{
	va_list ap;

	if (args->argc >= EAL_MAX_ARGS - 1) {
		args->failed = true;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&args->argv[args->argc], fmt, ap) < 0)
		args->failed = true;
	else
		args->argv[++args->argc] = NULL;
	va_end(ap);
}

/* Free huge pages of all sizes, in MiB. */
uint64_t eal_hugepages_free_mb(void)
{
	static const char dir[] = "/sys/kernel/mm/hugepages";
	DIR *d = opendir(dir);
	uint64_t total_kb = 0;
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL) {
		uint64_t size_kb, nb = 0;
		char path[320];
		FILE *f;

		if (sscanf(e->d_name, "hugepages-%" SCNu64 "kB", &size_kb) != 1)
			continue;
		snprintf(path, sizeof(path), "%s/%s/free_hugepages", dir, e->d_name);
		f = fopen(path, "re");
		if (f == NULL)
			continue;
		if (fscanf(f, "%" SCNu64, &nb) == 1)
			total_kb += nb * size_kb;
		fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return total_kb >> 10;
}

/* What EAL and the libraries it loads take beside the pools, measured with DPDK 22.11: address space. */
#define EAL_OWN_MB 600u
#define EAL_FILES  128u /* sockets, plugins, libraries open at once */

static void args_memory(struct eal_args *args, uint64_t mem_mb, bool huge)
{
	if (huge) {
		arg_add(args, "--in-memory");
		return;
	}
	arg_add(args, "--no-huge");
	arg_add(args, "--no-shconf");
	arg_add(args, "-m");
	arg_add(args, "%" PRIu64, mem_mb);
}

static void warn_no_hugepages(uint64_t mem_mb)
{
	log_warning(
		"running without huge pages (%" PRIu64 " MiB are needed, %" PRIu64 " MiB are "
		"free): slower on fast ports; reserve them with: sysctl vm.nr_hugepages=%" PRIu64,
		mem_mb, eal_hugepages_free_mb(), (mem_mb + 1) / 2);
}

/* EAL aborts where it cannot go on: what it needs is looked at before. */
static int limits_check(uint64_t mem_mb, bool huge, struct err *err)
{
	uint64_t have_mb = engine_mem_available() >> 20, need_mb = huge ? 0 : mem_mb;
	struct rlimit files, space;

	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
		need_mb += EAL_OWN_MB;
	if (have_mb < need_mb)
		return err_device(err, 0,
			"DPDK needs %" PRIu64 " MiB of memory, %" PRIu64
			" MiB are available: use fewer "
			"ports or fewer different packet sizes, or raise the limit (ulimit -v)",
			need_mb, have_mb);
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= EAL_FILES)
		return 0;
	files.rlim_cur = files.rlim_max < EAL_FILES ? files.rlim_max : EAL_FILES;
	if (files.rlim_cur < EAL_FILES || setrlimit(RLIMIT_NOFILE, &files) < 0)
		return err_device(err, 0,
			"DPDK needs %u open files, %llu are allowed: raise the limit "
			"(ulimit -n)",
			EAL_FILES, (unsigned long long)files.rlim_cur);
	return 0;
}

static bool is_workers(const struct plan *plan, unsigned cpu)
{
	for (unsigned w = 0; w < plan->nb_workers; w++)
		if (plan->workers[w].cpu == cpu)
			return true;
	return false;
}

static void args_cores(struct eal_args *args, const struct plan *plan)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct plan_cpu *cpus = NULL;
	int nb = engine_cpus(&cpus);
	const char *separator = "";
	bool spare = false;

	if (f == NULL || nb < 0) {
		args->failed = true;
		free(cpus);
		return;
	}
	/*
	 * A worker has a CPU of its own; the control thread, and those of EAL, run on the others. On
	 * a worker's they would take it away in the middle of a burst, every few milliseconds.
	 */
	for (int i = 0; i < nb; i++)
		spare |= !is_workers(plan, cpus[i].cpu);
	fprintf(f, "0@(");
	for (int i = 0; i < nb; i++) {
		if (spare && is_workers(plan, cpus[i].cpu))
			continue;
		fprintf(f, "%s%u", separator, cpus[i].cpu);
		separator = ",";
	}
	fprintf(f, ")");
	for (unsigned w = 0; w < plan->nb_workers; w++)
		fprintf(f, ",%u@%u", w + 1, plan->workers[w].cpu);
	fclose(f);
	arg_add(args, "--lcores");
	arg_add(args, "%s", text);
	arg_add(args, "--main-lcore");
	arg_add(args, "0");
	free(text);
	free(cpus);
}

/* Only the PCI devices that ports name are probed. */
static void args_devices(struct eal_args *args, const struct engine_port *ports, unsigned nb_ports)
{
	bool pci = false;

	for (unsigned p = 0; p < nb_ports; p++) {
		if (!ports[p].kind->needs_pci)
			continue;
		pci = true;
		arg_add(args, "-a");
		arg_add(args, "%s", ports[p].arg);
	}
	if (!pci)
		arg_add(args, "--no-pci");
}

static void args_extra(struct eal_args *args, const char *extra)
{
	char *copy = extra != NULL ? strdup(extra) : NULL;
	char *save = NULL;

	for (char *word = copy != NULL ? strtok_r(copy, " ", &save) : NULL; word != NULL;
		word = strtok_r(NULL, " ", &save))
		arg_add(args, "%s", word);
	free(copy);
}

static int eal_try(const struct plan *plan, const struct engine_port *ports, unsigned nb_ports,
	uint64_t mem_mb, bool huge, const char *extra)
{
	/* EAL keeps pointers into its words: they live as long as the process */
	static struct eal_args args;
	char *argv[EAL_MAX_ARGS];

	args = (struct eal_args){0};
	arg_add(&args, "tgen");
	arg_add(&args, "--log-level");
	arg_add(&args, log_level_get() >= LOG_LEVEL_DEBUG ? "*:info" : "*:warning");
	arg_add(&args, "--no-telemetry");
	args_memory(&args, mem_mb, huge);
	args_cores(&args, plan);
	args_devices(&args, ports, nb_ports);
	args_extra(&args, extra);
	if (args.failed) {
		rte_errno = ENOMEM;
		return -ENOMEM;
	}
	memcpy(argv, args.argv, sizeof(argv)); /* EAL overwrites the last one */
	return rte_eal_init(args.argc, argv);
}

int eal_start(const struct plan *plan, const struct engine_port *ports, unsigned nb_ports,
	uint64_t mem_mb, const char *extra, struct err *err)
{
	bool huge = eal_hugepages_free_mb() >= mem_mb;
	int rc;

	if (plan->nb_workers + 1 > RTE_MAX_LCORE)
		return err_usage(err, "cpu-core: %u workers, but this DPDK knows %u cores at most",
			plan->nb_workers, RTE_MAX_LCORE - 1);
	if (limits_check(mem_mb, huge, err) < 0)
		return -ENOMEM;
	if (log_level_get() < LOG_LEVEL_DEBUG)
		eal_log = tmpfile();
	if (eal_log != NULL)
		rte_openlog_stream(eal_log);
	rc = huge ? eal_try(plan, ports, nb_ports, mem_mb, true, extra) : -1;
	/* EAL can be tried again only when it gave up early, as it does without huge pages */
	if (rc < 0 && !(huge && rte_errno != EACCES && rte_errno != ENOMEM)) {
		/* none, or somebody else took them between our look and EAL's */
		warn_no_hugepages(mem_mb);
		if (limits_check(mem_mb, false, err) < 0)
			return -ENOMEM;
		rc = eal_try(plan, ports, nb_ports, mem_mb, false, extra);
	}
	if (rc < 0 && extra != NULL && extra[0] != '\0')
		return err_device(err, rte_errno,
			"DPDK did not start with %" PRIu64 " MiB of memory; the words of --eal "
			"(%s) may be the reason: %s",
			mem_mb, extra, eal_log_tail());
	if (rc < 0)
		return err_device(err, rte_errno,
			"DPDK did not start with %" PRIu64 " MiB of memory: %s", mem_mb,
			eal_log_tail());
	return 0;
}
