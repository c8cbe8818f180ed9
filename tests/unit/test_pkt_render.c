/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_help.h"

/* ---- varying fields ---- */

static void a_range_is_sent_in_order_and_complete_with_right_checksums(void **state)
{
	static const char *const words[] = {"ip-src=10.0.255.250-10.1.0.10",
		"ip-dst=1.2.3.4-1.2.3.6", "udp-src-port=65530-65535", "udp-dst-port=0-299",
		"udp-checksum=compute", "data=incrementing", NULL};
	struct pkt_frame frame;
	uint8_t out[61];

	(void)state;
	build(words, sizeof(out), &frame);
	assert_int_equal(frame.nb_mods, 4);
	for (unsigned n = 0; n < 1000; n++) {
		pkt_render(&frame, n, &sample, out);
		assert_int_equal(pkt_get32(out + ETH_IP + 12), 0x0a00fffa + n % 17);
		assert_int_equal(pkt_get32(out + ETH_IP + 16), 0x01020304 + n % 3);
		assert_int_equal(pkt_get16(out + ETH_UDP), 65530 + n % 6);
		assert_int_equal(pkt_get16(out + ETH_UDP + 2), n % 300);
		assert_ip_csum_right(out);
		assert_udp_csum_right(out, sizeof(out));
	}
	pkt_frame_fini(&frame);
}

static void a_range_of_one_value_does_not_vary(void **state)
{
	struct pkt_frame frame;

	(void)state;
	build((const char *const[]){"ip-dst=1.2.3.4-1.2.3.4", "udp-dst-port=7-7", NULL}, 60,
		&frame);
	assert_int_equal(frame.nb_mods, 0);
	assert_int_equal(pkt_get16(frame.hdr + ETH_UDP + 2), 7);
}

/* All 65536 ports: one of them makes the sum come out as 0, which is sent as 0xffff. */
static void a_computed_zero_is_sent_as_ffff(void **state)
{
	unsigned nb_ffff = 0;
	struct pkt_frame frame;
	uint8_t out[60];

	(void)state;
	build((const char *const[]){"ip-dst=1.2.3.4", "udp-dst-port=0-65535",
		      "udp-checksum=compute", NULL},
		60, &frame);
	for (unsigned n = 0; n < 65536; n++) {
		char word[32];
		struct pkt_frame one;

		pkt_render(&frame, n, NULL, out);
		assert_udp_csum_right(out, 60);
		if (pkt_get16(out + ETH_UDP + 6) != 0xffff)
			continue;
		nb_ffff++;
		snprintf(word, sizeof(word), "udp-dst-port=%u", n);
		build((const char *const[]){"ip-dst=1.2.3.4", word, "udp-checksum=compute", NULL},
			60, &one);
		assert_int_equal(pkt_get16(one.hdr + ETH_UDP + 6), 0xffff);
	}
	assert_in_range(nb_ffff, 1, 2);
	pkt_frame_fini(&frame);
}

static void a_checksum_of_zero_is_never_mended(void **state)
{
	struct pkt_frame frame;
	uint8_t out[60];

	(void)state;
	build((const char *const[]){"ip-dst=1.2.3.4-1.2.3.9", "udp-dst-port=1-9", NULL}, 60,
		&frame);
	for (unsigned n = 0; n < 20; n++) {
		pkt_render(&frame, n, &sample, out);
		assert_int_equal(pkt_get16(out + ETH_UDP + 6), 0);
		assert_ip_csum_right(out);
	}
	pkt_frame_fini(&frame);
}

/* Fields of every width at both parities, against a sum made anew. */
static void a_field_at_any_offset_keeps_its_checksum_right(void **state)
{
	static const struct {
		uint8_t bytes;
		uint32_t lo, nb;
	} cases[] = {{1, 0, 256}, {1, 250, 6}, {2, 0, 65536}, {2, 0xff00, 256}, {4, 0xfffe, 70000},
		{4, 0xfffffff0, 16}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (uint16_t off = 2; off < 8; off++) {
			struct pkt_mod mod = {.off = off,
				.bytes = cases[i].bytes,
				.field = (UINT64_C(1) << 8 * cases[i].bytes) - 1,
				.base = cases[i].lo,
				.lo = cases[i].lo,
				.inc = 1,
				.every = 1,
				.nb = cases[i].nb,
				.csums = 1};
			const struct pkt_frame frame = {
				.nb_mods = 1, .mods = &mod, .nb_csums = 1, .csums = {{.off = 12}}};
			uint8_t data[14] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0};

			for (unsigned b = 0; b < mod.bytes; b++)
				data[off + b] = (uint8_t)(cases[i].lo >> 8 * (mod.bytes - 1 - b));
			pkt_put16(data + 12, (uint16_t)~plain_sum(data, 14, 0));
			for (uint32_t step = 0; step < mod.nb; step += 1 + (uint32_t)mod.nb / 300) {
				struct pkt_steps steps;
				uint8_t copy[14];

				memcpy(copy, data, 14);
				pkt_steps_init(&steps, &frame, step);
				pkt_mods_apply(&frame, &steps, copy);
				assert_int_equal(plain_sum(copy, 14, 0), 0xffff);
			}
		}
	}
}

/* ---- payload ---- */

static void payload_is_what_was_asked_and_the_signature_place_is_zero(void **state)
{
	static const struct {
		const char *data, *footer;
		uint8_t first, second, last_before;
	} cases[] = {
		{"data=uninitialized", "special-footer=yes", 0, 0, 0},
		{"data=specific-byte", "special-footer=yes", 0xa5, 0xa5, 0xa5},
		{"data=incrementing", "special-footer=yes", 0, 1, 39},
		{"data=incrementing", "special-footer=no", 0, 1, 39},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool footer = strstr(cases[i].footer, "yes") != NULL;
		static const uint8_t zeros[SIG_BYTES];
		struct pkt_frame frame;
		uint8_t out[100];

		build((const char *const[]){"ip-dst=1.2.3.4", cases[i].data, "data-byte=a5",
			      cases[i].footer, NULL},
			100, &frame);
		memset(out, 0x5a, sizeof(out));
		pkt_payload_fill(&frame, out);
		assert_int_equal(out[41], 0x5a);
		assert_int_equal(out[42], cases[i].first);
		assert_int_equal(out[43], cases[i].second);
		assert_int_equal(out[81], cases[i].last_before);
		assert_int_equal(frame.sig_off, footer ? 82 : 0);
		if (footer)
			assert_memory_equal(out + 82, zeros, SIG_BYTES);
		else
			assert_int_equal(out[99], 57);
	}
}

static void frames_share_a_pool_only_when_their_payload_is_the_same(void **state)
{
	static const struct {
		const char *a[MAX_WORDS], *b[MAX_WORDS];
		unsigned size_b;
		bool same;
	} cases[] = {
		{{"ip-dst=1.1.1.1"}, {"ip-dst=2.2.2.2", "udp-dst-port=5"}, 100, true},
		{{"ip-dst=1.1.1.1"}, {"ip-dst=1.1.1.1"}, 101, false},
		{{"ip-dst=1.1.1.1"}, {"ip-dst=1.1.1.1", "special-footer=no"}, 100, false},
		{{"ip-dst=1.1.1.1"}, {"ip-dst=1.1.1.1", "data=incrementing"}, 100, false},
		{{"ip-dst=1.1.1.1"}, {"ip-dst=1.1.1.1", "header-stack=mac,ip"}, 100, false},
		{{"ip-dst=1.1.1.1"}, {"ip-dst=1.1.1.1", "data=specific-byte"}, 100, true},
		{{"ip-dst=1.1.1.1", "data-byte=01"}, {"ip-dst=1.1.1.1"}, 100, true},
		{{"ip-dst=1.1.1.1", "data=specific-byte", "data-byte=01"},
			{"ip-dst=1.1.1.1", "data=specific-byte", "data-byte=02"}, 100, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pkt_frame a, b;

		build(cases[i].a, 100, &a);
		build(cases[i].b, cases[i].size_b, &b);
		assert_int_equal(pkt_payload_same(&a, &b), cases[i].same);
		assert_int_equal(pkt_payload_same(&b, &a), cases[i].same);
	}
}

static void sum_does_not_depend_on_alignment_or_on_where_it_is_cut(void **state)
{
	uint8_t data[300];

	(void)state;
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 197 + 11);
	for (unsigned at = 0; at < 8; at++) {
		for (unsigned bytes = 0; bytes < 64; bytes++) {
			uint16_t plain = plain_sum(data + at, bytes, 0x1234);
			unsigned cut = bytes / 2 & ~1u;
			uint32_t sum = pkt_csum_add(data + at, cut, 0x1234);

			assert_int_equal(sig_fold(pkt_csum_add(data + at, bytes, 0x1234)), plain);
			sum = pkt_csum_add(data + at + cut, bytes - cut, sum);
			assert_int_equal(sig_fold(sum), plain);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_is_sent_in_order_and_complete_with_right_checksums),
		cmocka_unit_test(a_range_of_one_value_does_not_vary),
		cmocka_unit_test(a_computed_zero_is_sent_as_ffff),
		cmocka_unit_test(a_checksum_of_zero_is_never_mended),
		cmocka_unit_test(a_field_at_any_offset_keeps_its_checksum_right),
		cmocka_unit_test(payload_is_what_was_asked_and_the_signature_place_is_zero),
		cmocka_unit_test(frames_share_a_pool_only_when_their_payload_is_the_same),
		cmocka_unit_test(sum_does_not_depend_on_alignment_or_on_where_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
