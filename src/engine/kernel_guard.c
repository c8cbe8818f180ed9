/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/kernel.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <nftables/libnftables.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel_netlink.h"

/* Processes of other pid namespaces, and other guards of ours, may have taken the first names. */
#define TABLE_NAMES 16u

struct kernel_guard {
	struct nft_ctx *nft;
	char table[32];
};

/* The first line of what libnftables had to say, without its prefix. */
static void guard_said(struct kernel_guard *guard, char *out, size_t size)
{
	const char *said = nft_ctx_get_error_buffer(guard->nft);
	static const char prefix[] = "Error: ";

	if (said == NULL || said[0] == '\0')
		said = "no reason";
	if (strncmp(said, prefix, strlen(prefix)) == 0)
		said += strlen(prefix);
	snprintf(out, size, "%.*s", (int)strcspn(said, "\n"), said);
}

static int guard_fail(const char *where, const char *said, struct err *err)
{
	return err_device(err, 0,
		"cannot keep the kernel from answering in our place on %s: nf_tables says "
		"\"%s\"; it takes Linux 5.12 or later with nf_tables for network devices "
		"(CONFIG_NF_TABLES_NETDEV)",
		where, said);
}

/*
 * libnftables's socket must not outlive us in a process that we start: the table would too. The
 * library does not tell its descriptor, so all sockets of that protocol are marked.
 */
static void guard_close_on_exec(void)
{
	const struct dirent *entry;
	int fd, domain, protocol;
	socklen_t len;
	DIR *dir;

	dir = opendir("/proc/self/fd");
	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		fd = atoi(entry->d_name);
		len = sizeof(int);
		if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) < 0 ||
			domain != AF_NETLINK)
			continue;
		len = sizeof(int);
		if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) == 0 &&
			protocol == NETLINK_NETFILTER)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	closedir(dir);
}

static int generation_ignore(const struct nlmsghdr *msg, void *ctx)
{
	return 0;
}

/*
 * Asks for the ruleset's generation, which takes the same rights as changing it: where the kernel
 * refuses, libnftables would end the program or write to stderr.
 */
static int guard_probe(struct err *err)
{
	struct nfgenmsg body = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0};
	int ret = kernel_netlink_request(NETLINK_NETFILTER,
		NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETGEN, 0, &body, sizeof(body),
		generation_ignore, NULL);

	if (ret == -EPERM)
		return err_device(err, EPERM,
			"cannot keep the kernel from answering in our place: it takes the right to "
			"change the firewall (CAP_NET_ADMIN); run tgen as root, or in a network "
			"namespace of your own");
	return ret < 0 ? guard_fail("any interface", strerrordesc_np(-ret), err) : 0;
}

static int guard_table_create(struct kernel_guard *guard, struct err *err)
{
	char cmd[96], said[256];

	for (unsigned i = 0; i < TABLE_NAMES; i++) {
		snprintf(guard->table, sizeof(guard->table), i == 0 ? "tgen_%d" : "tgen_%d_%u",
			(int)getpid(), i);
		snprintf(cmd, sizeof(cmd), "create table netdev %s { flags owner; }", guard->table);
		if (nft_run_cmd_from_buffer(guard->nft, cmd) == 0)
			return 0;
	}
	guard->table[0] = '\0';
	guard_said(guard, said, sizeof(said));
	return guard_fail("any interface", said, err);
}

struct kernel_guard *kernel_guard_new(struct err *err)
{
	struct kernel_guard *guard;

	if (guard_probe(err) < 0)
		return NULL;
	guard = calloc(1, sizeof(*guard));
	if (guard != NULL)
		guard->nft = nft_ctx_new(NFT_CTX_DEFAULT);
	if (guard == NULL || guard->nft == NULL || nft_ctx_buffer_error(guard->nft) != 0 ||
		nft_ctx_buffer_output(guard->nft) != 0) {
		err_device(err, ENOMEM, "nf_tables");
		goto fail;
	}
	guard_close_on_exec();
	if (guard_table_create(guard, err) < 0)
		goto fail;
	return guard;
fail:
	kernel_guard_free(guard);
	return NULL;
}

int kernel_guard_add(struct kernel_guard *guard, const char *ifname, struct err *err)
{
	unsigned index = if_nametoindex(ifname);
	char cmd[256], said[256];

	if (index == 0)
		return err_device(err, ENODEV, "%s", ifname);
	/* Legal in a name, but not in a string of nft's. */
	if (strpbrk(ifname, "\"\\*") != NULL)
		return err_device(err, EINVAL,
			"cannot keep the kernel from answering on %s: rename it, nf_tables takes "
			"no such name",
			ifname);
	/* A chain each: chains that take more interfaces later came with Linux 6.4 only. */
	snprintf(cmd, sizeof(cmd),
		"add chain netdev %s if%u { type filter hook ingress device \"%s\" "
		"priority -500; policy drop; }",
		guard->table, index, ifname);
	if (nft_run_cmd_from_buffer(guard->nft, cmd) == 0)
		return 0;
	guard_said(guard, said, sizeof(said));
	return guard_fail(ifname, said, err);
}

void kernel_guard_free(struct kernel_guard *guard)
{
	char cmd[64];

	if (guard == NULL)
		return;
	if (guard->nft != NULL && guard->table[0] != '\0') {
		snprintf(cmd, sizeof(cmd), "delete table netdev %s", guard->table);
		nft_run_cmd_from_buffer(guard->nft, cmd);
	}
	if (guard->nft != NULL)
		nft_ctx_free(guard->nft);
	free(guard);
}
