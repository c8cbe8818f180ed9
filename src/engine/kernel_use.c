/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/kernel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel_netlink.h"

#define ANCESTORS_MAX 64 /* more processes than anyone has between a login and a command */

struct use_link {
	unsigned index;
	unsigned master; /* of a bridge, bond or team; 0: none */
	unsigned lower;	 /* what a VLAN, macvlan or tunnel runs over; 0: none */
	bool taken;	 /* goes down with the interface in question */
};

struct use_links {
	struct use_link *link;
	size_t nb, room;
};

struct use_route {
	const struct use_links *links;
	bool found;
};

struct use_address {
	const struct use_links *links;
	int family;
	uint8_t ip[16];
	unsigned scope_index; /* of a link-local address; 0: any */
	bool found;
};

/* A peer is no lower layer, although the kernel tells it in the same attribute. */
static bool link_kind_is_pair(const struct rtattr *linkinfo)
{
	static const char *const pairs[] = {"veth", "netkit", "vxcan"};
	const struct rtattr *info[IFLA_INFO_KIND + 1];
	const struct rtattr *kind;

	if (linkinfo == NULL)
		return false;
	kernel_netlink_attrs(RTA_DATA(linkinfo), RTA_PAYLOAD(linkinfo), info, IFLA_INFO_KIND + 1);
	kind = info[IFLA_INFO_KIND];
	for (size_t i = 0; kind != NULL && i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (strnlen(RTA_DATA(kind), RTA_PAYLOAD(kind)) == strlen(pairs[i]) &&
			memcmp(RTA_DATA(kind), pairs[i], strlen(pairs[i])) == 0)
			return true;
	return false;
}

static int use_link_add(const struct nlmsghdr *msg, void *ctx)
{
	const struct rtattr *attrs[IFLA_LINK_NETNSID + 1];
	const struct ifinfomsg *body = NLMSG_DATA(msg);
	struct use_links *links = ctx;
	struct use_link *grown, *link;

	if (msg->nlmsg_type != RTM_NEWLINK || msg->nlmsg_len < NLMSG_LENGTH(sizeof(*body)))
		return 0;
	if (links->nb == links->room) {
		links->room = links->room == 0 ? 64 : 2 * links->room;
		grown = reallocarray(links->link, links->room, sizeof(*grown));
		if (grown == NULL)
			return -ENOMEM;
		links->link = grown;
	}
	kernel_netlink_msg_attrs(msg, sizeof(*body), attrs, IFLA_LINK_NETNSID + 1);
	link = &links->link[links->nb++];
	*link = (struct use_link){
		.index = (unsigned)body->ifi_index,
		.master = kernel_netlink_u32(attrs[IFLA_MASTER]),
	};
	/* An index of another namespace says nothing here. */
	if (attrs[IFLA_LINK_NETNSID] == NULL && !link_kind_is_pair(attrs[IFLA_LINKINFO]))
		link->lower = kernel_netlink_u32(attrs[IFLA_LINK]);
	return 0;
}

/* Marks an interface and all that stands on it: masters, VLANs, tunnels, and what is on those. */
static void use_links_take(struct use_links *links, unsigned index)
{
	struct use_link *taken = NULL;

	for (size_t i = 0; i < links->nb; i++)
		if (links->link[i].index == index && !links->link[i].taken)
			taken = &links->link[i];
	if (taken == NULL)
		return;
	taken->taken = true; /* before going on: ends at loops; as deep as interfaces are stacked */
	use_links_take(links, taken->master);
	for (size_t i = 0; i < links->nb; i++)
		if (links->link[i].lower == index)
			use_links_take(links, links->link[i].index);
}

static bool use_links_has(const struct use_links *links, unsigned index)
{
	for (size_t i = 0; i < links->nb; i++)
		if (links->link[i].index == index)
			return links->link[i].taken;
	return false;
}

static bool multipath_goes_over(const struct use_links *links, const struct rtattr *attr)
{
	const struct rtnexthop *hop = RTA_DATA(attr);
	size_t bytes = RTA_PAYLOAD(attr);

	while (bytes >= sizeof(*hop) && hop->rtnh_len >= sizeof(*hop) && hop->rtnh_len <= bytes) {
		if (use_links_has(links, (unsigned)hop->rtnh_ifindex))
			return true;
		if ((size_t)RTNH_ALIGN(hop->rtnh_len) >= bytes)
			break;
		bytes -= (size_t)RTNH_ALIGN(hop->rtnh_len);
		hop = RTNH_NEXT(hop);
	}
	return false;
}

static int use_route_check(const struct nlmsghdr *msg, void *ctx)
{
	const struct rtattr *attrs[RTA_MULTIPATH + 1];
	const struct rtmsg *body = NLMSG_DATA(msg);
	struct use_route *use = ctx;

	if (msg->nlmsg_type != RTM_NEWROUTE || msg->nlmsg_len < NLMSG_LENGTH(sizeof(*body)) ||
		body->rtm_dst_len != 0 || body->rtm_type != RTN_UNICAST)
		return 0;
	kernel_netlink_msg_attrs(msg, sizeof(*body), attrs, RTA_MULTIPATH + 1);
	if (use_links_has(use->links, kernel_netlink_u32(attrs[RTA_OIF])) ||
		(attrs[RTA_MULTIPATH] != NULL &&
			multipath_goes_over(use->links, attrs[RTA_MULTIPATH])))
		use->found = true;
	return 0;
}

/* In any routing table: policy rules are not followed. */
static bool use_default_route(const struct use_links *links, int family)
{
	struct rtmsg body = {.rtm_family = (unsigned char)family};
	struct use_route use = {.links = links};

	kernel_netlink_request(NETLINK_ROUTE, RTM_GETROUTE, NLM_F_DUMP, &body, sizeof(body),
		use_route_check, &use);
	return use.found;
}

static int use_address_check(const struct nlmsghdr *msg, void *ctx)
{
	const struct rtattr *attrs[IFA_LOCAL + 1], *attr;
	const struct ifaddrmsg *body = NLMSG_DATA(msg);
	struct use_address *use = ctx;
	size_t bytes = use->family == AF_INET ? 4 : 16;

	if (msg->nlmsg_type != RTM_NEWADDR || msg->nlmsg_len < NLMSG_LENGTH(sizeof(*body)) ||
		body->ifa_family != use->family)
		return 0;
	if (use->scope_index != 0 && body->ifa_index != use->scope_index)
		return 0;
	kernel_netlink_msg_attrs(msg, sizeof(*body), attrs, IFA_LOCAL + 1);
	/* IFA_ADDRESS is the far end where there is an IFA_LOCAL. */
	attr = attrs[IFA_LOCAL] != NULL ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS];
	if (attr != NULL && RTA_PAYLOAD(attr) >= bytes &&
		memcmp(RTA_DATA(attr), use->ip, bytes) == 0 &&
		use_links_has(use->links, body->ifa_index))
		use->found = true;
	return 0;
}

/* A variable of another process's environment; out is empty when it has none or hides it. */
static void process_variable(pid_t pid, const char *name, char *out, size_t size)
{
	char path[64], *entry = NULL;
	size_t room = 0, len = strlen(name);
	FILE *f;

	out[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return;
	while (getdelim(&entry, &room, '\0', f) > 0) {
		if (strncmp(entry, name, len) != 0 || entry[len] != '=')
			continue;
		snprintf(out, size, "%s", entry + len + 1);
		break;
	}
	free(entry);
	fclose(f);
}

static pid_t process_parent(pid_t pid)
{
	char path[64], line[512];
	const char *end = NULL;
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	/* `PID (name) state parent …`; the name may hold spaces and parentheses. */
	if (fgets(line, sizeof(line), f) != NULL)
		end = strrchr(line, ')');
	if (end != NULL && sscanf(end + 1, " %*c %d", &parent) != 1)
		parent = 0;
	fclose(f);
	return parent;
}

/*
 * `CLIENT PORT SERVER PORT` of the ssh session, or empty. sudo drops the variable, so those who
 * started us are asked too.
 */
static void ssh_connection_find(char *out, size_t size)
{
	static const char name[] = "SSH_CONNECTION";
	const char *own = getenv(name);
	pid_t pid = getppid();

	snprintf(out, size, "%s", own != NULL ? own : "");
	for (int i = 0; out[0] == '\0' && pid > 1 && i < ANCESTORS_MAX; i++) {
		process_variable(pid, name, out, size);
		pid = process_parent(pid);
	}
}

static bool use_ssh(const struct use_links *links)
{
	struct ifaddrmsg body = {.ifa_family = AF_UNSPEC};
	struct use_address use = {.links = links};
	char connection[256], server[128], *scope;

	ssh_connection_find(connection, sizeof(connection));
	if (sscanf(connection, "%*s %*s %127s", server) != 1)
		return false;
	scope = strchr(server, '%');
	if (scope != NULL) {
		*scope = '\0';
		use.scope_index = if_nametoindex(scope + 1);
	}
	use.family = strchr(server, ':') != NULL ? AF_INET6 : AF_INET;
	if (inet_pton(use.family, server, use.ip) != 1)
		return false;
	body.ifa_family = (uint8_t)use.family;
	kernel_netlink_request(NETLINK_ROUTE, RTM_GETADDR, NLM_F_DUMP, &body, sizeof(body),
		use_address_check, &use);
	return use.found;
}

const char *kernel_if_in_use(const char *name)
{
	struct ifinfomsg body = {.ifi_family = AF_UNSPEC};
	struct use_links links = {0};
	const char *reason = NULL;
	unsigned index = if_nametoindex(name);

	if (index == 0)
		return NULL;
	if (kernel_netlink_request(NETLINK_ROUTE, RTM_GETLINK, NLM_F_DUMP, &body, sizeof(body),
		    use_link_add, &links) < 0) {
		reason = "cannot be told from the interface that this host needs";
		goto out;
	}
	use_links_take(&links, index);
	if (use_default_route(&links, AF_INET))
		reason = "carries this host's default route (IPv4)";
	else if (use_default_route(&links, AF_INET6))
		reason = "carries this host's default route (IPv6)";
	else if (use_ssh(&links))
		reason = "carries the ssh session you sit in";
out:
	free(links.link);
	return reason;
}
