/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data of the timeline's page (command/timeline/): the columns of a chunk,
 * the density, the longest pairs, and the file. The forms are those that
 * chunk.c and page/data.js say; a reader of them is written here.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>
#include <time.h>

#include "command/timeline/private.h"
#include "testsuite/unit/command/made.h"

static const uint8_t *at;		/* where the reader is */

static uint64_t next_number(void)
{
	uint64_t v = 0;
	unsigned int shift = 0;

	for (; *at & 0x80; shift += 7)
		v |= (uint64_t)(*at++ & 0x7f) << shift;
	return v | (uint64_t)*at++ << shift;
}

/* Checks that the next numbers are these. */
static void expect(const char *name, int n, ...)
{
	bool same = true;
	va_list ap;

	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		uint64_t want = va_arg(ap, uint64_t), got = next_number();

		if (got != want)
			printf("# number %d is %llu, not %llu\n", i,
			       (unsigned long long)got,
			       (unsigned long long)want);
		same &= got == want;
	}
	va_end(ap);
	unit_check(same, "%s", name);
}

#define N(n)	((uint64_t)(n))

static void check_bytes(void)
{
	static const uint64_t numbers[] = {
		0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX,
		UINT64_MAX,
	};
	static const struct {
		int64_t value;
		uint64_t number;
	} rows[] = {
		{ 0, 0 }, { -1, 1 }, { 1, 2 }, { -2, 3 },
		{ INT64_MAX, UINT64_MAX - 1 }, { INT64_MIN, UINT64_MAX },
	};
	struct bytes b = { 0 }, section = { 0 };
	bool same = true;

	bytes_number(&b, 127);
	unit_equal((long long)b.n, 1, "a number of one byte");
	bytes_number(&b, 128);
	unit_equal((long long)b.n, 3, "a number of two bytes");
	unit_check(!memcmp(b.p, "\x7f\x80\x01", 3), "the lowest bits first");
	bytes_number(&b, UINT64_MAX);
	unit_equal((long long)b.n, 13, "a number of ten bytes");
	b.n = 0;
	for (size_t i = 0; i < 9; i++)
		bytes_number(&b, numbers[i]);
	at = b.p;
	for (size_t i = 0; i < 9; i++)
		same &= next_number() == numbers[i];
	unit_check(same && at == b.p + b.n, "numbers are read back");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		b.n = 0;
		bytes_signed(&b, rows[i].value);
		at = b.p;
		unit_check(next_number() == rows[i].number, "signed %lld",
			   (long long)rows[i].value);
	}
	b.n = 0;
	bytes_text(&b, "ab");
	bytes_put(&section, "xyz", 3);
	bytes_section(&b, &section);
	unit_check(b.n == 7 && !memcmp(b.p, "\2ab\3xyz", 7),
		   "a text and a section");
	b.n = 0;
	for (int i = 0; i < 1000; i++)
		bytes_put(&b, "0123456789", 10);
	unit_check(b.n == 10000 && !memcmp(b.p + 9990, "0123456789", 10),
		   "bytes grow");
	section.failed = true;
	bytes_section(&b, &section);
	unit_check(b.failed, "a failed section fails the whole");
	bytes_free(&b);
	bytes_free(&section);
}

static const struct field_class vtid = {
	.kind = FIELD_INTEGER, .bytes = 4, .base = 10, .name = "vtid",
};
static const struct field_class context = {
	.kind = FIELD_STRUCT, .members = &vtid, .nmembers = 1,
};
static const struct field_class members[] = {
	{ .kind = FIELD_INTEGER, .bytes = 2, .base = 10, .name = "n" },
	{ .kind = FIELD_STRING, .name = "s" },
};
static const struct field_class fields = {
	.kind = FIELD_STRUCT, .members = members, .nmembers = 2,
};
static const struct field_class none = { .kind = FIELD_STRUCT };
static struct event_class classes[] = {
	{ .name = "app:a", .number = 0, .fields = &fields },
	{ .name = "app:b", .number = 1, .fields = &none },
};
static struct event_class *table[] = { &classes[0], &classes[1] };
static struct trace_class trace = {
	.vpid = 42, .context = &context, .events = table, .nevents = 2,
	.nclasses = 2,
};

static struct timeline t;

static void add_event(int class, uint32_t thread, uint32_t cpu, int64_t ns,
		      uint16_t n, const char *s)
{
	uint8_t bytes[64];
	struct trace_event event = {
		.ns = ns, .trace = &trace, .class = &classes[class],
		.cpu = cpu, .context = bytes, .fields = bytes + 4,
		.end = bytes + 4,
	};

	memcpy(bytes, &thread, 4);
	if (!class) {
		memcpy(bytes + 4, &n, 2);
		strcpy((char *)bytes + 6, s);
		event.end = bytes + 6 + strlen(s) + 1;
	}
	if (!t.events)
		t.first = t.last = ns;
	chunk_add(&t, &event);
	t.events++;
}

static void check_chunk(void)
{
	const uint8_t *end;

	t.detail = t.each = 1000;
	unit_equal(page_open(&t.page, made_path("page.html"), false), COMMAND_DONE,
		   "a page");
	add_event(0, 7, 1, 1000, 0x0102, "x");
	add_event(1, 8, 2, 1000, 0, "");
	/* a damaged clock goes back */
	add_event(1, 8, 2, 900, 0, "");
	add_event(0, 7, 3, 1300, 0x0203, "yz");
	/* from the first event of thread 8 to the last of thread 7 */
	chunk_pair(&t, &(struct page_pair){ .begin = 1, .end = 3, .lane = 1,
					    .kind = 5 });
	/* in thread 7 alone */
	chunk_pair(&t, &(struct page_pair){ .begin = 0, .end = 3, .lane = 0,
					    .kind = 6 });
	/* one that the last event tells alone */
	chunk_pair(&t, &(struct page_pair){ .begin = 3, .end = 3, .lane = 0,
					    .kind = 7, .from = 1050,
					    .to = 1300 });
	chunk_flush(&t);
	at = t.raw.p;
	end = t.raw.p + t.raw.n;
	expect("a chunk's events, and its time", 2, N(4), N(0));
	expect("times", 5, N(5), N(0), N(0), N(0), N(300));
	expect("lanes", 5, N(4), N(0), N(1), N(1), N(0));
	expect("classes", 5, N(4), N(0), N(1), N(1), N(0));
	expect("pairs", 1, N(3));
	expect("ends", 4, N(3), N(3), N(0), N(0));
	expect("begins", 4, N(3), N(2 << 1), N(1 << 1 | 1), N(0));
	expect("kinds", 4, N(3), N(5), N(6), N(7));
	expect("durations", 2, N(2), N(250));
	expect("records of class 0", 2, N(1), N(2));
	unit_check(!memcmp(at, "\2\1\1\1", 4), "columns of differences");
	at += 4;
	unit_check(!memcmp(at, "\5x\0yz", 6), "what has no fixed size");
	at += 6;
	expect("records of class 1", 3, N(2), N(2), N(0));
	expect("no more classes", 1, N(0));
	expect("records of lane 0", 2, N(1), N(2));
	unit_check(!memcmp(at, "\1\2\0\0\0\0\0\0\7\0\0\0\0\0\0\0\0", 17),
		   "CPU and thread");
	at += 17;
	expect("records of lane 1", 2, N(2), N(2));
	at += 17;
	expect("no more lanes", 1, N(0));
	unit_check(at == end, "no more bytes");
	unit_equal(t.lanes[1]->number, 1, "number of a lane");
	unit_equal((long long)t.lanes[1]->id, 8, "thread of a lane");
	unit_equal((long long)t.lanes[0]->events, 2, "events of a lane");
	unit_equal((long long)t.lanes[0]->first, 1000, "first of a lane");
	unit_equal((long long)t.lanes[0]->last, 1300, "last of a lane");
	at = t.blocks.p;
	expect("what the head says of it", 3, N(4), N(0), N(300));
}

static void check_second_chunk(void)
{
	t.chunk.first = 4;
	add_event(1, 8, 2, 1500, 0, "");
	add_event(1, 8, 2, 1501, 0, "");
	chunk_pair(&t, &(struct page_pair){ .begin = 4, .end = 5, .lane = 1,
					    .kind = 0 });
	chunk_flush(&t);
	at = t.raw.p;
	expect("a second chunk's events, and its time", 2, N(2), N(500));
	expect("a second chunk's times", 3, N(2), N(0), N(1));
	at += 6;
	expect("a second chunk's pairs", 8, N(1), N(1), N(1), N(1),
	       N(1 << 1 | 1), N(1), N(0), N(0));
	/* behind so many events there is only density */
	t.detail = 6;
	add_event(1, 8, 2, 1600, 0, "");
	chunk_flush(&t);
	unit_equal((long long)t.nblocks, 2, "no third chunk");
	unit_equal((long long)t.lanes[1]->events, 5, "the event counts");
	unit_equal(page_close(&t.page, true), COMMAND_DONE, "the page ends");
}

/* Counts a text in the page's file. */
static int count_text(const char *text)
{
	FILE *f = fopen(made_path("page.html"), "r");
	static char all[1 << 20];
	int n = 0;

	all[fread(all, 1, sizeof(all) - 1, f)] = '\0';
	fclose(f);
	for (const char *p = all; (p = strstr(p, text)); p++)
		n++;
	return n;
}

static void check_page(void)
{
	unit_equal(count_text("class=\"chunk\""), 2, "two chunks in the page");
	unit_equal(count_text("@DATA@"), 0, "no mark of the frame");
	unit_check(count_text("</html>") == 1, "the frame's end");
	chunk_free(&t);
	page_names_free(&t);
	bytes_free(&t.raw);
	bytes_free(&t.blocks);
	free(t.density.bins);
}

static void check_density(void)
{
	static struct page_lane lane = { .number = 0 }, far = {
		.number = 4096 };
	struct page_lane *lanes[] = { &lane, &far };
	struct timeline d = { .first = -10, .lanes = lanes, .nlanes = 2 };
	struct bytes b = { 0 };

	density_put(&b, &d.density);
	at = b.p;
	expect("no density", 2, N(0), N(0));
	density_add(&d, &lane, -10);
	density_add(&d, &lane, -9);
	density_add(&d, &lane, -9);
	density_add(&d, &lane, -10 + DENSITY_BINS - 1);
	unit_equal(d.width, 0, "a bin is a nanosecond");
	b.n = 0;
	density_put(&b, &d.density);
	at = b.p;
	expect("density", 4, N(0), N(DENSITY_BINS), N(1), N(2));
	at += DENSITY_BINS - 3;
	expect("the last bin", 1, N(1));
	density_add(&d, &far, -10 + DENSITY_BINS);
	unit_equal(d.width, 1, "a bin is two nanoseconds");
	unit_check(d.density.bins[0] == 3 &&
		   d.density.bins[DENSITY_BINS / 2 - 1] == 1 &&
		   d.density.bins[DENSITY_BINS / 2] == 1 &&
		   !d.density.bins[DENSITY_BINS / 2 + 1], "two become one");
	unit_check(lane.density.bins[0] == 3 &&
		   lane.density.bins[DENSITY_BINS / 2 - 1] == 1 &&
		   !lane.density.bins[DENSITY_BINS / 2], "in each lane");
	unit_equal(far.density.fold, 6, "lanes far down have wider bins");
	unit_equal((long long)far.density.bins[DENSITY_BINS / 2 >> 6], 1,
		   "in which the event is");
	density_add(&d, &lane, INT64_MAX);
	unit_equal(d.width, 51, "the longest time");
	unit_equal((long long)d.density.bins[0], 5, "all others are in one");
	bytes_free(&b);
	free(d.density.bins);
	free(lane.density.bins);
	free(far.density.bins);
}

static void check_longest(void)
{
	struct timeline l = { 0 };
	uint64_t sum = 0, want = 0;
	int64_t least = INT64_MAX;

	for (uint32_t i = 0; i < 2 * LONGEST_PAIRS; i++) {
		/* each duration once, mixed */
		int64_t duration = i * 4099ll % (2 * LONGEST_PAIRS);

		page_longest_add(&l, &(struct page_pair){ .from = i,
							  .to = i + duration });
	}
	unit_equal((long long)l.nlongest, LONGEST_PAIRS, "so many are kept");
	for (size_t i = 0; i < l.nlongest; i++) {
		int64_t duration = l.longest[i].to - l.longest[i].from;

		least = duration < least ? duration : least;
		sum += (uint64_t)duration;
		want += LONGEST_PAIRS + i;
	}
	unit_equal((long long)least, LONGEST_PAIRS, "the least of them");
	unit_equal((long long)sum, (long long)want, "all of them");
	free(l.longest);
}

/* Members that have always the same size, and those that do not. */
static void check_shapes(void)
{
	static const uint8_t whole[] = { 1, 2, 'a', 'b', 0 };
	struct shape shape = { 0 };
	struct records records = { 0 };
	struct bytes b = { 0 };

	unit_equal(shape_make(&shape, &fields), 0, "a shape");
	unit_check(!shape.fixed && shape.bytes == 2 && shape.sizes[0] == 2 &&
		   !shape.sizes[1], "two bytes are fixed");
	records_put(&records, &shape, whole, whole + sizeof(whole));
	/* a record that is cut */
	records_put(&records, &shape, whole, whole + 1);
	records_flush(&records, shape.bytes, &b);
	unit_check(b.n == 10 && !memcmp(b.p, "\2\1\xff\2\xfe\4ab\0", 10),
		   "a cut record is zero");
	records_free(&records);
	bytes_free(&b);
	shape_free(&shape);
}

int main(void)
{
	made_open();
	check_bytes();
	check_shapes();
	check_chunk();
	check_second_chunk();
	check_page();
	check_density();
	check_longest();
	made_close();
	return unit_end();
}
