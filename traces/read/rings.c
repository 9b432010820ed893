/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of rings as streams. The session's metadata is written to memory, and
 * parsed as that of any other trace.
 *
 * A stream has a list of batches, one for each look at the ring. While the
 * reader follows, a batch is freed when the stream has left it.
 *
 * Invariant: rings are copied before the session's events are looked up, so
 * each event of a copy is described when its batch is appended.
 */
#include "traces/read/rings.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "buffers/clock.h"
#include "traces/array.h"
#include "traces/read/private.h"

#define TELL_LOOKS	10u	/* a loss that no event follows is told when so
				 * many looks have brought nothing else */

/* The packets that one look at a ring has brought. */
struct batch {
	struct batch *next;
	struct ring_copy copy;
	struct packet *packets;
	size_t npackets;
};

/* A ring as a stream. The image makes it; from reader_add_stream() on the
 * reader owns it. */
struct ring_stream {
	struct read_stream stream;
	struct ring_reader ring;	/* closed with the image */
	struct ring_mark mark;
	struct ring_count count;
	struct ring_copy fresh;		/* packets that are not known yet */
	bool is_fresh;
	struct batch *first;
	struct batch *last;
	struct batch *at;		/* with packets[next]; NULL: the end */
	size_t next;
	unsigned int quiet;		/* looks that have brought no event */
	bool added;			/* to the reader, which then frees it */
	bool ended;			/* no look at the ring will come */
};

/* The rings of a session in one image. It may go before the reader: the streams
 * then keep their batches. */
struct ring_image {
	struct reader *reader;
	struct ring_image *next;	/* in reader->images */
	char *shown;			/* names it in messages */
	int fd;
	uint32_t index;
	bool peek;
	bool later;			/* a ring that is found now is read from
					 * the first event */
	struct process_page page;
	struct session_view session;
	struct metadata_clock clock;
	struct trace_class *trace;
	struct packet_format format;
	struct event_shape *shapes;
	struct ring_stream **rings;
	size_t nrings;
	uint32_t found;			/* rings that have a file */
	uint32_t wrote;			/* processes of shared rings that were
					 * told */
};

/* Returns whether more processes have written to shared rings than before. */
static bool members_came(struct ring_image *image)
{
	struct member_view member = { .number = 0 };
	uint32_t n = 0;
	bool more;

	while (session_view_member(&image->session, &member))
		n += member.wrote;
	more = n != image->wrote;
	image->wrote = n;
	return more;
}

/* Returns the ring that a stream is. */
static struct ring_stream *ring_of(struct read_stream *stream)
{
	return (struct ring_stream *)stream;
}

/* Frees a batch. No stream may have an event of it. */
static void batch_free(struct batch *batch)
{
	ring_copy_free(&batch->copy);
	free(batch->packets);
	free(batch);
}

/* Takes the next packet of the copies. At the end r->at stays at the last
 * batch, behind which new ones come. */
static bool ring_packet(struct read_stream *stream, uint64_t begin,
			struct read_packet *packet)
{
	struct ring_stream *r = ring_of(stream);
	const struct packet *p;
	struct batch *done;

	if (!r->at)
		r->at = r->first;
	while (r->at) {
		done = r->at;
		if (r->next == done->npackets) {
			if (!done->next)
				return false;
			r->at = done->next;
			r->next = 0;
			if (reader_forgets(stream->reader) &&
			    done == r->first) {
				r->first = r->at;
				batch_free(done);
			}
			continue;
		}
		p = &done->packets[r->next++];
		if (p->head.timestamp_end < begin) {
			stream_skip(stream, &p->head);
			continue;
		}
		packet->head = p->head;
		packet->events = p->events;
		packet->bytes = p->event_bytes;
		packet->missed = p->missed;
		packet->writer = p->writer;
		return true;
	}
	return false;
}

/* Finds the end of the last packet with events, or, if none has any, of the
 * last packet. Looks at all packets, without taking one. */
static bool ring_last(struct read_stream *stream, uint64_t *reading)
{
	const struct ring_stream *r = ring_of(stream);
	bool found = false, any = false;

	for (const struct batch *b = r->first; b; b = b->next) {
		for (size_t i = 0; i < b->npackets; i++) {
			if (any && !b->packets[i].count)
				continue;
			*reading = b->packets[i].head.timestamp_end;
			found = true;
			any = any || b->packets[i].count;
		}
	}
	return found;
}

/* Goes back to the first packet that is kept. */
static void ring_rewind(struct read_stream *stream)
{
	ring_of(stream)->at = NULL;
	ring_of(stream)->next = 0;
}

/* Frees a stream with all batches, and with the copy that was not appended. */
static void ring_stream_close(struct read_stream *stream)
{
	struct ring_stream *r = ring_of(stream);

	while (r->first) {
		struct batch *next = r->first->next;

		batch_free(r->first);
		r->first = next;
	}
	if (r->is_fresh)
		ring_copy_free(&r->fresh);
	free(r);
}

/* Returns whether the image was closed: no look brings more then. */
static bool ring_ended(const struct read_stream *stream)
{
	return ((const struct ring_stream *)stream)->ended;
}

/* Does nothing, but says that there may be more: new packets are in the batches
 * before reader_refresh() comes here. */
static void ring_refresh(struct read_stream *stream)
{
}

static const struct read_source ring_source = {
	.packet = ring_packet, .last = ring_last, .refresh = ring_refresh,
	.ended = ring_ended, .rewind = ring_rewind, .close = ring_stream_close,
};

/* Reports a ring whose bytes make no sense. */
static void no_ring(const struct ring_image *image, const char *name)
{
	reader_problem(image->reader, image->shown, "ring %s makes no sense",
		       name);
}

/* Opens a ring, unless it is known or not there yet. A ring that makes no sense
 * is reported and kept, so it is told once. Returns 0; or -ENOMEM, -EMFILE,
 * -ENFILE, which end the look. Callback of rings_each(). */
static int open_ring(const char *name, void *priv)
{
	struct ring_image *image = priv;
	struct ring_stream *r, **more;
	size_t at;
	int ret;

	for (size_t i = 0; i < image->nrings; i++)
		if (!strcmp(image->rings[i]->ring.name, name))
			return 0;
	r = calloc(1, sizeof(*r));
	more = reallocarray(image->rings, image->nrings + 1,
			    sizeof(struct ring_stream *));
	if (more)
		image->rings = more;
	ret = r && more ? ring_open(&r->ring, image->fd, image->index, name,
				    false) : -ENOMEM;
	if (!ret || ret == -EBADMSG) {
		image->found++;
		r->ring.peek = image->peek;
		r->mark.known = image->later;
		snprintf(r->ring.name, sizeof(r->ring.name), "%s", name);
		snprintf(r->stream.name, sizeof(r->stream.name), "stream_%s",
			 name);
		r->stream.source = &ring_source;
		/* newer rings of a CPU before older ones */
		for (at = image->nrings++; at &&
		     ring_replacement(more[at - 1]->ring.name) <
		     ring_replacement(name); at--)
			more[at] = more[at - 1];
		more[at] = r;
		if (ret)
			no_ring(image, name);
		r->ring.broken = ret;
		return 0;
	}
	free(r);
	return ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE ? ret : 0;
}

/* Adds a packet to a batch. Callback of ring_copy_each(); -ENOMEM ends that. */
static int keep_packet(const struct packet *packet, void *priv)
{
	struct batch *batch = priv;

	if (!array_grow(&batch->packets, batch->npackets, sizeof(*packet)))
		return -ENOMEM;
	batch->packets[batch->npackets++] = *packet;
	return 0;
}

void (*rings_name)(struct trace_symbols *symbols,
		   const struct session_view *session,
		   const struct process_page *process,
		   const struct metadata_clock *clock, uid_t owner);

/* The `priv` of note_packet(). */
struct noting {
	const struct ring_image *image;
	struct trace_symbols *symbols;
};

/* Notes the addresses of a packet. Callback of ring_copy_each(). */
static int note_packet(const struct packet *packet, void *priv)
{
	struct noting *noting = priv;

	symbols_note(noting->symbols, &noting->image->format,
		     &noting->image->session, packet);
	return 0;
}

/* Gives the metadata that a trace of this session would have. The caller frees
 * the text, also after a failure. Returns 0 or a negative errno. */
static int write_text(struct ring_image *image, char **text,
		      const struct trace_symbols *symbols)
{
	struct metadata metadata = {
		.process = &image->page, .session = &image->session,
		.uuid = image->page.uuid, .clock = image->clock,
		.symbols = symbols, .created_s = (uint64_t)time(NULL),
	};
	size_t bytes = 0;
	FILE *out;
	int ret;

	*text = NULL;
	out = open_memstream(text, &bytes);
	if (!out)
		return -ENOMEM;
	ret = metadata_write(out, &metadata);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	return ret;
}

/* Names the noted addresses by the files of the process; of shared rings, by
 * those of each process whose image was added before. */
static void name_addresses(const struct ring_image *image,
			   struct trace_symbols *symbols)
{
	const struct ring_image *m = image->reader->images;
	bool shared = session_view_shared(&image->session);
	struct trace_symbols part;
	struct stat st;

	if (!shared && !fstat(image->fd, &st))
		rings_name(symbols, &image->session, &image->page,
			   &image->clock, st.st_uid);
	for (; shared && m; m = m->next) {
		if (fstat(m->fd, &st))
			continue;
		symbols_part(&part, symbols, m->session.page.member);
		rings_name(&part, &m->session, &m->page, &m->clock, st.st_uid);
		symbols_join(symbols, &part, m->session.page.member);
	}
	if (shared)
		symbols_agree(symbols);
}

/* Makes the trace of an image: writes the metadata to memory, and parses it.
 * Addresses in the copies are named first, as their names are part of the
 * metadata; packets are looked at through copies of the marks, so nothing is
 * taken. Returns 0 or a negative errno; then image->trace stays NULL, and the
 * next look tries again. */
static int make_trace(struct ring_image *image)
{
	struct trace_class *trace = calloc(1, sizeof(*trace));
	struct trace_symbols symbols = { 0 };
	struct noting noting = { image, &symbols };
	bool named = image->format.symbols && rings_name;
	char *text = NULL;
	unsigned int line;
	int ret = -ENOMEM;

	for (size_t i = 0; named && i < image->nrings; i++) {
		struct ring_mark mark = image->rings[i]->mark;
		struct ring_copy copy = image->rings[i]->fresh;

		/* the copy is gone through once more, by batch_append() */
		copy.mark = &mark;
		if (image->rings[i]->is_fresh)
			ring_copy_each(&copy, &image->format, note_packet,
				       &noting);
	}
	if (named)
		name_addresses(image, &symbols);
	if (trace)
		ret = write_text(image, &text, &symbols);
	symbols_free(&symbols);
	if (!ret)
		ret = read_trace(trace, &image->reader->schemas, text, &line);
	free(text);
	trace->in_rings = true;
	if (!ret)
		ret = read_name(trace, image->shown);
	if (!ret)
		ret = reader_add_trace(image->reader, trace);
	if (ret && trace) {
		trace_class_free(trace);
		free(trace);
		return ret;
	}
	image->trace = trace;
	return ret;
}

/* Appends the fresh copy as a batch. Its events are described now. Packets that
 * make no sense are reported, and end the ring. Returns 0, -ENOMEM or another
 * negative errno. */
static int batch_append(struct ring_image *image, struct ring_stream *r,
			bool last)
{
	struct batch *batch;
	uint64_t lost = r->mark.lost;
	bool known = r->mark.known;
	int ret;

	if (!r->is_fresh)
		return 0;
	batch = calloc(1, sizeof(*batch));
	if (!batch)
		return -ENOMEM;
	batch->copy = r->fresh;
	r->is_fresh = false;
	ret = ring_copy_each(&batch->copy, &image->format, keep_packet, batch);
	if (ret == -EBADMSG) {
		r->ring.broken = true;
		reader_problem(image->reader, image->shown,
			       "%s: packets of its ring make no sense",
			       r->stream.name);
		ret = 0;
	}
	/* a full ring loses events all the time: not ten messages a second */
	if (known && batch->npackets == 1 && !batch->packets[0].count &&
	    !batch->packets[0].missed && !last && r->quiet++ % TELL_LOOKS) {
		r->mark.lost = lost;
		batch->npackets = 0;
	}
	if (ret || !batch->npackets) {
		batch_free(batch);
		return ret;
	}
	if (batch->packets[batch->npackets - 1].count)
		r->quiet = 0;
	/* behind all others: the stream may stand at the end of the last */
	*(r->last ? &r->last->next : &r->first) = batch;
	r->last = batch;
	if (!r->added) {
		r->stream.event.trace = image->trace;
		ret = reader_add_stream(image->reader, &r->stream);
		r->added = !ret;
	}
	return ret;
}

/* Returns whether the session is made. SESSION-MAKING: until then files of
 * rings may be replaced, and have no event. */
static bool is_made(const struct ring_image *image)
{
	const struct session_page *page = image->session.map.address;

	return !load_acquire(&page->making, SESSION_MAKING);
}

/* Returns whether a process that shares rings has written nothing into its
 * own. */
static bool is_idle(const struct ring_image *image)
{
	bool idle = image->session.page.member &&
		    !image->session.page.lost_unplaced;

	for (size_t i = 0; i < image->nrings && idle; i++)
		idle = !image->rings[i]->is_fresh;
	return idle;
}

int ring_image_refresh(struct ring_image *image, bool last)
{
	struct ring_stream *r;
	char *text = NULL;
	int news = 0;
	int ret = is_made(image) ? rings_each(image->fd, image->index,
					      open_ring, image) : 0;

	/* the directory of a process that has ended may be gone */
	if (ret && ret != -ENOMEM && ret != -EMFILE && ret != -ENFILE)
		ret = 0;
	for (size_t i = 0; i < image->nrings && !ret; i++) {
		r = image->rings[i];
		if (r->ring.broken || !r->ring.map.address || r->is_fresh)
			continue;
		ret = ring_copy_more(&r->fresh, &r->ring, &r->mark);
		if (ret > 0) {
			r->is_fresh = true;
			r->count = r->fresh.count;
		} else if (!ret) {
			/* it is empty: all that comes is later */
			r->mark.known = true;
		} else if (ret == -EBADMSG && !(r->ring.cut && r->mark.known)) {
			/* not a ring that the session's end has removed */
			no_ring(image, r->ring.name);
		}
		ret = ret == -ENOMEM ? ret : 0;
	}
	/* the rings were copied first: all events in the copies are described
	 * now, those that the session has got since among them, and so are all
	 * processes */
	if (!ret)
		news = session_view_update(&image->session);
	if (!ret && news >= 0 && members_came(image))
		news = 1;
	if (news < 0)
		ret = news;
	if (!ret && (!image->trace || news)) {
		free(image->shapes);
		image->shapes = NULL;
		ret = metadata_format(&image->format, &image->shapes,
				      &image->session);
	}
	if (!ret && !image->trace && !is_idle(image)) {
		ret = make_trace(image);
	} else if (!ret && news && image->trace) {
		ret = write_text(image, &text, NULL);
		if (!ret)
			read_trace_more(image->trace, text);
		free(text);
	}
	for (size_t i = 0; i < image->nrings && !ret; i++)
		ret = batch_append(image, image->rings[i], last);
	return ret;
}

/* A session is not active before the first event of a forked child, either. */
bool ring_image_stopped(const struct ring_image *image)
{
	const struct session_page *page = image->session.map.address;
	bool made = is_made(image);
	uint32_t state = load_acquire(&page->state, SESSION_STATE);

	return state == SESSION_DESTROYED || (state != SESSION_ACTIVE && made);
}

bool ring_image_destroyed(const struct ring_image *image)
{
	return image->session.page.state == SESSION_DESTROYED;
}

uint32_t ring_image_member(const struct ring_image *image)
{
	return image->session.page.member;
}

bool ring_image_shared(const struct ring_image *image)
{
	return session_view_shared(&image->session);
}

bool ring_image_wrote(const struct ring_image *image, uint32_t member)
{
	struct member_view found = { .number = member - 1 };

	return member && session_view_member(&image->session, &found) &&
	       found.number == member && found.wrote;
}

uint32_t ring_image_writers(const struct ring_image *image)
{
	return image->wrote;
}

uint64_t ring_image_serial(const struct ring_image *image)
{
	return image->session.page.serial;
}

void ring_image_count(const struct ring_image *image,
		      struct ring_totals *totals)
{
	for (size_t i = 0; i < image->nrings; i++) {
		totals->written += image->rings[i]->count.committed;
		totals->lost += image->rings[i]->count.lost;
	}
	totals->lost += image->session.page.lost_unplaced;
	totals->unplaced += image->session.page.lost_unplaced;
	totals->calls += image->session.page.lost_calls;
}

int64_t ring_image_now(const struct ring_image *image)
{
	struct clock_anchor anchor;

	if (image->page.clock_kind == CLOCK_KIND_ATOMIC)
		return TIME_MAX;
	clock_anchor_take_kind(image->page.clock_kind, &anchor);
	return clock_time(&image->clock, clock_base(&image->clock),
			  anchor.clock);
}

void ring_image_close(struct ring_image *image)
{
	struct ring_image **at = &image->reader->images;

	while (*at && *at != image)
		at = &(*at)->next;
	if (*at)
		*at = image->next;
	if (image->trace)
		reader_tell_unplaced(image->reader, image->trace,
				     image->session.page.lost_unplaced,
				     image->session.page.lost_calls);
	/* a stream that the reader has goes on with its batches */
	while (image->nrings) {
		struct ring_stream *r = image->rings[--image->nrings];

		if (r->ring.map.address)
			ring_close(&r->ring);
		r->ended = true;
		if (!r->added)
			ring_stream_close(&r->stream);
	}
	free(image->rings);
	free(image->shapes);
	if (image->session.map.address)
		session_view_close(&image->session);
	if (image->fd >= 0)
		close(image->fd);
	free(image->shown);
	free(image);
}

int reader_add_rings(struct ring_image **made, struct reader *reader,
		     const struct trace_set *set, int fd, const char *name,
		     const char *shown, enum rings_from from)
{
	struct ring_image *image = calloc(1, sizeof(*image));
	const struct session_page *page;
	uint32_t missing, rings;
	int ret;

	if (!image)
		return -ENOMEM;
	image->reader = reader;
	image->peek = from == RINGS_PEEK;
	image->later = from == RINGS_LATER;
	image->shown = strdup(shown);
	image->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	ret = !image->shown ? -ENOMEM : image->fd < 0 ? -errno : 0;
	if (!ret)
		ret = process_read(&image->page, fd);
	if (!ret)
		ret = session_view_find(&image->session, fd,
					image->page.sessions, name,
					&image->index);
	if (!ret) {
		trace_set_clock(set, &image->page, &image->clock);
		ret = ring_image_refresh(image, false);
	}
	if (ret) {
		ring_image_close(image);
		return ret;
	}
	if (image->session.page.member) {
		image->next = reader->images;
		reader->images = image;
	}
	image->later = true;
	/* SESSION-RINGS: rings that were removed since are not missing */
	page = image->session.map.address;
	rings = load_acquire(&page->rings, SESSION_RINGS);
	if (rings < image->session.page.rings)
		image->session.page.rings = rings;
	missing = rings_missing(&image->session.page, image->found);
	/* once: files without a ring's head count as missing */
	if (missing)
		reader_problem(reader, image->shown,
			       "the files of %u of its %u buffers are missing "
			       "or cut short: their events are missing",
			       missing, image->session.page.rings);
	*made = image;
	return 0;
}
