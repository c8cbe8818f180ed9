/* SPDX-License-Identifier: BSD-3-Clause */
#include "tgen/kernel.h"

#include "tgen/units.h"

#include <dirent.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel_netlink.h"

#define PCI_DIR	      "/sys/bus/pci/devices"
#define PCI_CLASS_NET 0x02u
/* Words of one link mode mask: 4064 modes, the most that the call's signed byte can ask for. */
#define LINK_MODE_WORDS 127

/* The answer to RTM_GETLINK for one interface. */
struct link_answer {
	struct kernel_if nic;
	/* Made by software (veth, bridge, tap …): whatever speed it claims, none is built in. */
	bool is_virtual;
	struct rtnl_link_stats64 stats;
};

static int link_answer_read(const struct nlmsghdr *msg, void *ctx)
{
	const struct rtattr *attrs[IFLA_STATS64 + 1], *info[IFLA_INFO_KIND + 1];
	const struct ifinfomsg *body = NLMSG_DATA(msg);
	struct link_answer *answer = ctx;
	struct kernel_if *nic = &answer->nic;
	size_t bytes;

	if (msg->nlmsg_type != RTM_NEWLINK || msg->nlmsg_len < NLMSG_LENGTH(sizeof(*body)))
		return 0;
	kernel_netlink_msg_attrs(msg, sizeof(*body), attrs, IFLA_STATS64 + 1);
	nic->index = (unsigned)body->ifi_index;
	nic->up = body->ifi_flags & IFF_UP;
	nic->running = body->ifi_flags & IFF_LOWER_UP;
	nic->loopback = body->ifi_flags & IFF_LOOPBACK;
	nic->mtu = kernel_netlink_u32(attrs[IFLA_MTU]);
	if (attrs[IFLA_IFNAME] != NULL)
		snprintf(nic->name, sizeof(nic->name), "%.*s", (int)RTA_PAYLOAD(attrs[IFLA_IFNAME]),
			(const char *)RTA_DATA(attrs[IFLA_IFNAME]));
	/* Tunnels have addresses that are no MAC. */
	if (body->ifi_type == ARPHRD_ETHER && attrs[IFLA_ADDRESS] != NULL &&
		RTA_PAYLOAD(attrs[IFLA_ADDRESS]) == 6)
		nic->mac = units_mac_number(RTA_DATA(attrs[IFLA_ADDRESS]));
	if (attrs[IFLA_LINKINFO] != NULL) {
		kernel_netlink_attrs(RTA_DATA(attrs[IFLA_LINKINFO]),
			RTA_PAYLOAD(attrs[IFLA_LINKINFO]), info, IFLA_INFO_KIND + 1);
		answer->is_virtual = info[IFLA_INFO_KIND] != NULL;
	}
	if (attrs[IFLA_STATS64] != NULL) {
		bytes = RTA_PAYLOAD(attrs[IFLA_STATS64]);
		memcpy(&answer->stats, RTA_DATA(attrs[IFLA_STATS64]),
			bytes < sizeof(answer->stats) ? bytes : sizeof(answer->stats));
	}
	return 0;
}

static int link_query(const char *name, struct link_answer *answer)
{
	struct ifinfomsg body = {.ifi_family = AF_UNSPEC};
	unsigned index = if_nametoindex(name);
	int ret;

	memset(answer, 0, sizeof(*answer));
	if (index == 0)
		return errno != 0 ? -errno : -ENODEV;
	body.ifi_index = (int)index;
	ret = kernel_netlink_request(
		NETLINK_ROUTE, RTM_GETLINK, 0, &body, sizeof(body), link_answer_read, answer);
	if (ret == 0 && answer->nic.index != index)
		ret = -ENODEV;
	return ret;
}

static int ioctl_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static int ethtool_call(int fd, const char *name, void *cmd)
{
	struct ifreq req = {.ifr_data = cmd};

	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	return ioctl(fd, SIOCETHTOOL, &req) < 0 ? -errno : 0;
}

static void ethtool_driver(int fd, struct kernel_if *nic)
{
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};

	if (ethtool_call(fd, nic->name, &info) < 0)
		return;
	snprintf(nic->driver, sizeof(nic->driver), "%.31s", info.driver);
	snprintf(nic->bus, sizeof(nic->bus), "%.31s", info.bus_info);
}

/* 0 when the driver tells none. */
static void ethtool_link(int fd, struct kernel_if *out)
{
	union {
		struct ethtool_link_settings link; /* the masks follow it */
		uint8_t room[sizeof(struct ethtool_link_settings) + 3 * 4 * LINK_MODE_WORDS];
	} req = {.link = {.cmd = ETHTOOL_GLINKSETTINGS}};

	/* The first call only tells, as a negative number, how many mask words the kernel has. */
	if (ethtool_call(fd, out->name, &req) < 0 || req.link.link_mode_masks_nwords >= 0)
		return;
	req.link.cmd = ETHTOOL_GLINKSETTINGS;
	req.link.link_mode_masks_nwords = (int8_t)-req.link.link_mode_masks_nwords;
	if (ethtool_call(fd, out->name, &req) < 0)
		return;
	if (req.link.speed != (uint32_t)SPEED_UNKNOWN)
		out->speed_bps = req.link.speed * 1000000ull;
	if (req.link.duplex == DUPLEX_FULL || req.link.duplex == DUPLEX_HALF)
		out->duplex = req.link.duplex == DUPLEX_FULL;
}

/* The first line of a file in a PCI device's directory; false when there is none. */
static bool pci_file_read(const char *address, const char *file, char *out, size_t size)
{
	char path[512];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), PCI_DIR "/%s/%s", address, file);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	ok = fgets(out, (int)size, f) != NULL;
	fclose(f);
	return ok;
}

static unsigned long pci_number_read(const char *address, const char *file)
{
	char text[32];

	return pci_file_read(address, file, text, sizeof(text)) ? strtoul(text, NULL, 0) : 0;
}

static int pci_numa_node(const char *address)
{
	char text[32];

	/* bus-info of other buses may be a path of its own kind. */
	if (address[0] == '\0' || address[0] == '.' || strchr(address, '/') != NULL ||
		!pci_file_read(address, "numa_node", text, sizeof(text)))
		return -1;
	return (int)strtol(text, NULL, 10);
}

int kernel_if_get(const char *name, struct kernel_if *out)
{
	struct link_answer answer;
	int fd, ret;

	ret = link_query(name, &answer);
	if (ret < 0)
		return ret;
	fd = ioctl_socket();
	if (fd < 0)
		return fd;
	*out = answer.nic;
	ethtool_driver(fd, out);
	out->speed_bps = 0;
	out->duplex = -1;
	if (!answer.is_virtual)
		ethtool_link(fd, out);
	out->numa_node = pci_numa_node(out->bus);
	close(fd);
	return 0;
}

int kernel_if_list(struct kernel_if **out)
{
	struct if_nameindex *names = if_nameindex();
	struct kernel_if *list;
	int ret = 0, nb = 0;
	size_t room = 1;

	*out = NULL;
	if (names == NULL)
		return -errno;
	for (const struct if_nameindex *n = names; n->if_index != 0; n++)
		room++;
	list = calloc(room, sizeof(*list));
	if (list == NULL)
		ret = -ENOMEM;
	for (const struct if_nameindex *n = names; ret == 0 && n->if_index != 0; n++) {
		ret = kernel_if_get(n->if_name, &list[nb]);
		if (ret == 0)
			nb++;
		else if (ret == -ENODEV) /* it went while we looked */
			ret = 0;
	}
	if_freenameindex(names);
	if (ret < 0) {
		free(list);
		return ret;
	}
	*out = list;
	return nb;
}

int kernel_if_set_mtu(const char *name, uint32_t mtu)
{
	struct ifreq req = {.ifr_mtu = (int)mtu};
	int fd, ret;

	if (strlen(name) >= sizeof(req.ifr_name))
		return -ENODEV;
	if (mtu > INT32_MAX)
		return -EINVAL;
	fd = ioctl_socket();
	if (fd < 0)
		return fd;
	snprintf(req.ifr_name, sizeof(req.ifr_name), "%s", name);
	ret = ioctl(fd, SIOCSIFMTU, &req) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int kernel_if_counters(const char *name, struct kernel_if_counters *out)
{
	struct link_answer answer;
	int ret = link_query(name, &answer);

	if (ret < 0)
		return ret;
	*out = (struct kernel_if_counters){
		.rx_packets = answer.stats.rx_packets,
		.tx_packets = answer.stats.tx_packets,
		/* Missed frames (no room in the card's ring) are counted apart, as no errors. */
		.rx_dropped = answer.stats.rx_dropped + answer.stats.rx_missed_errors,
		.tx_dropped = answer.stats.tx_dropped,
		.rx_errors = answer.stats.rx_errors,
		.tx_errors = answer.stats.tx_errors,
	};
	return 0;
}

static void pci_device_read(
	const char *address, const struct kernel_if *nics, int nb_nics, struct kernel_pci *out)
{
	char path[512], target[512];
	const char *slash;
	ssize_t n;

	memset(out, 0, sizeof(*out));
	snprintf(out->address, sizeof(out->address), "%s", address);
	out->vendor = (uint16_t)pci_number_read(address, "vendor");
	out->device = (uint16_t)pci_number_read(address, "device");
	out->numa_node = pci_numa_node(address);
	snprintf(path, sizeof(path), PCI_DIR "/%s/driver", address);
	n = readlink(path, target, sizeof(target) - 1);
	if (n > 0) {
		target[n] = '\0';
		slash = strrchr(target, '/');
		snprintf(out->driver, sizeof(out->driver), "%.31s",
			slash != NULL ? slash + 1 : target);
	}
	/* Not from /sys: its net/ shows the namespace of whoever mounted it. */
	for (int i = 0; i < nb_nics; i++) {
		if (strcmp(nics[i].bus, address) != 0)
			continue;
		memcpy(out->ifname, nics[i].name, sizeof(out->ifname));
		break;
	}
}

static int pci_is_network(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       strlen(entry->d_name) < sizeof(((struct kernel_pci *)NULL)->address) &&
	       pci_number_read(entry->d_name, "class") >> 16 == PCI_CLASS_NET;
}

int kernel_pci_list(struct kernel_pci **out)
{
	struct dirent **entries = NULL;
	struct kernel_if *nics = NULL;
	struct kernel_pci *list;
	int nb, nb_nics;

	*out = NULL;
	nb = scandir(PCI_DIR, &entries, pci_is_network, alphasort);
	if (nb < 0)
		return errno == ENOENT ? 0 : -errno; /* no such bus here */
	nb_nics = kernel_if_list(&nics);
	list = calloc((size_t)nb + 1, sizeof(*list));
	for (int i = 0; i < nb; i++) {
		if (list != NULL)
			pci_device_read(entries[i]->d_name, nics, nb_nics, &list[i]);
		free(entries[i]);
	}
	free(entries);
	free(nics);
	if (list == NULL)
		return -ENOMEM;
	*out = list;
	return nb;
}
