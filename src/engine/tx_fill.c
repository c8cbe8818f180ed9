/* SPDX-License-Identifier: BSD-3-Clause */
#include "tx_put.h"

#include <rte_mbuf_dyn.h>

#include "tgen/pkt_mods.h"

/*
 * Compiled once for each kind of CPU. Nothing is read back from a buffer, nothing depends on
 * the frame before. A frame whose bytes fit into one line costs that line, its lane's two and its
 * buffer's head.
 */

static void fill_one(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	struct tx_lane *lane = t->lanes[0];
	uint32_t first = lane_take(lane, t->nb, st), sum = st->sum + lane->id;
	line image = line_get(lane->image) | line_get(st->image);
	unsigned sig_off = st->sig_off, nb = t->nb;
	struct tx_meta meta = st->meta;
	struct numbers numbers;

	numbers_make(&numbers, first, sum, nb);
	for (unsigned k = 0; k < nb; k++) {
		uint8_t *data = data_of(m[k]);

		line_put(data, image);
		memcpy(data + sig_off + 6, &numbers.seq[k], 4);
		memcpy(data + sig_off + 16, &numbers.complement[k], 2);
		meta_put(m[k], &meta);
	}
}

/* Frames of one line: the image holds the lane's number already. */
static inline __attribute__((always_inline)) void line_frames(const struct tx_turn *t,
	struct rte_mbuf *const *m, const struct tx_stamp *st, bool varies, bool many)
{
	struct tx_lane *const *lanes = t->lanes;
	uint32_t next = t->first, nb_lanes = t->nb_lanes, sum = st->sum;
	unsigned sig_off = st->sig_off, nb = t->nb, slot = st->slot;
	struct tx_meta meta = st->meta;
	line common = line_get(st->image);
	uint64_t now_ns = st->ns;

	for (unsigned k = 0; k < nb; k++) {
		struct tx_lane *lane = lanes[next];
		_Atomic uint64_t *at = many ? tx_lane_seq(lane) : &lane->seq;
		uint8_t *data = data_of(m[k]);
		uint64_t all = atomic_load_explicit(at, memory_order_relaxed);
		uint32_t seq = (uint32_t)all, swapped = __builtin_bswap32(seq);
		uint16_t complement = complement_of(sum + lane->id + (seq >> 16) + (seq & 0xffff));

		next = next + 1 == nb_lanes ? 0 : next + 1;
		atomic_store_explicit(at, all + 1, memory_order_relaxed);
		line_put(data, line_get(lane->image) | common);
		if (varies)
			pkt_fast_next(lane->fast, lane->steps->mod, lane->stride, data,
				lane->fast->nb_steps, lane->fast->nb_csums);
		memcpy(data + sig_off + 6, &swapped, sizeof(swapped));
		memcpy(data + sig_off + 16, &complement, sizeof(complement));
		lane->slot[slot]++;
		lane_started(lane, now_ns);
		meta_put(m[k], &meta);
	}
}

/* Few lanes: each one's frames of the burst after each other, so that a lane is looked at once. */
static void fill_few(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	uint32_t nb = t->nb, nb_lanes = t->nb_lanes, next = t->first;
	uint32_t whole = nb / nb_lanes, rest = nb % nb_lanes;
	unsigned sig_off = st->sig_off;
	struct tx_meta meta = st->meta;
	line common = line_get(st->image);

	for (uint32_t j = 0; j < nb_lanes && j < nb; j++) {
		struct tx_lane *lane = t->lanes[next];
		uint32_t seq = lane_take(lane, whole + (j < rest), st), sum = st->sum + lane->id;
		line image = line_get(lane->image) | common;

		next = next + 1 == nb_lanes ? 0 : next + 1;
		for (uint32_t k = j; k < nb; k += nb_lanes, seq++) {
			uint16_t complement = complement_of(sum + (seq >> 16) + (seq & 0xffff));
			uint32_t swapped = __builtin_bswap32(seq);
			uint8_t *data = data_of(m[k]);

			line_put(data, image);
			memcpy(data + sig_off + 6, &swapped, sizeof(swapped));
			memcpy(data + sig_off + 16, &complement, sizeof(complement));
			meta_put(m[k], &meta);
		}
	}
}

/* Frames of lanes side by side from a place on. */
static inline __attribute__((always_inline)) void many_frames(struct tx_many *many, uint32_t first,
	unsigned nb, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	_Atomic uint64_t *seq = many->seq + first;
	const uint8_t *image = many->image + (size_t)first * TX_LINE;
	const uint16_t *id = many->id + first;
	line common = line_get(st->image);
	struct tx_meta meta = st->meta;
	unsigned sig_off = st->sig_off;
	struct numbers numbers;

	for (unsigned k = 0; k < nb; k++) {
		uint64_t all = atomic_load_explicit(&seq[k], memory_order_relaxed);

		atomic_store_explicit(&seq[k], all + 1, memory_order_relaxed);
		numbers.seq[k] = (uint32_t)all;
		many->last_ns[first + k] = st->ns;
	}
	for (unsigned k = 0; k < nb; k++) {
		uint32_t s = numbers.seq[k];

		numbers.complement[k] = complement_of(st->sum + id[k] + (s >> 16) + (s & 0xffff));
		numbers.seq[k] = __builtin_bswap32(s);
	}
	for (unsigned k = 0; k < nb; k++) {
		uint8_t *data = data_of(m[k]);

		line_put(data, line_get(image + k * TX_LINE) | common);
		memcpy(data + sig_off + 6, &numbers.seq[k], 4);
		memcpy(data + sig_off + 16, &numbers.complement[k], 2);
		meta_put(m[k], &meta);
	}
}

static void fill_line(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	line_frames(t, m, st, false, false);
}

static void fill_many(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	struct tx_many *many = t->many;
	struct tx_run *run = &many->run[st->slot];
	uint32_t before_end = many->nb_lanes - t->first;

	/* first frames are noted one by one, and so are those whose interval is not open */
	if (__builtin_expect(many->nb_begun < many->nb_lanes || st->slot == TX_SPILL, 0)) {
		many->nb_begun += t->nb;
		line_frames(t, m, st, false, true);
		return;
	}
	run->first = run->nb == 0 ? t->first : run->first;
	run->nb += t->nb;
	if (t->nb <= before_end) {
		many_frames(many, t->first, t->nb, m, st);
	} else {
		many_frames(many, t->first, before_end, m, st);
		many_frames(many, 0, t->nb - before_end, m + before_end, st);
	}
}

static void fill_line_varies(
	const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	line_frames(t, m, st, true, false);
}

static inline void lines_copy(uint8_t *to, const uint8_t *from, unsigned bytes)
{
	for (unsigned off = 0; off < bytes; off += TX_LINE)
		line_put(to + off, line_get(from + off));
}

/* The header behind the first line. */
static inline void rest_put(const struct pkt_frame *f, uint8_t *data)
{
	memcpy(data + TX_LINE, f->hdr + TX_LINE, f->hdr_bytes - TX_LINE);
}

/*
 * A frame of one of several sizes: the buffer may have carried a shorter one, whose signature lies
 * where this one has payload. The bytes under it are put back.
 */
static inline void sign_mend(
	struct rte_mbuf *m, const struct tx_lane *lane, const struct tx_stamp *st, uint16_t sig_at)
{
	uint16_t *last = RTE_MBUF_DYNFIELD(m, st->sig_field, uint16_t *);
	unsigned was = *last;

	*last = sig_at;
	if (was != 0 && was != sig_at)
		memcpy(data_of(m) + was, lane->whole + was, SIG_BYTES);
}

/* Which size the frame has, and what is to be counted of it. */
static inline unsigned size_next(struct tx_lane *lane, const struct tx_stamp *st)
{
	unsigned index = lane->order[lane->turn];
	uint32_t turn = lane->turn + lane->turn_step;

	lane->turn = turn >= lane->period ? turn - lane->period : turn;
	lane->slot_byte[st->slot] += lane->bytes[index];
	return index;
}

static inline uint16_t sized_put(
	struct tx_lane *lane, struct rte_mbuf *m, const struct tx_stamp *st)
{
	const struct pkt_frame *f = lane->frame;
	uint8_t *data = data_of(m);
	unsigned index = size_next(lane, st);
	uint16_t size = lane->bytes[index];

	sign_mend(m, lane, st, f->sig_off != 0 ? (uint16_t)(size - SIG_BYTES) : 0);
	if (lane->images != NULL) {
		lines_copy(data, pkt_size_image(f, index), f->image_bytes);
	} else {
		memcpy(data, f->hdr, f->hdr_bytes);
		pkt_size_apply(f, index, data);
	}
	return size;
}

/* Each lane's frames of the burst after each other: it is looked at once. */
static void fill_sized(
	const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	uint32_t nb = t->nb, nb_lanes = t->nb_lanes, next = t->first;
	uint32_t whole = nb / nb_lanes, rest = nb % nb_lanes;
	struct tx_meta meta = st->meta;

	for (uint32_t j = 0; j < nb_lanes && j < nb; j++) {
		struct tx_lane *lane = t->lanes[next];
		uint32_t seq = lane_take(lane, whole + (j < rest), st), turn = lane->turn;
		uint64_t bytes = 0;

		next = next + 1 == nb_lanes ? 0 : next + 1;
		for (uint32_t k = j; k < nb; k += nb_lanes, seq++) {
			unsigned index = lane->order[turn], size = lane->bytes[index];
			uint8_t *data = data_of(m[k]);

			turn += lane->turn_step;
			turn = turn >= lane->period ? turn - lane->period : turn;
			bytes += size;
			sign_mend(m[k], lane, st, (uint16_t)(size - SIG_BYTES));
			line_put(data, line_get(lane->images + index * TX_LINE));
			tx_sign(data + size - SIG_BYTES, lane->id, seq, st);
			meta_put_size(m[k], &meta, size);
		}
		lane->turn = turn;
		lane->slot_byte[st->slot] += bytes;
	}
}

static inline uint16_t header_put(
	struct tx_lane *lane, struct rte_mbuf *m, const struct tx_stamp *st, unsigned flags)
{
	uint16_t size = lane->size;

	if (flags & TX_SIZED) {
		size = sized_put(lane, m, st);
	} else {
		line_put(data_of(m), line_get(lane->image));
		if (flags & TX_LONG)
			rest_put(lane->frame, data_of(m));
	}
	if (flags & TX_VARIES) {
		pkt_mods_next(lane->frame, lane->steps, lane->stride, data_of(m));
	}
	return size;
}

static void fill_any(const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	struct tx_lane *const *lanes = t->lanes;
	uint32_t next = t->first, nb_lanes = t->nb_lanes;
	struct tx_meta meta = st->meta;

	for (unsigned k = 0; k < t->nb; k++) {
		struct tx_lane *lane = lanes[next];
		uint32_t seq = lane_take(lane, 1, st);
		uint16_t size = header_put(lane, m[k], st, lane->flags);

		next = next + 1 == nb_lanes ? 0 : next + 1;
		if (__builtin_expect((lane->flags & TX_UNSIGNED) == 0, 1))
			tx_sign(data_of(m[k]) + size - SIG_BYTES, lane->id, seq, st);
		if (__builtin_expect(lane->flags & TX_CRC, 0))
			pkt_seal(lane->frame, size, data_of(m[k]));
		meta_put_size(m[k], &meta, size);
	}
}

/* Frames of one line and a payload behind it, which lies there already. */
static void fill_plain(
	const struct tx_turn *t, struct rte_mbuf *const *m, const struct tx_stamp *st)
{
	struct tx_lane *const *lanes = t->lanes;
	uint32_t next = t->first, nb_lanes = t->nb_lanes;
	struct tx_meta meta = st->meta;

	for (unsigned k = 0; k < t->nb; k++) {
		struct tx_lane *lane = lanes[next];
		uint32_t seq = lane_take(lane, 1, st), size = lane->size;
		uint8_t *data = data_of(m[k]);

		next = next + 1 == nb_lanes ? 0 : next + 1;
		line_put(data, line_get(lane->image));
		tx_sign(data + size - SIG_BYTES, lane->id, seq, st);
		meta_put_size(m[k], &meta, size);
	}
}

#define TX_TEXT(name)	#name
#define TX_TEXT_OF(cpu) TX_TEXT(cpu)

const struct tx_fill NAME(tx_fill_, TX_CPU) = {
	.name = TX_TEXT_OF(TX_CPU),
	.one = fill_one,
	.few = fill_few,
	.line = fill_line,
	.many = fill_many,
	.one_varies = NAME(tx_vary_, TX_CPU),
	.line_varies = fill_line_varies,
	.sized = fill_sized,
	.plain = fill_plain,
	.any = fill_any,
	.scan = NAME(tx_scan_, TX_CPU),
};
