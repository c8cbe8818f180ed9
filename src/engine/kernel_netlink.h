/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One netlink request in the caller's network namespace. `each` is called for every answer
 * (never for errors or the end mark); a negative return of its ends the request with that value.
 *   protocol:    NETLINK_ROUTE …
 *   type, flags: RTM_GETLINK …; NLM_F_DUMP for all, 0 for one
 *   body:        the header behind nlmsghdr (ifinfomsg, rtmsg …), at most 64 bytes
 * 0 or -errno, the kernel's included.
 */
int kernel_netlink_request(int protocol, uint16_t type, uint16_t flags, const void *body,
	size_t body_bytes, int (*each)(const struct nlmsghdr *msg, void *ctx), void *ctx);

/*
 * Attributes by number: out[i] is the last attribute i of the list (i < nb), NULL where there is
 * none. bytes: of the whole list.
 */
void kernel_netlink_attrs(
	const struct rtattr *first, size_t bytes, const struct rtattr **out, unsigned nb);
/* The attributes behind a header of body_bytes. */
void kernel_netlink_msg_attrs(
	const struct nlmsghdr *msg, size_t body_bytes, const struct rtattr **out, unsigned nb);
/* 0 when there is no such attribute or it is too short. */
uint32_t kernel_netlink_u32(const struct rtattr *attr);
