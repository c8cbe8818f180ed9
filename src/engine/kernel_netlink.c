/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_netlink.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BODY_BYTES_MAX 64u
#define ANSWER_BYTES   (64u * 1024) /* the kernel fills at most 32 KiB of a dump at once */
#define SEQ	       1u

static int netlink_send(int fd, uint16_t type, uint16_t flags, const void *body, size_t body_bytes)
{
	struct {
		struct nlmsghdr head;
		uint8_t body[BODY_BYTES_MAX];
	} msg = {
		.head = {.nlmsg_len = NLMSG_LENGTH(body_bytes),
			.nlmsg_type = type,
			/* The acknowledgement ends an answer that is no dump. */
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags,
			.nlmsg_seq = SEQ},
	};

	assert(body_bytes <= sizeof(msg.body));
	memcpy(msg.body, body, body_bytes);
	return send(fd, &msg, msg.head.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* One datagram. *end: the answer is complete. */
static int netlink_walk(const void *buf, size_t bytes,
	int (*each)(const struct nlmsghdr *msg, void *ctx), void *ctx, bool *end)
{
	const struct nlmsghdr *msg = buf;
	int ret;

	for (; NLMSG_OK(msg, bytes); msg = NLMSG_NEXT(msg, bytes)) {
		if (msg->nlmsg_seq != SEQ)
			continue;
		if (msg->nlmsg_type == NLMSG_DONE || msg->nlmsg_type == NLMSG_ERROR) {
			/* Both begin with an errno; a DONE without one is a success. */
			*end = true;
			return msg->nlmsg_len < NLMSG_LENGTH(sizeof(int))
				       ? 0
				       : *(const int *)NLMSG_DATA(msg);
		}
		ret = each(msg, ctx);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int kernel_netlink_request(int protocol, uint16_t type, uint16_t flags, const void *body,
	size_t body_bytes, int (*each)(const struct nlmsghdr *msg, void *ctx), void *ctx)
{
	bool end = false;
	void *buf;
	ssize_t n;
	int fd, ret;

	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -errno;
	buf = malloc(ANSWER_BYTES);
	ret = buf == NULL ? -ENOMEM : netlink_send(fd, type, flags, body, body_bytes);
	while (ret == 0 && !end) {
		n = recv(fd, buf, ANSWER_BYTES, MSG_TRUNC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = -errno;
		else if ((size_t)n > ANSWER_BYTES)
			ret = -EMSGSIZE;
		else
			ret = netlink_walk(buf, (size_t)n, each, ctx, &end);
	}
	free(buf);
	close(fd);
	return ret;
}

void kernel_netlink_attrs(
	const struct rtattr *first, size_t bytes, const struct rtattr **out, unsigned nb)
{
	const struct rtattr *attr = first;
	unsigned type;

	for (unsigned i = 0; i < nb; i++)
		out[i] = NULL;
	for (; RTA_OK(attr, bytes); attr = RTA_NEXT(attr, bytes)) {
		type = attr->rta_type & NLA_TYPE_MASK;
		if (type < nb)
			out[type] = attr;
	}
}

void kernel_netlink_msg_attrs(
	const struct nlmsghdr *msg, size_t body_bytes, const struct rtattr **out, unsigned nb)
{
	size_t skip = NLMSG_SPACE(body_bytes);
	size_t bytes = msg->nlmsg_len > skip ? msg->nlmsg_len - skip : 0;

	kernel_netlink_attrs((const void *)((const char *)msg + skip), bytes, out, nb);
}

uint32_t kernel_netlink_u32(const struct rtattr *attr)
{
	uint32_t value = 0;

	if (attr != NULL && RTA_PAYLOAD(attr) >= sizeof(value))
		memcpy(&value, RTA_DATA(attr), sizeof(value));
	return value;
}
