/* SPDX-License-Identifier: BSD-3-Clause */
#include "pkt_help.h"

#include "../../src/pkt/vary.h"
#include "tgen/pkt_mods.h"
#include "tgen/random.h"

#define NB(array) (sizeof(array) / sizeof((array)[0]))
#define BYTES	  96u /* of a frame of random bytes */
#define HDR_BYTES 70u
#define NB_TABLE  5u
#define NB_SIZES  3u
#define MAX_SIZE  512u

static const uint64_t table[NB_TABLE] = {0, UINT64_MAX, 0x0123456789abcdef, 1, 0xff00ff00ff00ff00};

/* ---- frames of random bytes, fields and checksums ---- */

struct chance {
	uint64_t seed, drawn;
};

static unsigned below(struct chance *c, unsigned span)
{
	return (unsigned)random_below(random_at(c->seed, c->drawn++), span);
}

struct composed {
	struct pkt_frame frame;
	struct pkt_sizes sizes;
	uint16_t bytes[NB_SIZES], order[NB_SIZES];
	bool usual;	   /* steps of words, one size, two checksums at most */
	bool taken[BYTES]; /* by a checksum or a field */
};

static void add_csum(struct composed *x, struct chance *c)
{
	struct pkt_frame *f = &x->frame;
	struct pkt_csum *csum = &f->csums[f->nb_csums];
	unsigned off = below(c, HDR_BYTES - 1) & (x->usual ? ~1u : ~0u);

	if (x->taken[off] || x->taken[off + 1])
		return;
	x->taken[off] = x->taken[off + 1] = true;
	*csum = (struct pkt_csum){.off = (uint16_t)off, .zero_is_none = below(c, 2) != 0};
	for (unsigned k = 0; k < f->nb_csums; k++)
		if (!x->usual && below(c, 3) == 0)
			csum->covers |= (uint16_t)(1u << k);
	/* what folds in two ways */
	if (below(c, 6) == 0)
		pkt_put16(f->hdr + off, below(c, 2) != 0 ? 0xffff : 0);
	f->nb_csums++;
}

static uint64_t ones(unsigned bits)
{
	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static void add_mod(struct composed *x, struct chance *c)
{
	static const unsigned widths[] = {1, 3, 8, 12, 16, 16, 20, 24, 32, 32, 48, 57, 64};
	static const uint64_t rounds[] = {1, 2, 3, 7, 1000, UINT64_C(1) << 40};
	unsigned bits = widths[below(c, NB(widths))], off = below(c, BYTES * 8 - bits);
	struct pkt_mod mod = {.kind = (uint8_t)below(c, 4), .every = 1};

	if (x->usual) {
		bits = 16 + 16 * below(c, 2);
		off = below(c, (BYTES - 4) / 2) * 16;
		mod.kind = PKT_MOD_STEP;
	}
	if ((bits & 7) == 0 && below(c, 8) != 0)
		off &= ~7u;
	if (off / 8 < HDR_BYTES && (off + bits - 1) / 8 >= HDR_BYTES)
		return;
	if ((off % 8 + bits + 7) / 8 > 8)
		return;
	for (unsigned i = off / 8; i <= (off + bits - 1) / 8; i++)
		if (x->taken[i])
			return;
	pkt_mod_place(&mod, &x->frame, off, bits);
	if (mod.off + mod.bytes > (x->frame.sizes != NULL ? x->bytes[0] : BYTES))
		return;
	for (unsigned m = 0; m < x->frame.nb_mods; m++)
		if (vary_overlaps(&x->frame.mods[m], &mod))
			return;
	if (!x->usual && below(c, 3) == 0)
		mod.every = 1 + below(c, 9);
	mod.nb = rounds[below(c, NB(rounds))];
	mod.lo = random_at(c->seed, c->drawn++) & ones(bits);
	mod.inc = below(c, 2) != 0 ? 1 : random_at(c->seed, c->drawn++);
	mod.seed = random_at(c->seed, c->drawn++);
	mod.bits = random_at(c->seed, c->drawn++) & ones(bits);
	mod.span = 1 + below(c, 1000);
	mod.csums = (uint16_t)below(c, 1u << x->frame.nb_csums);
	if (mod.kind == PKT_MOD_TABLE) {
		mod.table = table;
		mod.nb = NB_TABLE;
	} else if (mod.kind != PKT_MOD_STEP && below(c, 2) != 0) {
		mod.nb = 0;
	}
	assert_int_equal(pkt_mod_add(&x->frame, &mod), 0);
}

/* Words of the header depend on the size; a field's do not. */
static void add_sizes(struct composed *x, struct chance *c)
{
	struct pkt_frame *f = &x->frame;

	for (unsigned i = 0; i < NB_SIZES; i++) {
		x->bytes[i] = (uint16_t)(BYTES - NB_SIZES + 1 + i);
		x->order[i] = (uint16_t)(NB_SIZES - 1 - i);
	}
	x->sizes = (struct pkt_sizes){
		.nb = NB_SIZES, .bytes = x->bytes, .period = NB_SIZES, .order = x->order};
	f->sizes = &x->sizes;
	f->patches = calloc((size_t)NB_SIZES * PKT_MAX_PATCHES, sizeof(*f->patches));
	assert_non_null(f->patches);
	for (unsigned k = 0; k < f->nb_csums && k < 6; k++)
		f->patch_off[f->nb_patches++] = f->csums[k].off;
	for (unsigned off = below(c, 9); off + 2 <= HDR_BYTES; off += 2 + below(c, 30)) {
		if (x->taken[off] || x->taken[off + 1])
			continue;
		x->taken[off] = x->taken[off + 1] = true;
		f->patch_off[f->nb_patches++] = (uint16_t)off;
	}
	for (unsigned k = 0; k < NB_SIZES; k++)
		for (unsigned i = 0; i < f->nb_patches; i++)
			f->patches[k * f->nb_patches + i] =
				k + 1 == NB_SIZES   ? pkt_get16(f->hdr + f->patch_off[i])
				: below(c, 30) == 0 ? 0
						    : (uint16_t)(1 + below(c, 0xfffe));
}

static void compose(struct composed *x, struct chance *c)
{
	bool usual = below(c, 2) != 0;
	unsigned nb_csums = below(c, usual ? 3 : 5), nb_mods = 1 + below(c, usual ? 4 : 6);

	*x = (struct composed){.usual = usual,
		.frame = {.hdr_bytes = HDR_BYTES,
			.size = BYTES,
			.data = PKT_DATA_RANDOM,
			.data_seed = c->seed}};
	for (unsigned i = 0; i < HDR_BYTES; i++)
		x->frame.hdr[i] = (uint8_t)below(c, 256);
	for (unsigned i = 0; i < nb_csums; i++)
		add_csum(x, c);
	if (!usual && below(c, 3) == 0)
		add_sizes(x, c);
	for (unsigned i = 0; i < nb_mods; i++)
		add_mod(x, c);
	vary_note_bases(&x->frame);
	assert_int_equal(pkt_frame_refresh(&x->frame), 0);
}

/* ---- two senders side by side ---- */

static void assert_same_steps(
	const struct pkt_frame *f, const struct pkt_steps *a, const struct pkt_steps *b)
{
	for (unsigned i = 0; i < f->nb_mods; i++) {
		assert_true(a->mod[i].step == b->mod[i].step);
		assert_int_equal(a->mod[i].held, b->mod[i].held);
	}
}

/* Frames nb of a lane, the plain way and the fast one. */
static void assert_same_frames(
	const struct pkt_frame *f, uint64_t first, uint32_t stride, unsigned nb, unsigned turn)
{
	uint8_t plain[MAX_SIZE] = {0}, fast[MAX_SIZE] = {0};
	struct pkt_steps plain_steps, fast_steps;

	pkt_payload_fill(f, plain);
	pkt_payload_fill(f, fast);
	pkt_steps_init(&plain_steps, f, first);
	pkt_steps_init(&fast_steps, f, first);
	for (unsigned i = 0; i < nb; i++) {
		unsigned index = pkt_size_index(f, i);
		const uint8_t *image = pkt_size_image(f, index);

		memcpy(plain, f->hdr, f->hdr_bytes);
		pkt_size_apply(f, index, plain);
		pkt_mods_apply(f, &plain_steps, plain);
		pkt_steps_advance(&plain_steps, f, stride);
		memcpy(fast, image != NULL ? image : f->hdr, f->hdr_bytes);
		pkt_mods_next(f, &fast_steps, stride, fast);
		for (unsigned b = 0; b < f->size; b++)
			if (plain[b] != fast[b])
				fail_msg("frames %u, frame %u, byte %u: %02x, not %02x", turn, i, b,
					fast[b], plain[b]);
		assert_same_steps(f, &plain_steps, &fast_steps);
	}
}

static void any_fields_are_written_as_the_plain_way_does(void **state)
{
	static const uint32_t strides[] = {1, 1, 2, 3, 16};
	unsigned nb_fast = 0, nb_short = 0, nb = 20000;

	(void)state;
	for (unsigned i = 0; i < nb; i++) {
		struct chance c = {.seed = i};
		struct composed x;

		compose(&x, &c);
		nb_fast += x.frame.fast != NULL;
		nb_short += x.frame.fast != NULL && x.frame.fast->nb_steps != 0;
		assert_same_frames(&x.frame, below(&c, 50), strides[below(&c, NB(strides))], 40, i);
		pkt_frame_fini(&x.frame);
	}
	/* all three ways were taken, each often */
	assert_in_range(nb_fast, nb / 4, nb - nb / 20);
	assert_in_range(nb_short, nb / 20, nb_fast - nb / 20);
}

/* ---- whole templates ---- */

/* clang-format off */
static const char *const templates[][MAX_WORDS] = {
	{"ip-dst=10.0.0.1", "udp-dst-port=1-60000"},
	{"ip-dst=10.0.0.1", "udp-dst-port=1-60000", "udp-checksum=good"},
	{"ip-dst=10.0.1.2-10.0.1.6", "udp-src-port=1-7", "udp-checksum=good"},
	{"ip-dst=10.0.1.2-10.0.1.6", "ip-src=10.1.0.0-10.1.255.255", "udp-src-port=1-7",
		"udp-dst-port=dec:1-900", "udp-checksum=good"},
	{"ip-dst=10.0.0.0/8", "ip-src=rand:10.0.0.1-10.9.0.1", "udp-dst-port=rand:1-65535",
		"udp-checksum=good", "mac-src=02:00:00:00:00:00/ff:ff:00:00:00:00"},
	{"ip-dst=list:1.2.3.4=3+5.6.7.8", "ip-ttl=dec:1-255", "ip-dscp=0-255", "ip-id=inc:0+step=257+count=200",
		"udp-checksum=good", "data=random"},
	{"header-stack=mac,vlan,vlan,ip,tcp", "vlan-id=1-4000,rand:1-9", "vlan-priority=0-7",
		"ip-dst=1.2.3.4", "tcp-src-port=shuffle:1000-1999", "tcp-flags=list:syn+ack+fin",
			"nest=vlan-priority,tcp-src-port"},
	{"header-stack=mac,ipv6,udp", "ipv6-src=2001:db8::1-2001:db8::9", "ipv6-dst=2001:db8:ffff::/33",
		"ipv6-flow-label=rand:0-0xfffff", "ipv6-traffic-class=0-255", "udp-checksum=good"},
	{"header-stack=mac,ip,udp,vxlan,mac,ip,udp", "ip-dst=1.1.1.1-1.1.1.9,2.2.2.2-2.2.2.12",
		"ip-src=1.1.1.1,10.0.0.0/16", "udp-dst-port=4789,rand:5000-6000", "udp-checksum=good,good",
		"vxlan-vni=rand:0-0xffffff"},
	{"header-stack=mac,ip,icmp", "ip-dst=1.2.3.4", "random-ranges=41:32:0-0xffffffff"},
	{"header-stack=mac,ip,sctp", "ip-dst=1.2.3.4-1.2.3.9", "sctp-src-port=1-9"},
	{"header-stack=mac,ip,udp", "ip-dst=1.2.3.4", "udp-checksum=bad", "udp-src-port=0-65535"},
	{"ip-dst=1.2.3.4", "udp-checksum=good", "data=random", "name=t",
		"random-ranges=26:32:1-0xffffffff,44:16:0-65535,50:8:3-9,33:16:5-6000",
		"random-byte-offsets-and-masks=60:0f,61:ff,15:fc", "udp-dst-port=5-9"},
};
/* clang-format on */

static void build_sized(
	const char *const *words, const struct pkt_sizes *sizes, struct pkt_frame *f)
{
	struct err err = {0};
	struct opt_set set;

	give(&set, words);
	if (pkt_build_sizes(&set, &assumed, sizes, f, &err) != 0)
		fail_msg("%s", err.text);
	opt_set_fini(&set);
}

static void templates_are_sent_as_the_plain_way_does(void **state)
{
	uint16_t bytes[] = {138, 139, 200, 411}, order[] = {2, 0, 0, 3, 1};
	const struct pkt_sizes sizes = {.nb = 4, .bytes = bytes, .period = 5, .order = order};

	(void)state;
	for (unsigned t = 0; t < NB(templates); t++) {
		for (uint32_t stride = 1; stride < 5; stride++) {
			struct pkt_frame f;

			build(templates[t], 150, &f);
			assert_non_null(f.fast);
			assert_same_frames(&f, stride - 1, stride, 1000, t);
			pkt_frame_fini(&f);
			build_sized(templates[t], &sizes, &f);
			assert_non_null(f.fast);
			assert_same_frames(&f, stride - 1, stride, 1000, t);
			pkt_frame_fini(&f);
		}
	}
}

/* The fields that most people vary must not leave the short way. */
static void usual_fields_have_the_short_form(void **state)
{
	(void)state;
	for (unsigned t = 0; t < 4; t++) {
		struct pkt_frame f;

		build(templates[t], 150, &f);
		assert_int_equal(f.fast->nb_steps, f.nb_mods);
		pkt_frame_fini(&f);
	}
}

static void a_reply_has_its_fields_in_the_fast_form(void **state)
{
	static const uint64_t ips[] = {0x01020304, 0x05060708, 0x090a0b0c}, ports[] = {7, 8, 9};
	const char *const words[] = {"ip-dst=1.2.3.4", "udp-checksum=good", NULL};
	struct pkt_frame f;

	(void)state;
	build(words, 60, &f);
	assert_true(pkt_reply(&f, ips, ports, 3, 4711));
	assert_non_null(f.fast);
	assert_null(pkt_size_image(&f, 0));
	assert_same_frames(&f, 0, 1, 20, 0);
	pkt_frame_fini(&f);
}

/* ---- images ---- */

/* An image is what pkt_render makes of the frame, as far as its lines reach. */
static void assert_image(const struct pkt_frame *f, uint64_t n)
{
	unsigned index = pkt_size_index(f, n), size = pkt_size_bytes(f, index);
	const uint8_t *image = pkt_size_image(f, index);
	uint8_t whole[MAX_SIZE] = {0}, expected[MAX_SIZE] = {0};

	assert_non_null(image);
	assert_int_equal((uintptr_t)image % 64, 0);
	assert_int_equal(f->image_bytes % 64, 0);
	assert_in_range(f->image_bytes, f->hdr_bytes, f->hdr_bytes + 63u);
	pkt_render(f, n, NULL, whole);
	memcpy(expected, whole, size);
	assert_memory_equal(image, expected, f->image_bytes);
}

static void images_are_the_beginnings_of_their_frames(void **state)
{
	/* clang-format off */
	static const char *const stacks[][MAX_WORDS] = {
		{"ip-dst=1.2.3.4", "data=random"},
		{"ip-dst=1.2.3.4", "data=incrementing", "udp-checksum=good"},
		{"ip-dst=1.2.3.4", "data=specific-byte", "data-byte=5a", "special-footer=no"},
		{"header-stack=mac,vlan,ipv6,tcp", "ipv6-src=2001:db8::1", "ipv6-dst=2001:db8::2", "data=random"},
	};
	/* clang-format on */
	uint16_t bytes[] = {96, 97, 128, 200}, order[] = {2, 0, 0, 3, 1};
	const struct pkt_sizes sizes = {.nb = 4, .bytes = bytes, .period = 5, .order = order};

	(void)state;
	for (unsigned t = 0; t < NB(stacks); t++) {
		struct pkt_frame f;

		build(stacks[t], 96, &f);
		assert_null(pkt_size_image(&f, 0));
		pkt_frame_fini(&f);
		build_sized(stacks[t], &sizes, &f);
		for (uint64_t n = 0; n < 5; n++) {
			assert_int_equal(pkt_size_index(&f, n), order[n]);
			assert_image(&f, n);
		}
		pkt_frame_fini(&f);
	}
}

static void a_frame_of_very_many_sizes_has_no_images(void **state)
{
	static uint16_t bytes[1400], order[1400];
	const struct pkt_sizes sizes = {.nb = 1400, .bytes = bytes, .period = 1400, .order = order};
	const char *const words[] = {"ip-dst=1.2.3.4", NULL};
	struct pkt_frame f;

	(void)state;
	for (unsigned i = 0; i < NB(bytes); i++) {
		bytes[i] = (uint16_t)(60 + i);
		order[i] = (uint16_t)i;
	}
	build_sized(words, &sizes, &f);
	assert_null(pkt_size_image(&f, 0));
	pkt_frame_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_fields_are_written_as_the_plain_way_does),
		cmocka_unit_test(templates_are_sent_as_the_plain_way_does),
		cmocka_unit_test(usual_fields_have_the_short_form),
		cmocka_unit_test(a_reply_has_its_fields_in_the_fast_form),
		cmocka_unit_test(images_are_the_beginnings_of_their_frames),
		cmocka_unit_test(a_frame_of_very_many_sizes_has_no_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
