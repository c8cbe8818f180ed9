/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether the checksum of a transport header is right: length bytes from l4, over the addresses of
 * the IP header of that version (whole, at ip) where the protocol has it so. Of SCTP: its CRC. True
 * for a protocol without one. A UDP checksum of 0 is the caller's to judge.
 */
bool pkt_csum_right(
	const uint8_t *ip, unsigned version, uint8_t proto, const uint8_t *l4, unsigned length);
