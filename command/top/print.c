/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shows an interval: on a terminal as a table that stays in one place, else one
 * table below the other; or as an object a line.
 *
 * Invariant: on a terminal an interval has no more lines than the screen, or
 * the table would move.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "command/common/counted.h"
#include "command/common/json.h"
#include "command/common/printable.h"
#include "command/top/private.h"

#define LINES_DEFAULT	1000
#define APART_BYTES	512
#define LINES_OTHER	6		/* heads, and where the cursor stays */

/* Clears the screen. Lines that are too long do not go on in the next one. */
#define SCREEN_BEGIN	"\033[?7l\033[H\033[J"
#define SCREEN_END	"\033[?7h"

/* Of qsort(): the most events come first, those of one number by name. */
static int compare_rows(const void *a, const void *b)
{
	const struct top_row *left = a, *right = b;

	if (left->seen != right->seen)
		return left->seen < right->seen ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* Of qsort(): the pairs that took the most time in all come first. */
static int compare_pairs(const void *a, const void *b)
{
	const struct top_pair *left = a, *right = b;

	if (left->durations.sum != right->durations.sum)
		return left->durations.sum < right->durations.sum ? 1 : -1;
	return strcmp(left->name, right->name);
}

/* Sorts both tables of a sample in place. qsort() takes no NULL. */
static void sort_rows(struct top_sample *sample)
{
	if (sample->nrows)
		qsort(sample->rows, sample->nrows, sizeof(*sample->rows),
		      compare_rows);
	if (sample->npairs)
		qsort(sample->pairs, sample->npairs, sizeof(*sample->pairs),
		      compare_pairs);
}

/* Returns how many events a second these are in the interval. The first call of
 * top_take() makes a sample without one: none is printed then. */
static double rate_of(const struct top_sample *sample, double events)
{
	return events / ((double)(sample->to - sample->from) / 1e9);
}

/* Returns the factor from the events that were seen to those that were
 * written. Without a gap it is 1: the last milliseconds' events, which are
 * written and not yet read, count in the next interval. */
static double scale_of(const struct top_sample *sample)
{
	return sample->missed && sample->seen &&
	       sample->written > sample->seen ?
	       (double)sample->written / (double)sample->seen : 1;
}

/* Writes a duration with a unit: "1.25 ms". Returns `text`. */
static const char *put_duration(char *text, size_t room, long double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t i = 0;

	/* a number that rounds to 1000 is 1 of the next unit */
	for (; value >= (i ? 999.5 : 1000) && i < 3; i++)
		value /= 1000;
	snprintf(text, room, value < 9.995 && i ? "%.2f %s" : "%.0f %s", value,
		 units[i]);
	return text;
}

/* Writes of which functions rules chose entries and returns apart. Returns how
 * many there are. */
static size_t apart_write(const struct top *top, char text[APART_BYTES])
{
	struct pair_kind *const *kinds;
	size_t n = pairs_kinds(top->pairs, &kinds), found = 0, used;
	char other[APART_BYTES];

	for (size_t i = 0; i < n; i++)
		found += pair_termless_text(kinds[i], found ? other : text,
					    APART_BYTES);
	used = strlen(text);
	if (found > 1)
		snprintf(text + used, APART_BYTES - used, "; and %s",
			 counted(found - 1, "other function"));
	return found;
}

/* Prints the time and the counts of an interval, at most a line a fact: see
 * LINES_OTHER and top_print(). */
static void print_head(const struct top *top, const struct top_sample *sample)
{
	size_t living = sample->processes - sample->ended;
	bool all = sample->stopped && sample->stopped >= living;
	time_t second = (time_t)(sample->to / 1000000000);
	char clock[16] = "", ended[32] = "", stopped[32] = "";
	char apart[APART_BYTES] = "";
	struct tm tm;

	if (localtime_r(&second, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (top->screen)
		fputs(SCREEN_BEGIN, stdout);
	/* those that write no more: " (1 ended, 2 stopped)"; or ", stopped", if
	 * the session is so in all that live */
	if (sample->ended)
		snprintf(ended, sizeof(ended), "%zu ended", sample->ended);
	if (sample->stopped && !all)
		snprintf(stopped, sizeof(stopped), "%s%zu stopped",
			 *ended ? ", " : "", sample->stopped);
	printable_print("%s  session '%s', %s%s%s%s%s%s\n", clock, top->session,
			counted(sample->processes, "process"),
			*ended || *stopped ? " (" : "", ended, stopped,
			*ended || *stopped ? ")" : "", all ? ", stopped" : "");
	printf("%.0f events/s, %.0f lost/s, %s lost in all\n",
	       rate_of(sample, (double)sample->written),
	       rate_of(sample, (double)sample->lost),
	       counted(sample->lost_before, "event"));
	if (sample->unplaced_before)
		printf("%s of these had no buffer\n",
		       counted(sample->unplaced_before, "event"));
	if (sample->calls_before)
		printf("%s of these had no room until %s end: "
		       COMMAND_CALLS_REMEDY "\n",
		       counted(sample->calls_before, "call"),
		       agreed(sample->calls_before, "its", "their"));
	if (sample->full)
		puts(COMMAND_FULL_REMEDY);
	if (sample->missed && sample->seen < sample->written)
		printf("%.1f %% of them were still in the buffers; the rest is "
		       "taken to be like these\n",
		       100 * (double)sample->seen / (double)sample->written);
	if (sample->threadless)
		printf("%.0f events/s without a thread, not paired: --pair-by "
		       "cpu pairs by CPU\n",
		       rate_of(sample, (double)sample->threadless));
	if (sample->left_out)
		printf("%llu begins and ends of pairs left out: events before "
		       "them are not there any more\n",
		       (unsigned long long)sample->left_out);
	if (sample->given_up)
		printf("%s given up: more than %u were open at a time\n",
		       counted(sample->given_up, "pair"), PAIRS_OPEN_MAX);
	if (apart_write(top, apart))
		printable_print("%s\n", apart);
	if (top->nrules)
		printf("%.0f events/s pass --where\n",
		       rate_of(sample,
			       (double)sample->chosen * scale_of(sample)));
	if (sample->no_memory)
		puts("not all of it is here: out of memory, or too many names");
}

void top_print(const struct top *top, struct top_sample *sample)
{
	double scale = scale_of(sample);
	char p50[32], p99[32], max[32];
	size_t lines = LINES_DEFAULT, other, pairs;
	char apart[APART_BYTES] = "";
	struct winsize size;

	if (top->screen && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	    size.ws_row) {
		other = LINES_OTHER + (top->nrules != 0) +
			(sample->unplaced_before != 0) +
			(sample->calls_before != 0) + sample->full +
			(sample->threadless != 0) + (sample->left_out != 0) +
			(sample->given_up != 0) + !!apart_write(top, apart);
		lines = size.ws_row > other ? size.ws_row - other : 0;
	}
	sort_rows(sample);
	print_head(top, sample);
	pairs = sample->npairs < lines / 2 ? sample->npairs : lines / 2;
	if (pairs)
		printf("%10s %10s %10s %10s  PAIR\n", "/s", "p50", "p99",
		       "max");
	for (size_t i = 0; i < pairs; i++) {
		struct histogram *h = &sample->pairs[i].durations;

		printable_print("%10.0f %10s %10s %10s  %s\n",
				rate_of(sample, (double)h->count * scale),
				put_duration(p50, sizeof(p50),
					     histogram_quantile(h, 0.5)),
				put_duration(p99, sizeof(p99),
					     histogram_quantile(h, 0.99)),
				put_duration(max, sizeof(max), h->max),
				sample->pairs[i].name);
	}
	if (sample->nrows && lines)
		printf("%10s %10s  EVENT\n", "/s", "%");
	for (size_t i = 0; i < sample->nrows && i < lines - pairs; i++)
		printable_print("%10.0f %10.1f  %s\n",
				rate_of(sample, (double)sample->rows[i].seen *
						scale),
				100 * (double)sample->rows[i].seen /
					(double)sample->chosen,
				sample->rows[i].name);
	fputs(top->screen ? SCREEN_END : "\n", stdout);
	fflush(stdout);
}

void top_print_json(const struct top *top, struct top_sample *sample)
{
	struct json json = { stdout, false };

	sort_rows(sample);
	json_open(&json, NULL, '{');
	json_string(&json, "session", top->session);
	json_number(&json, "begin_ns", (uint64_t)sample->from);
	json_number(&json, "end_ns", (uint64_t)sample->to);
	json_number(&json, "processes", sample->processes);
	json_number(&json, "ended", sample->ended);
	json_number(&json, "stopped", sample->stopped);
	json_number(&json, "written", sample->written);
	json_number(&json, "lost", sample->lost);
	json_number(&json, "without_buffer", sample->unplaced);
	json_number(&json, "seen", sample->seen);
	json_number(&json, "threadless", sample->threadless);
	if (top->nrules)
		json_number(&json, "chosen", sample->chosen);
	json_number(&json, "left_out", sample->left_out);
	json_number(&json, "given_up", sample->given_up);
	json_open(&json, "events", '[');
	for (size_t i = 0; i < sample->nrows; i++) {
		json_open(&json, NULL, '{');
		json_string(&json, "name", sample->rows[i].name);
		json_number(&json, "seen", sample->rows[i].seen);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	json_open(&json, "pairs", '[');
	for (size_t i = 0; i < sample->npairs; i++) {
		struct histogram *h = &sample->pairs[i].durations;

		json_open(&json, NULL, '{');
		json_string(&json, "name", sample->pairs[i].name);
		json_number(&json, "seen", h->count);
		json_number(&json, "p50_ns",
			    (uint64_t)histogram_quantile(h, 0.5));
		json_number(&json, "p99_ns",
			    (uint64_t)histogram_quantile(h, 0.99));
		json_number(&json, "max_ns", (uint64_t)h->max);
		json_close(&json, '}');
	}
	json_close(&json, ']');
	look_apart_json(&json, top->pairs);
	json_close(&json, '}');
	json_end(&json);
	fflush(stdout);
}
