/* SPDX-License-Identifier: BSD-3-Clause */
#include "hdr.h"

/* Names of numbers that fields of several headers have. */

/* IEEE 802 numbers; the names are RouterOS's. */
const struct opt_word hdr_ethertypes[] = {
	{"802.2", 0x0004},
	{"arp", PKT_ETHERTYPE_ARP},
	{"ip", PKT_ETHERTYPE_IP4},
	{"ipv6", PKT_ETHERTYPE_IP6},
	{"lldp", 0x88cc},
	{"macsec", 0x88e5},
	{"mpls-multicast", 0x8848},
	{"mpls-unicast", 0x8847},
	{"pppoe", 0x8864},
	{"pppoe-discovery", 0x8863},
	{"rarp", 0x8035},
	{"service-vlan", PKT_ETHERTYPE_QINQ},
	{"vlan", PKT_ETHERTYPE_VLAN},
	{NULL, 0},
};

/* IANA, protocol numbers; the names are RouterOS's and, for IPv6's headers, those of header-stack. */
const struct opt_word hdr_ip_protocols[] = {
	{"hop-by-hop", 0},
	{"icmp", PKT_IP_PROTO_ICMP},
	{"igmp", 2},
	{"ipencap", 4},
	{"tcp", PKT_IP_PROTO_TCP},
	{"egp", 8},
	{"udp", PKT_IP_PROTO_UDP},
	{"dccp", 33},
	{"ipv6-encap", 41},
	{"routing", 43},
	{"fragment", 44},
	{"rsvp", 46},
	{"gre", 47},
	{"ipsec-esp", 50},
	{"ipsec-ah", 51},
	{"icmpv6", 58},
	{"no-next", 59},
	{"destination", 60},
	{"ospf", 89},
	{"ipip", 94},
	{"etherip", 97},
	{"encap", 98},
	{"pim", 103},
	{"vrrp", 112},
	{"l2tp", 115},
	{"sctp", 132},
	{"udp-lite", 136},
	{"mpls", 137},
	{NULL, 0},
};

/* IANA, PPP numbers. */
const struct opt_word hdr_ppp_protocols[] = {
	{"padding", 0x0001},
	{"ip", 0x0021},
	{"ipv6", 0x0057},
	{"mpls", 0x0281},
	{"ipcp", 0x8021},
	{"ipv6cp", 0x8057},
	{"lcp", 0xc021},
	{"pap", 0xc023},
	{"chap", 0xc223},
	{NULL, 0},
};

/* RFC 2474 (csN), 2597 (afNN), 3246 (ef), 5865 (va), 8622 (le). */
const struct opt_word hdr_dscps[] = {
	{"cs0", 0},
	{"le", 1},
	{"cs1", 8},
	{"af11", 10},
	{"af12", 12},
	{"af13", 14},
	{"cs2", 16},
	{"af21", 18},
	{"af22", 20},
	{"af23", 22},
	{"cs3", 24},
	{"af31", 26},
	{"af32", 28},
	{"af33", 30},
	{"cs4", 32},
	{"af41", 34},
	{"af42", 36},
	{"af43", 38},
	{"cs5", 40},
	{"va", 44},
	{"ef", 46},
	{"cs6", 48},
	{"cs7", 56},
	{NULL, 0},
};

/* RFC 3168. */
const struct opt_word hdr_ecns[] = {
	{"not-ect", 0},
	{"ect1", 1},
	{"ect0", 2},
	{"ce", 3},
	{NULL, 0},
};
