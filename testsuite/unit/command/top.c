/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An interval of taffrail top as text and as JSON (command/top/print.c).
 */
#include "testsuite/unit/unit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>

#include "command/top/private.h"
#include "testsuite/unit/command/said.h"

#define S	1000000000ll
/* 2026-11-26 00:00:00 UTC */
#define MIDNIGHT	(1795651200 * S)

static struct top top = { .session = "rec" };

/* Begins a sample of two seconds, in which 20 events came. */
static struct top_sample sample_of_two(void)
{
	return (struct top_sample){
		.from = MIDNIGHT - 2 * S, .to = MIDNIGHT, .written = 20,
		.seen = 20, .chosen = 20, .processes = 1,
	};
}

static void check_head(struct top_sample sample, const char *want,
		       const char *name)
{
	said_begin(STDOUT_FILENO);
	top_print(&top, &sample);
	unit_equal_string(said_end(), want, "%s", name);
}

#define FIRST	"01:00:00  session 'rec', "

static void check_heads(void)
{
	struct top_sample s = sample_of_two();

	check_head(s, FIRST "1 process\n10 events/s, 0 lost/s, 0 events lost "
		   "in all\n\n", "an interval");
	s.lost = 3;
	s.lost_before = 1;
	s.processes = 0;
	check_head(s, FIRST "0 processes\n10 events/s, 2 lost/s, 1 event lost "
		   "in all\n\n", "losses");
	s = sample_of_two();
	s.processes = 5;
	s.ended = 1;
	check_head(s, FIRST "5 processes (1 ended)\n10 events/s, 0 lost/s, 0 "
		   "events lost in all\n\n", "one has ended");
	s.stopped = 3;
	check_head(s, FIRST "5 processes (1 ended, 3 stopped)\n10 events/s, 0 "
		   "lost/s, 0 events lost in all\n\n", "three are stopped");
	s.stopped = 4;
	check_head(s, FIRST "5 processes (1 ended), stopped\n10 events/s, 0 "
		   "lost/s, 0 events lost in all\n\n", "all are stopped");
	s = sample_of_two();
	s.unplaced_before = 1;
	s.threadless = 4;
	s.left_out = 7;
	s.given_up = 1;
	s.no_memory = true;
	check_head(s, FIRST "1 process\n10 events/s, 0 lost/s, 0 events lost "
		   "in all\n1 event of these had no buffer\n"
		   "2 events/s without a thread, not paired: --pair-by cpu "
		   "pairs by CPU\n"
		   "7 begins and ends of pairs left out: events before them "
		   "are not there any more\n"
		   "1 pair given up: more than 131072 were open at a time\n"
		   "not all of it is here: out of memory, or too many names\n"
		   "\n", "what is not told");
}

static void check_tables(void)
{
	struct top_row rows[] = {
		{ "app/b", 5 }, { "app/c", 10 }, { "app/a", 5 },
	};
	struct top_pair pairs[2] = {
		{ .name = "app:short" }, { .name = "app:long" },
	};
	struct top_sample s = sample_of_two();

	for (int i = 1; i <= 100; i++)
		histogram_add(&pairs[0].durations, i);
	histogram_add(&pairs[1].durations, 5070000);
	s.rows = rows;
	s.nrows = 3;
	s.pairs = pairs;
	s.npairs = 2;
	check_head(s, FIRST "1 process\n10 events/s, 0 lost/s, 0 events lost "
		   "in all\n"
		   "        /s        p50        p99        max  PAIR\n"
		   "         0    5.07 ms    5.07 ms    5.07 ms  app:long\n"
		   "        50      50 ns      99 ns     100 ns  app:short\n"
		   "        /s          %  EVENT\n"
		   "         5       50.0  app/c\n"
		   "         2       25.0  app/a\n"
		   "         2       25.0  app/b\n\n", "tables");
	/* half were overwritten; --where chose 5 of the others */
	s.missed = true;
	s.seen = 10;
	s.chosen = 5;
	s.npairs = 0;
	s.nrows = 1;
	rows[0].seen = 5;
	top.nrules = 1;
	check_head(s, FIRST "1 process\n10 events/s, 0 lost/s, 0 events lost "
		   "in all\n"
		   "50.0 % of them were still in the buffers; the rest is "
		   "taken to be like these\n"
		   "5 events/s pass --where\n"
		   "        /s          %  EVENT\n"
		   "         5      100.0  app/c\n\n", "a part of the events");
	said_begin(STDOUT_FILENO);
	s.npairs = 1;
	s.pairs = &pairs[1];
	s.ended = 2;
	top_print_json(&top, &s);
	unit_check(strstr(said_end(), "\"app:short\",\"seen\":100,"
			  "\"p50_ns\":50,\"p99_ns\":99,\"max_ns\":100}],"
			  "\"without_durations\":[]}\n"),
		   "JSON");
	top.nrules = 0;
	for (int i = 0; i < 2; i++)
		histogram_clear(&pairs[i].durations);
}

/* How many lines an interval takes on a terminal of so many rows. */
static int screen_lines(struct top_sample *sample, unsigned short rows)
{
	struct winsize size = { .ws_row = rows, .ws_col = 80 };
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int kept = dup(STDOUT_FILENO), lines = 0, fd;
	char text[4096];
	ssize_t n;

	grantpt(terminal);
	unlockpt(terminal);
	fd = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ioctl(fd, TIOCSWINSZ, &size);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	top_print(&top, sample);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	while ((n = read(terminal, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += text[i] == '\n';
	close(kept);
	close(fd);
	close(terminal);
	return lines;
}

/* Tables end at the last row but one, whatever stands above them. */
static void check_screen(void)
{
	struct top_row rows[50] = { { "app/a", 1 } };
	struct top_pair pairs[50] = { { .name = "p" } };
	struct top_sample s = sample_of_two();
	int least;

	for (int i = 0; i < 50; i++) {
		rows[i] = (struct top_row){ "app/a", 1 };
		pairs[i].name = "app:pair";
		histogram_add(&pairs[i].durations, 5);
	}
	s.rows = rows;
	s.nrows = 50;
	s.pairs = pairs;
	s.npairs = 50;
	top.screen = true;
	least = screen_lines(&s, 24);
	unit_check(least <= 23 && least >= 20,
		   "all that a screen has room for");
	top.nrules = 1;
	s.unplaced_before = 1;
	s.threadless = 4;
	s.left_out = 7;
	s.given_up = 1;
	unit_equal(screen_lines(&s, 24), least, "with lines above the tables");
	unit_equal(screen_lines(&s, 40), least + 16, "a larger screen");
	unit_check(screen_lines(&s, 5) <= 10, "a screen without room");
	top.screen = false;
	top.nrules = 0;
	for (int i = 0; i < 50; i++)
		histogram_clear(&pairs[i].durations);
}

static void check_json(void)
{
	struct top_row row = { "a\"b", UINT64_MAX };
	struct top_sample s = sample_of_two();

	s.rows = &row;
	s.nrows = 1;
	said_begin(STDOUT_FILENO);
	top_print_json(&top, &s);
	unit_equal_string(said_end(), "{\"session\":\"rec\","
			  "\"begin_ns\":1795651198000000000,"
			  "\"end_ns\":1795651200000000000,\"processes\":1,"
			  "\"ended\":0,\"stopped\":0,\"written\":20,\"lost\":0,"
			  "\"without_buffer\":0,\"seen\":20,\"threadless\":0,"
			  "\"left_out\":0,\"given_up\":0,\"events\":[{\"name\":"
			  "\"a\\\"b\",\"seen\":18446744073709551615}],"
			  "\"pairs\":[],\"without_durations\":[]}\n",
			  "JSON object");
}

static void check_durations(void)
{
	static const struct {
		long double ns;
		const char *text;
	} rows[] = {
		{ 0, "0 ns" }, { 999, "999 ns" }, { 1000, "1.00 us" },
		{ 9994, "9.99 us" }, { 9996, "10 us" }, { 10400, "10 us" },
		{ 999499, "999 us" }, { 999501, "1.00 ms" },
		{ 999499999, "999 ms" }, { 999500001, "1.00 s" },
		{ 12e9L, "12 s" }, { 4000e9L, "4000 s" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct top_pair pair = { .name = "p" };
		struct top_sample s = sample_of_two();
		char want[128];

		histogram_add(&pair.durations, rows[i].ns);
		s.pairs = &pair;
		s.npairs = 1;
		snprintf(want, sizeof(want), "%10s %10s  p\n", rows[i].text,
			 rows[i].text);
		said_begin(STDOUT_FILENO);
		top_print(&top, &s);
		unit_check(strstr(said_end(), want), "duration of %.0Lf ns",
			   rows[i].ns);
		histogram_clear(&pair.durations);
	}
}

int main(void)
{
	static const struct pair_calls calls;

	setenv("TZ", "CET-1", 1);
	tzset();
	top.pairs = pairs_new(&calls);
	check_heads();
	check_tables();
	check_screen();
	check_json();
	check_durations();
	pairs_free(top.pairs);
	return unit_end();
}
