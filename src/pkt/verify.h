/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* RFC 768: over the addresses of ip (20 bytes at least), length bytes from udp; not for checksum 0. */
bool pkt_udp_csum_right(const uint8_t *ip, const uint8_t *udp, unsigned length);
