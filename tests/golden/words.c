/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Templates from lines, for check_fields.py and check_templates.py.
 *
 *	words list	every header type and field as JSON, from the field tables
 *	words FILE	a pcap file: each line of stdin is SIZE FRAMES WORD… , separated by tabs;
 *			SIZE: bytes beyond the smallest packet-size; several, joined by
 *			commas, are sent in turn
 *	words bytes	the same, in hex, a frame a line
 */
#include "tgen/pkt.h"

#include <pcap/pcap.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES 65535
#define MAX_LINE  8192
#define MAX_SIZES 16
#define FAR	  199u /* frames 0, 1, 398, 597 … */

static const struct pkt_assumed assumed = {
	.mac_src = 0x020000000001,
	.mac_dst = 0x020000000002,
	.ip_src = 0xc0000201, /* 192.0.2.1 */
	.ip6_src_up = 0x20010db800000000,
	.ip6_src_lo = 1,
};

static void list_field(const struct pkt_hdr *hdr, const struct pkt_field *field)
{
	const struct opt *opt = &field->opt;
	const char *before = "";

	printf("{\"header\": \"%s\", \"field\": \"%s\", \"bits\": %u, \"bit_off\": %u, "
	       "\"min\": %llu, \"max\": %llu, \"type\": \"%s\", \"default\": ",
		hdr->name, opt->name, field->bits, field->bit_off, (unsigned long long)opt->min,
		(unsigned long long)opt->max, opt_type_name(opt->type));
	printf(opt->dflt != NULL ? "\"%s\"" : "null", opt->dflt);
	printf(", \"vary\": %s, \"words\": [", (opt->flags & OPT_VARY) != 0 ? "true" : "false");
	for (const struct opt_word *w = opt->words; w != NULL && w->name != NULL; w++) {
		printf("%s[\"%s\", %llu]", before, w->name, (unsigned long long)w->value);
		before = ", ";
	}
	printf("]}\n");
}

static int list(void)
{
	const struct opt *stack = &pkt_template_opts[TMPL_HEADER_STACK];

	for (const struct opt_word *w = stack->words; w->name != NULL; w++) {
		const struct pkt_hdr *hdr = pkt_hdr_find(w->name);

		for (size_t i = 0; i < hdr->fields->nb; i++)
			list_field(hdr, (const struct pkt_field *)opt_section_at(hdr->fields, i));
	}
	return EXIT_SUCCESS;
}

/* Sizes, ascending, joined by commas; each in turn. */
static void sizes_read(char *text, unsigned least, struct pkt_sizes *sizes)
{
	static uint16_t bytes[MAX_SIZES], order[MAX_SIZES];
	char *item;

	*sizes = (struct pkt_sizes){.bytes = bytes, .order = order};
	while (sizes->nb < MAX_SIZES && (item = strsep(&text, ",")) != NULL) {
		bytes[sizes->nb] = (uint16_t)(least + strtoul(item, NULL, 10));
		order[sizes->nb] = (uint16_t)sizes->nb;
		sizes->nb++;
	}
	sizes->period = sizes->nb;
}

static int build(char *line, struct pkt_frame *frame, struct pkt_sizes *sizes, unsigned *nb_frames)
{
	char *size = strsep(&line, "\t"), *word;
	struct err err = {0};
	struct opt_set set;
	int rc = 0, least;

	*nb_frames = (unsigned)strtoul(strsep(&line, "\t"), NULL, 10);
	opt_set_init(&set, &pkt_template_menu);
	while (rc == 0 && (word = strsep(&line, "\t")) != NULL)
		rc = opt_set_arg(&set, word, &err);
	least = rc == 0 ? pkt_min_size(&set, &err) : rc;
	rc = least < 0 ? least : 0;
	if (rc == 0) {
		sizes_read(size, (unsigned)least, sizes);
		rc = pkt_build_sizes(&set, &assumed, sizes, frame, &err);
	}
	if (rc != 0)
		fprintf(stderr, "%s\n", err.text);
	opt_set_fini(&set);
	return rc;
}

static void put(pcap_dumper_t *dumper, const struct pkt_frame *frame, unsigned n)
{
	static uint8_t bytes[MAX_BYTES];
	struct sig sig = {.test_id = 7, .lane = 1, .seq = n, .time_ns = 0x123456789abcull};
	struct pcap_pkthdr head;
	unsigned size = pkt_render(frame, n, &sig, bytes);

	head = (struct pcap_pkthdr){.caplen = size, .len = size};
	if (dumper != NULL) {
		pcap_dump((uint8_t *)dumper, &head, bytes);
		return;
	}
	for (unsigned i = 0; i < size; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static int render(pcap_dumper_t *dumper)
{
	char line[MAX_LINE];
	unsigned nb;

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct pkt_frame frame;
		struct pkt_sizes sizes;

		line[strcspn(line, "\n")] = '\0';
		if (build(line, &frame, &sizes, &nb) != 0)
			return EXIT_FAILURE;
		for (unsigned i = 0; i < nb; i++)
			put(dumper, &frame, i < 2 ? i : i * FAR);
		pkt_frame_fini(&frame);
	}
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	pcap_dumper_t *dumper;
	pcap_t *pcap;
	int status;

	if (argc != 2) {
		fprintf(stderr, "usage: words list|bytes|FILE\n");
		return EXIT_FAILURE;
	}
	if (strcmp(argv[1], "list") == 0)
		return list();
	if (strcmp(argv[1], "bytes") == 0)
		return render(NULL);
	pcap = pcap_open_dead(DLT_EN10MB, MAX_BYTES);
	dumper = pcap_dump_open(pcap, argv[1]);
	status = dumper != NULL ? render(dumper) : EXIT_FAILURE;
	if (dumper != NULL)
		pcap_dump_close(dumper);
	pcap_close(pcap);
	return status;
}
