/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_run.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define MAX_LINES   128
#define MAX_COLUMNS 512

/* A terminal as far as the table uses one. Lines that scrolled out of the window are kept. */
struct screen {
	char line[MAX_LINES][MAX_COLUMNS + 1];
	unsigned row, col, bottom;
	unsigned height, width;
};

static void screen_init(struct screen *screen, unsigned height, unsigned width)
{
	memset(screen, 0, sizeof(*screen));
	screen->height = height;
	screen->width = width;
}

static void screen_new_line(struct screen *screen)
{
	screen->row++;
	screen->col = 0;
	assert_true(screen->row < MAX_LINES);
	if (screen->row > screen->bottom)
		screen->bottom = screen->row;
}

static void screen_escape(struct screen *screen, char command, unsigned n)
{
	unsigned top = screen->bottom >= screen->height ? screen->bottom - screen->height + 1 : 0;

	if (command == 'A') {
		screen->row = screen->row > top + n ? screen->row - n : top;
		return;
	}
	assert_int_equal(command, 'J');
	memset(&screen->line[screen->row][screen->col], 0, MAX_COLUMNS - screen->col);
	for (unsigned row = screen->row + 1; row <= screen->bottom; row++)
		memset(screen->line[row], 0, MAX_COLUMNS);
}

static void screen_write(struct screen *screen, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\n') {
			screen_new_line(screen);
		} else if (text[i] == '\r') {
			screen->col = 0;
		} else if (text[i] == '\033') {
			char *end;

			assert_int_equal(text[i + 1], '[');
			unsigned n = (unsigned)strtoul(&text[i + 2], &end, 10);
			screen_escape(screen, *end, n);
			i = (size_t)(end - text);
		} else {
			if (screen->col == screen->width)
				screen_new_line(screen);
			screen->line[screen->row][screen->col++] = text[i];
		}
	}
}

/* All that can be seen by scrolling back. Caller frees. */
static char *screen_text(const struct screen *screen)
{
	char *text = calloc(MAX_LINES, MAX_COLUMNS + 2);
	unsigned last = screen->bottom;

	assert_non_null(text);
	while (last > 0 && screen->line[last][0] == '\0')
		last--;
	for (unsigned row = 0; row <= last; row++) {
		strcat(text, screen->line[row]);
		strcat(text, "\n");
	}
	return text;
}

static void assert_screen(const struct memory *memory, const char *expected)
{
	static struct screen screen;
	char *text;

	screen_init(&screen, MAX_LINES, MAX_COLUMNS);
	screen_write(&screen, memory->text, memory->len);
	text = screen_text(&screen);
	assert_string_equal(text, expected);
	free(text);
}

/*
 * The plain table of the run without all but the last nb interval rows of the first nb_done
 * intervals; with_end: with the totals and the summary. Caller frees.
 */
static char *plain_text(const struct run *run, unsigned nb_done, unsigned nb, bool with_end)
{
	struct memory memory;
	unsigned nb_rows = 0, nb_all = nb_done * RUN_ROWS;
	char *text, *save = NULL;

	memory_init(&memory);
	memory_report(&memory, run);
	text = calloc(1, memory.len + 1);
	assert_non_null(text);
	for (char *line = strtok_r(memory.text, "\n", &save); line;
		line = strtok_r(NULL, "\n", &save)) {
		bool is_row = strncmp(line, "    ", 4) == 0;

		if (!with_end && strncmp(line, "  TOT ", 6) == 0)
			break;
		nb_rows += is_row;
		if (is_row && (nb_rows > nb_all || nb_rows + nb <= nb_all))
			continue;
		strcat(text, line);
		strcat(text, "\n");
	}
	memory_fini(&memory);
	return text;
}

static const struct {
	unsigned entries_to_show, nb_before_tot;
	uint64_t freeze_frame_ns;
} live_cases[] = {
	{20, 9, 0},
	{20, 9, 3600 * S},
	{12, 9, 0},
	{5, 2, 0},
	{5, 2, 3600 * S},
	{4, 1, 0},
	{3, 0, 0},
	{1, 0, 0},
	{0, 0, 0},
};

static void final_screen_has_all_totals_and_the_summary(void **state)
{
	for (size_t i = 0; i < NB(live_cases); i++) {
		struct memory memory;
		struct run run;
		char *expected;

		run_init(&run);
		memory_init(&memory);
		memory.options.is_terminal = true;
		memory.options.entries_to_show = live_cases[i].entries_to_show;
		memory.options.freeze_frame_ns = live_cases[i].freeze_frame_ns;
		memory_report(&memory, &run);
		expected = plain_text(&run, RUN_INTERVALS, live_cases[i].nb_before_tot, true);
		assert_screen(&memory, expected);
		free(expected);
		memory_fini(&memory);
	}
}

static void running_screen_has_the_last_rows_in_place(void **state)
{
	static const unsigned entries[] = {20, 9, 6, 5, 3, 1};

	for (size_t i = 0; i < NB(entries); i++) {
		struct memory memory;
		struct err err = {0};
		struct report *report;
		struct run run;

		run_init(&run);
		memory_init(&memory);
		memory.options.is_terminal = true;
		memory.options.entries_to_show = entries[i];
		report = report_open(&memory.options, &run.info, &err);
		assert_non_null(report);
		assert_int_equal(report_begin(report, &err), 0);
		for (unsigned j = 0; j < RUN_INTERVALS; j++) {
			char *expected;

			assert_int_equal(report_rows(report, run.rows[j], RUN_ROWS, &err), 0);
			expected = plain_text(&run, j + 1, entries[i], false);
			assert_screen(&memory, expected);
			free(expected);
		}
		report_close(report);
		memory_fini(&memory);
	}
}

static void frozen_frame_is_not_drawn_again(void **state)
{
	struct memory memory;
	struct err err = {0};
	struct report *report;
	struct run run;
	size_t len;

	run_init(&run);
	memory_init(&memory);
	memory.options.is_terminal = true;
	memory.options.freeze_frame_ns = 3600 * S;
	report = report_open(&memory.options, &run.info, &err);
	assert_int_equal(report_rows(report, run.rows[0], RUN_ROWS, &err), 0);
	len = memory.len;
	assert_true(len > 0);
	assert_int_equal(report_rows(report, run.rows[1], RUN_ROWS, &err), 0);
	assert_int_equal(memory.len, len);
	report_close(report);
	memory_fini(&memory);
}

static void columns_that_grow_are_drawn_again_in_line(void **state)
{
	static const char *const proplist[] = {"tx-packet"};
	struct memory memory;
	struct err err = {0};
	struct report *report;
	struct run run;

	run_init(&run);
	memory_init(&memory);
	memory.options.is_terminal = true;
	memory.options.proplist = proplist;
	memory.options.nb_proplist = 1;
	report = report_open(&memory.options, &run.info, &err);
	assert_int_equal(report_rows(report, run.rows[0], 1, &err), 0);
	run.rows[1][0].n.tx_packet = 1234567890123;
	assert_int_equal(report_rows(report, run.rows[1], 1, &err), 0);
	assert_screen(&memory, "  SEQ     ID          TX-PACKET\n"
			       "    1      0              4 166\n"
			       "    2      0  1 234 567 890 123\n");
	report_close(report);
	memory_fini(&memory);
}

/* Both ends of a pseudo-terminal with a window; what is written is passed on to a screen. */
struct window {
	int master;
	FILE *out;
	struct screen screen;
};

static void window_open(struct window *window, unsigned short height, unsigned short width)
{
	struct winsize size = {.ws_row = height, .ws_col = width};
	struct termios raw;
	int slave;

	screen_init(&window->screen, height, width);
	window->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(window->master >= 0);
	assert_int_equal(grantpt(window->master) | unlockpt(window->master), 0);
	slave = open(ptsname(window->master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	window->out = fdopen(slave, "w");
	assert_non_null(window->out);
}

/* Passes on all that was written until now; a bell marks its end. */
static void window_update(struct window *window)
{
	static char text[16384];
	size_t len = 0;

	fputc('\a', window->out);
	fflush(window->out);
	while (len == 0 || text[len - 1] != '\a') {
		ssize_t n = read(window->master, text + len, sizeof(text) - len);

		assert_true(n > 0);
		len += (size_t)n;
	}
	screen_write(&window->screen, text, len - 1);
}

static void small_window_cuts_lines_and_rows_but_not_the_end(void **state)
{
	static struct window window;
	struct report_options options = {.entries_to_show = 8, .is_terminal = true};
	struct err err = {0};
	struct report *report;
	struct run run;
	char *text;

	run_init(&run);
	run.summary.nb_notes = 0;
	/* SEQ to TX-RATE are 36 columns */
	window_open(&window, 7, 38);
	options.out = window.out;
	report = report_open(&options, &run.info, &err);
	assert_non_null(report);
	for (unsigned i = 0; i < RUN_INTERVALS; i++) {
		assert_int_equal(report_rows(report, run.rows[i], RUN_ROWS, &err), 0);
		window_update(&window);
		text = screen_text(&window.screen);
		assert_int_equal(count_text(text, "SEQ"), 1);
		assert_int_equal(count_text(text, "\n"), 1 + (i == 0 ? 3 : 5));
		free(text);
	}
	assert_int_equal(report_end(report, run.totals, RUN_ROWS, &run.summary, &err), 0);
	report_close(report);
	window_update(&window);
	text = screen_text(&window.screen);
	assert_int_equal(count_text(text, "SEQ"), 1);
	assert_int_equal(count_text(text, "  TOT      0       12 500"), 1);
	assert_int_equal(count_text(text, "  TOT      4    2 444 589"), 1);
	assert_int_equal(count_text(text, "  TOT    TOT    2 457 089"), 1);
	assert_int_equal(count_text(text, "generator: NOT CLEAN"), 1);
	free(text);
	fclose(window.out);
	close(window.master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(final_screen_has_all_totals_and_the_summary),
		cmocka_unit_test(running_screen_has_the_last_rows_in_place),
		cmocka_unit_test(frozen_frame_is_not_drawn_again),
		cmocka_unit_test(columns_that_grow_are_drawn_again_in_line),
		cmocka_unit_test(small_window_cuts_lines_and_rows_but_not_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
