/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The ring reader against rings made by hand: emptying, copying, wrapping,
 * and files with false data.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <signal.h>

#include "buffers/reader/reader.h"
#include "testsuite/unit/rings.h"
#include "traces/metadata.h"

#define SUB	4096u
#define NSUB	8u

static const char number_text[] = "app\0number\0n\0app.c";
static const uint8_t number_types[] = { TAFFRAIL_T_U64, 0 };

static struct packet_format format;
static struct event_shape *shapes;

static void describe(struct fake *fake)
{
	struct session_view session;

	fake_event(fake, 1, TAFFRAIL_KIND_EVENT, number_text,
		   sizeof(number_text), number_types);
	unit_equal(session_view_open(&session, fake->image, "session.0"), 0,
		   "session opens");
	unit_equal(session.nevents, 1, "one event");
	unit_equal_string(session.events[0]->channel, "app", "channel");
	unit_equal_string(session.events[0]->name, "number", "name");
	unit_equal_string(session.events[0]->text, "n", "text");
	unit_equal_string(session.events[0]->file, "app.c", "file");
	free(shapes);
	unit_equal(metadata_format(&format, &shapes, &session), 0, "format");
	session_view_close(&session);
}

/* Checks that a packet holds the numbers from `expect` on. */
static uint64_t check_numbers(const struct packet *packet, uint64_t expect)
{
	const char *p = packet->events;
	uint64_t i;

	for (i = 0; i < packet->count; i++) {
		uint64_t n;

		p += (*p & 31) == 31 ? CTF_COMPACT_EXT_BYTES
				     : CTF_COMPACT_BYTES;
		memcpy(&n, p, 8);
		p += 8;
		if (n != expect++)
			return ~0ull;
	}
	if (p != (const char *)packet->events + packet->event_bytes)
		return ~0ull;
	return expect;
}

static void write_numbers(struct fake_ring *r, uint64_t from, uint64_t n)
{
	uint64_t i;

	for (i = from; i < from + n; i++)
		fake_write(r, 1, 100, &i, sizeof(i));
}

static void test_take(uint64_t first, const char *what)
{
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct packet packet;
	struct ring_count count;
	uint64_t expect = 0;
	uint64_t packets = 0;
	int round;

	fake_open(&fake, 0, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "3", 3, SUB, NSUB, first);
	unit_equal(ring_open(&ring, fake.image, 0, "3", true), 0,
		   "%s: open", what);
	unit_equal(ring_take(&ring, &packet), 0, "%s: nothing yet", what);
	for (round = 0; round < 50; round++) {
		write_numbers(&writer, writer.committed, 1000);
		while (ring_take(&ring, &packet) > 0) {
			expect = check_numbers(&packet, expect);
			packets++;
			ring_release(&ring);
		}
	}
	unit_equal(packets, writer.number - first, "%s: all packets", what);
	unit_equal(ring_take_open(&ring, &format, &packet), 1,
		   "%s: open packet", what);
	unit_equal(packet.head.timestamp_end, writer.now, "%s: its end", what);
	expect = check_numbers(&packet, expect);
	unit_equal(expect, 50000, "%s: every number in order", what);
	unit_equal(ring_take_open(&ring, &format, &packet), 0,
		   "%s: only once", what);
	unit_equal(ring_count(&ring, &count), 0, "%s: count", what);
	unit_equal(count.committed, 50000, "%s: committed", what);
	unit_equal(count.lost, 0, "%s: none lost", what);
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

static void test_full(void)
{
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct packet packet;
	uint64_t kept = 0;
	uint64_t lost;

	fake_open(&fake, 0, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, 0);
	write_numbers(&writer, 0, 10000);
	lost = writer.ring->lost;
	unit_check(lost > 0, "full: events are lost");
	unit_equal(ring_open(&ring, fake.image, 0, "0", true), 0, "full: open");
	while (ring_take(&ring, &packet) > 0) {
		kept += packet.count;
		unit_equal(packet.head.events_discarded, 0,
			   "full: packet %d before the loss",
			   (int)packet.head.packet_seq_num);
		ring_release(&ring);
	}
	unit_equal(ring_take_open(&ring, &format, &packet), 1, "full: open");
	kept += packet.count;
	unit_equal(packet.head.events_discarded, lost, "full: loss is told");
	unit_equal(kept + lost, 10000, "full: nothing uncounted");
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

/* An open packet without an event tells of losses, once. */
static void test_lost(void)
{
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct packet packet;

	fake_open(&fake, 0, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, 0);
	unit_equal(ring_open(&ring, fake.image, 0, "0", true), 0, "lost: open");
	writer.ring->lost = 7;
	unit_equal(ring_take(&ring, &packet), 0, "lost: no whole packet");
	unit_equal(ring_take_open(&ring, &format, &packet), 1,
		   "lost: the open packet");
	unit_equal(packet.count, 0, "lost: without an event");
	unit_equal(packet.head.events_discarded, 7, "lost: loss is told");
	unit_equal(ring_take_open(&ring, &format, &packet), 0, "lost: once");
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

struct seen {
	uint64_t first;
	uint64_t expect;
	uint64_t events;
	uint64_t packets;
	int wrong;
};

static int see(const struct packet *packet, void *priv)
{
	struct seen *seen = priv;
	uint64_t n;

	memcpy(&n, (const char *)packet->events + CTF_COMPACT_BYTES, 8);
	if ((*(const char *)packet->events & 31) == 31)
		memcpy(&n, (const char *)packet->events +
			       CTF_COMPACT_EXT_BYTES, 8);
	if (!seen->packets++)
		seen->first = seen->expect = n;
	seen->expect = check_numbers(packet, seen->expect);
	seen->wrong |= seen->expect == ~0ull;
	seen->events += packet->count;
	return 0;
}

static void copy_and_see(struct ring_reader *ring, struct seen *seen, int want,
			 const char *what)
{
	struct ring_copy copy;

	memset(seen, 0, sizeof(*seen));
	unit_equal(ring_copy_make(&copy, ring), 1, "%s: copy", what);
	unit_equal(ring_copy_each(&copy, &format, see, seen), want,
		   "%s: packets", what);
	ring_copy_free(&copy);
	unit_check(!seen->wrong, "%s: intact", what);
}

/* The events that `status` reports as overwritten are those that a copy leaves
 * out. */
static void check_overwritten(struct ring_reader *ring, uint64_t want,
			      const char *what)
{
	struct ring_count count;
	uint64_t overwritten = ~0ull;

	unit_equal(ring_count_all(ring, &count, &overwritten), 0,
		   "%s: count all", what);
	unit_equal(overwritten, want, "%s: overwritten", what);
	unit_equal(count.committed, 50100, "%s: all committed", what);
}

static void test_overwrite(uint64_t first, const char *what)
{
	struct packet_head *oldest;
	struct packet_head saved;
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct seen seen;

	fake_open(&fake, SESSION_OVERWRITE, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, first);
	unit_equal(ring_open(&ring, fake.image, 0, "0", false), 0,
		   "%s: open", what);
	write_numbers(&writer, 0, 100);
	if (!first) {
		copy_and_see(&ring, &seen, 0, what);
		unit_equal(seen.events, 100, "%s: not lapped, all there", what);
	}
	write_numbers(&writer, 100, 50000);
	copy_and_see(&ring, &seen, 0, what);
	unit_equal(seen.packets, NSUB, "%s: every packet", what);
	unit_equal(seen.expect, 50100, "%s: up to the last event", what);
	unit_equal(seen.first, writer.lapped, "%s: from the oldest", what);
	unit_equal(seen.events + writer.lapped, 50100, "%s: exact", what);
	check_overwritten(&ring, writer.lapped, what);
	/* killed while the next packet's head was being written */
	oldest = (void *)fake_slot(&writer, writer.number + 1);
	saved = *oldest;
	oldest->timestamp_end = 0;
	copy_and_see(&ring, &seen, 0, what);
	unit_equal(seen.packets, NSUB - 1, "%s: half a head", what);
	*oldest = saved;
	oldest->timestamp_begin = writer.now;
	copy_and_see(&ring, &seen, 0, what);
	unit_equal(seen.packets, NSUB - 1, "%s: a new begin", what);
	*oldest = saved;
	oldest->packet_seq_num = writer.number + 1;
	copy_and_see(&ring, &seen, 0, what);
	unit_equal(seen.packets, NSUB - 1, "%s: a new number", what);
	/* and killed when it wrote the field behind the number */
	oldest->events_before = writer.committed - 1;
	check_overwritten(&ring, seen.first, what);
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

/* Runs when the reader first looks at a page: see test_taken(). */
static struct fake_ring *taker;
static void *taken_page;

static void on_look(int signal, siginfo_t *info, void *context)
{
	struct packet_head *taken =
		(void *)fake_slot(taker, taker->number + 2);

	(void)context;
	if (info->si_addr < taken_page ||
	    (char *)info->si_addr >= (char *)taken_page + SUB)
		_exit(128 + signal);
	mprotect(taken_page, SUB, PROT_READ);
	fake_switch(taker);
	write_numbers(taker, taker->committed, 5);
	/* the switch after that has just begun */
	taken->packet_seq_num = taker->number + 1;
	taken->timestamp_begin = taker->now;
}

/*
 * While the reader copies the second oldest packet, the writer takes the oldest
 * one and begins to take the second. The copy leaves both out, and the reader
 * does not reject the ring.
 */
static void test_taken(void)
{
	struct sigaction action = { .sa_sigaction = on_look,
				    .sa_flags = SA_SIGINFO };
	struct sigaction before;
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct seen seen;

	fake_open(&fake, SESSION_OVERWRITE, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, 0);
	unit_equal(ring_open(&ring, fake.image, 0, "0", false), 0,
		   "taken: open");
	write_numbers(&writer, 0, 50000);
	taker = &writer;
	taken_page = (char *)ring.map.address + RING_DATA_OFFSET +
		     (writer.number + 2) % NSUB * SUB;
	sigaction(SIGSEGV, &action, &before);
	mprotect(taken_page, SUB, PROT_NONE);
	copy_and_see(&ring, &seen, 0, "taken");
	sigaction(SIGSEGV, &before, NULL);
	unit_equal(seen.packets, NSUB - 2, "taken: what was left is there");
	unit_equal(seen.expect, 50000, "taken: up to the last event");
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

static void test_walk(void)
{
	struct event_shape all[2] = {
		[1] = {
			.steps = { 4, STEP_STRING, STEP_SEQUENCE | 2, 0 },
			.known = 1,
		},
	};
	struct packet_format f = {
		.shapes = all, .nshapes = 2, .context_bytes = 4,
	};
	const uint32_t begin = 0x100;
	struct packet_walk walk;
	char event[64];
	uint32_t header = (0x120u << 5) | 1;
	uint32_t two = 2;
	size_t n = 0;
	size_t cut;
	int good = 0;

	memcpy(event, &header, 4);
	memset(event + 4, 7, 8);	/* context, fixed */
	memcpy(event + 12, "abc", 4);
	memcpy(event + 16, &two, 4);
	memset(event + 20, 9, 4);
	n = 24;
	unit_equal(packet_walk(&f, begin, event, n, &walk), 0, "walk");
	unit_equal(walk.count, 1, "walk: one event");
	unit_equal(walk.last, 0x120, "walk: its time");
	for (cut = 1; cut < n; cut++)
		good += !packet_walk(&f, begin, event, cut, &walk);
	unit_equal(good, 0, "walk: no shorter one passes");
	unit_equal(packet_walk(&f, 0x130, event, n, &walk), 0, "walk: wrap");
	unit_equal(walk.last, 0x120 + (1 << 27), "walk: time after a wrap");
	unit_equal(packet_walk(&f, ~0ull - 5, event, n, &walk), -EBADMSG,
		   "walk: a time beyond all times");
	two = ~0u;
	memcpy(event + 16, &two, 4);
	unit_equal(packet_walk(&f, begin, event, n, &walk), -EBADMSG,
		   "walk: a sequence beyond the end");
	event[0] = 31;
	unit_equal(packet_walk(&f, begin, event, n, &walk), -EBADMSG,
		   "walk: an unknown event");
	unit_equal(context_bytes(CONTEXT_VTID | CONTEXT_IP), 12, "contexts");
	unit_equal(context_bytes(1u << 9), -EINVAL, "unknown context");
}

static int open_ring(struct fake *fake)
{
	struct ring_reader ring;
	int ret = ring_open(&ring, fake->image, 0, "0", true);

	if (!ret)
		ring_close(&ring);
	return ret;
}

/* Impossible constants: errors, never a crash. */
static void test_lies(void)
{
	struct fake fake;
	struct fake_ring writer;

	fake_open(&fake, 0, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, 0);
	write_numbers(&writer, 0, 1000);
	writer.ring->sub_bytes = 5000;
	unit_equal(open_ring(&fake), -EBADMSG, "lies: odd sub-buffer");
	writer.ring->sub_bytes = SUB;
	writer.ring->ring_bytes = 1u << 31;
	unit_equal(open_ring(&fake), -EBADMSG, "lies: larger than the file");
	writer.ring->ring_bytes = SUB;
	unit_equal(open_ring(&fake), -EBADMSG, "lies: one sub-buffer");
	writer.ring->ring_bytes = SUB * NSUB;
	writer.ring->version = 99;
	unit_equal(open_ring(&fake), -EPROTO, "lies: another version");
	writer.ring->version = LAYOUT_VERSION;
	writer.ring->magic = 0;
	unit_equal(open_ring(&fake), -EAGAIN, "lies: not published");
	writer.ring->magic = RING_MAGIC;
	unit_equal(open_ring(&fake), 0, "lies: the truth passes");
	fake_ring_close(&writer);
	fake_close(&fake);
}

/* Impossible positions, numbers and sizes of packets. */
static void test_false_positions(void)
{
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct packet packet;
	struct packet_head *head, *last;
	struct ring_copy copy;
	uint64_t right;
	int i;

	fake_open(&fake, 0, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, 0);
	write_numbers(&writer, 0, 1000);
	unit_equal(ring_open(&ring, fake.image, 0, "0", true), 0, "lies: open");
	right = writer.ring->head;
	writer.ring->head = right + (SUB << 4);
	unit_equal(ring_take(&ring, &packet), -EBADMSG, "lies: head ahead");
	unit_check(ring.broken, "lies: it is broken from then on");
	ring.broken = false;
	writer.ring->head = (right & ~0xffffffffull) | 7;
	unit_equal(ring_take(&ring, &packet), -EBADMSG, "lies: head in a head");
	ring.broken = false;
	writer.ring->head = right;
	writer.ring->tail = 12;
	unit_equal(ring_take(&ring, &packet), -EBADMSG, "lies: crooked tail");
	ring.broken = false;
	writer.ring->tail = 0;
	head = (void *)fake_slot(&writer, 0);
	for (i = 0; i < 4; i++) {
		struct packet_head saved = *head;

		if (i < 2)
			head->content_size = head->packet_size =
				i ? 8 : 1u << 30;
		else if (i == 2)
			head->packet_seq_num = 8;
		else
			head->timestamp_end = 0;
		unit_equal(ring_take(&ring, &packet), -EBADMSG,
			   "lies: packet head %d", i);
		ring.broken = false;
		*head = saved;
	}
	unit_equal(ring_take(&ring, &packet), 1, "lies: true positions pass");
	/* the largest number: a loop up to it would not end */
	last = (void *)fake_slot(&writer, NSUB - 1);
	*last = *head;
	last->packet_seq_num = UINT64_MAX;
	writer.ring->head = (uint32_t)(PACKET_HEAD_BYTES - SUB);
	unit_equal(ring_copy_make(&copy, &ring), -EBADMSG,
		   "lies: the last of all numbers");
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

/* The file shrinks under the mapping. */
static void test_truncated(void)
{
	struct fake fake;
	struct fake_ring writer;
	struct ring_reader ring;
	struct packet packet;
	int fd;

	map_guard();
	fake_open(&fake, 0, 0);
	describe(&fake);
	fake_ring_open(&writer, &fake, "0", 0, SUB, NSUB, 0);
	write_numbers(&writer, 0, 1000);
	unit_equal(ring_open(&ring, fake.image, 0, "0", true), 0,
		   "truncated: open");
	unit_equal(ring_take(&ring, &packet), 1, "truncated: good before");
	fd = openat(fake.image, "ring.0.0", O_RDWR);
	unit_equal(ftruncate(fd, 0), 0, "truncated: by its owner");
	close(fd);
	unit_check(ring_take(&ring, &packet) <= 0, "truncated: no packet");
	ring_release(&ring);
	unit_check(true, "truncated: alive");
	ring_close(&ring);
	fake_ring_close(&writer);
	fake_close(&fake);
}

static int open_session(struct fake *fake)
{
	struct session_view session;
	int ret = session_view_open(&session, fake->image, "session.0");

	if (!ret)
		session_view_close(&session);
	return ret;
}

static void test_records(void)
{
	struct session_view session;
	struct event_record *record;
	struct fake fake;
	uint64_t lost;

	fake_open(&fake, 0, 0);
	record = fake_event(&fake, 1, TAFFRAIL_KIND_EVENT, number_text,
			    sizeof(number_text), number_types);
	record->bytes += 4;
	unit_equal(open_session(&fake), -EBADMSG, "records: odd size");
	record->bytes = 1u << 30;
	unit_equal(open_session(&fake), -EBADMSG, "records: huge");
	record->bytes = 64;
	record->text_bytes = 60000;
	unit_equal(open_session(&fake), -EBADMSG, "records: long text");
	record->text_bytes = 4;
	unit_equal(open_session(&fake), -EBADMSG, "records: few strings");
	record->text_bytes = sizeof(number_text);
	record->nfields = 200;
	unit_equal(open_session(&fake), -EBADMSG, "records: many fields");
	record->nfields = 1;
	record->id = ~0u;
	unit_equal(open_session(&fake), -EBADMSG, "records: wild id");
	record->id = 1;
	unit_equal(open_session(&fake), 0, "records: the truth passes");
	fake.session->record_bytes = 1ull << 40;
	unit_equal(open_session(&fake), -EBADMSG, "records: endless");
	fake.session->record_bytes = record->bytes;
	unit_equal(session_view_open(&session, fake.image, "session.0"), 0,
		   "records: open");
	unit_equal(session_view_update(&session), 0, "records: nothing new");
	record = fake_event(&fake, 1, TAFFRAIL_KIND_EVENT, number_text,
			    sizeof(number_text), number_types);
	unit_equal(session_view_update(&session), -EBADMSG,
		   "records: id twice");
	record->id = 2;
	record->oversize = 5;
	unit_equal(session_view_update(&session), 1, "records: a new one");
	unit_equal(session.nevents, 2, "records: two");
	unit_equal(session_view_oversize(&session, &lost), 0,
		   "records: oversize");
	unit_equal(lost, 5, "records: five too large");
	session_view_close(&session);
	fake.session->contexts = 1u << 20;
	unit_equal(open_session(&fake), -EPROTO, "records: unknown context");
	fake_close(&fake);
}

/* Rings that larger ones have replaced: CPU 3 has 3, 1027 and 2051. */
static void test_replaced(void)
{
	const struct session_page page = {
		.removals = 3, .removed = { { 0 }, { .end = 2, .events = 5 } },
	};
	struct rings_removed removed;

	rings_removed_read(&page, &removed);
	unit_equal(removed.events, 5, "removed rings: events");
	unit_check(rings_removed_has(&removed, "3"), "the first ring");
	unit_check(rings_removed_has(&removed, "1027"), "the second");
	unit_check(!rings_removed_has(&removed, "2051"), "not the third");
	unit_check(!rings_removed_has(&removed, "L3"), "nor a locked one");
	unit_equal(ring_replacement("3"), 0, "replaced none");
	unit_equal(ring_replacement("2051"), 2, "replaced two");
	unit_equal(ring_replacement("L2051"), 0, "locked rings replace none");
}

int main(void)
{
	test_taken();
	test_replaced();
	test_walk();
	test_records();
	test_take(0, "from 0");
	test_take((1ull << 32) / SUB - 3, "across 2^32");
	test_full();
	test_lost();
	test_overwrite(0, "overwrite");
	test_overwrite((1ull << 32) / SUB - 5, "overwrite across 2^32");
	test_lies();
	test_false_positions();
	test_truncated();
	free(shapes);
	return unit_end();
}
