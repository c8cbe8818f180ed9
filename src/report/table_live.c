/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

/* ECMA-48: CUU and ED, to the end of the screen. */
#define CURSOR_UP   "\033[%uA"
#define ERASE_BELOW "\033[J"

/* Heading, and the line of the cursor. */
#define NB_OTHER_LINES 2u

int table_live_init(struct table_live *live, unsigned nb_max)
{
	live->nb_max = nb_max > 0 ? nb_max : 1;
	live->rows = calloc(live->nb_max, sizeof(*live->rows));
	return live->rows ? 0 : -ENOMEM;
}

static void push_row(struct table_live *live, const struct result_row *row)
{
	live->rows[live->next] = *row;
	live->next = (live->next + 1) % live->nb_max;
	if (live->nb < live->nb_max)
		live->nb++;
}

/* The row `back` rows before the next one, 1: the last. */
static const struct result_row *row_back(const struct table_live *live, unsigned back)
{
	return &live->rows[(live->next + live->nb_max - back) % live->nb_max];
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UNITS_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void erase(struct place *place)
{
	struct table *table = place->state;

	if (table->live.nb_drawn > 0)
		fprintf(place->file, CURSOR_UP "\r" ERASE_BELOW, table->live.nb_drawn);
	table->live.nb_drawn = 0;
}

static void print_last(struct place *place, unsigned nb, unsigned max_columns)
{
	struct table *table = place->state;

	table_print_heading(place, max_columns);
	for (unsigned back = nb; back > 0; back--)
		table_print_row(place, row_back(&table->live, back), max_columns);
}

/*
 * What is drawn must fit the window: the cursor cannot go above its top, and a line that wraps
 * takes two. Asked anew for each drawing, since the user may change the window.
 */
static void draw(struct place *place)
{
	struct table_live *live = &((struct table *)place->state)->live;
	struct winsize window = {0};
	unsigned nb = live->nb;
	int fd = fileno(place->file);

	if (fd < 0 || ioctl(fd, TIOCGWINSZ, &window) < 0)
		window = (struct winsize){0};
	if (window.ws_row > NB_OTHER_LINES && nb > window.ws_row - NB_OTHER_LINES)
		nb = window.ws_row - NB_OTHER_LINES;
	for (unsigned back = 1; back <= nb; back++)
		table_fit_row(place, row_back(live, back));
	erase(place);
	print_last(place, nb, window.ws_col);
	live->nb_drawn = nb + 1;
}

void table_live_rows(struct place *place, const struct result_row *rows, unsigned nb)
{
	struct table_live *live = &((struct table *)place->state)->live;
	uint64_t now = now_ns();

	for (unsigned i = 0; i < nb; i++)
		push_row(live, &rows[i]);
	if (live->nb_drawn > 0 && now - live->drawn_ns < place->context->freeze_frame_ns)
		return;
	draw(place);
	live->drawn_ns = now;
}

void table_live_end(struct place *place, const struct result_row *totals, unsigned nb)
{
	struct table_live *live = &((struct table *)place->state)->live;
	unsigned nb_before = nb < live->nb_max ? live->nb_max - nb : 0;

	if (nb_before > live->nb)
		nb_before = live->nb;
	for (unsigned i = 0; i < nb; i++)
		table_fit_row(place, &totals[i]);
	for (unsigned back = 1; back <= nb_before; back++)
		table_fit_row(place, row_back(live, back));
	/* nothing is drawn after this: lines may be whole, whatever the window does with them */
	erase(place);
	print_last(place, nb_before, 0);
	for (unsigned i = 0; i < nb; i++)
		table_print_row(place, &totals[i], 0);
}
