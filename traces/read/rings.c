/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of rings as streams. The session's metadata is written to memory, and
 * parsed as that of any other trace.
 */
#include "traces/read/rings.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "traces/read/private.h"

struct ring_stream {
	struct read_stream stream;
	struct ring_reader ring;	/* closed once the packets are known */
	struct ring_copy copy;
	struct packet *packets;
	size_t npackets;
	size_t next;
};

/* One image's session, while its streams are made. */
struct image {
	struct reader *reader;
	const char *shown;
	int fd;
	uint32_t index;
	struct process_page page;
	struct session_view session;
	struct trace_class *trace;
	struct ring_stream **rings;
	size_t nrings;
	uint32_t found;			/* rings that have a file */
	struct ring_totals *totals;	/* or NULL */
};

static struct ring_stream *of(struct read_stream *stream)
{
	return (struct ring_stream *)stream;
}

static bool ring_packet(struct read_stream *stream, uint64_t begin,
			struct read_packet *packet)
{
	struct ring_stream *r = of(stream);

	while (r->next < r->npackets) {
		const struct packet *p = &r->packets[r->next++];

		if (p->head.timestamp_end < begin)
			continue;
		packet->head = p->head;
		packet->events = p->events;
		packet->bytes = p->event_bytes;
		return true;
	}
	return false;
}

static bool ring_last(struct read_stream *stream, uint64_t *reading)
{
	const struct ring_stream *r = of(stream);
	size_t i = r->npackets;

	while (i--) {
		*reading = r->packets[i].head.timestamp_end;
		if (r->packets[i].count)
			return true;
	}
	return false;
}

static void ring_rewind(struct read_stream *stream)
{
	of(stream)->next = 0;
}

static void ring_stream_close(struct read_stream *stream)
{
	struct ring_stream *r = of(stream);

	ring_copy_free(&r->copy);
	free(r->packets);
	free(r);
}

static const struct read_source ring_source = {
	.packet = ring_packet, .last = ring_last, .rewind = ring_rewind,
	.close = ring_stream_close,
};

/* Copies a ring. One that is not there yet, or was never used, has nothing. */
static int copy_ring(const char *name, void *priv)
{
	struct image *image = priv;
	struct ring_stream *r = calloc(1, sizeof(*r));
	struct ring_stream **more =
		reallocarray(image->rings, image->nrings + 1,
			     sizeof(struct ring_stream *));
	int ret = -ENOMEM;

	if (more)
		image->rings = more;
	if (r && more)
		ret = ring_open(&r->ring, image->fd, image->index, name, false);
	if (!ret || ret == -EBADMSG)
		image->found++;
	if (!ret) {
		r->ring.peek = image->totals;
		ret = ring_copy_make(&r->copy, &r->ring);
		if (ret > 0 && image->totals) {
			image->totals->written += r->copy.count.committed;
			image->totals->lost += r->copy.count.lost;
		}
		if (ret > 0) {
			snprintf(r->stream.name, sizeof(r->stream.name),
				 "stream_%s", name);
			more[image->nrings++] = r;
			return 0;
		}
		ring_close(&r->ring);
	}
	free(r);
	if (ret == -EBADMSG)
		reader_problem(image->reader, image->shown,
			       "ring %s makes no sense", name);
	return ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE ? ret : 0;
}

/* Tells of rings whose files are not there, or have no ring's head. */
static void miss_rings(const struct image *image)
{
	uint32_t missing = rings_missing(&image->session.page, image->found);

	if (missing)
		reader_problem(image->reader, image->shown,
			       "the files of %u of its %u buffers are missing "
			       "or cut short: their events are missing",
			       missing, image->session.page.rings);
}

static int keep_packet(const struct packet *packet, void *priv)
{
	struct ring_stream *r = priv;
	struct packet *more = r->packets;

	if (!(r->npackets & (r->npackets - 1)))
		more = reallocarray(r->packets, 2 * r->npackets + 1,
				    sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->packets = more;
	more[r->npackets++] = *packet;
	return 0;
}

/* Parses the metadata that a trace of this session would have. */
static int make_trace(struct image *image, const struct trace_set *set)
{
	struct metadata metadata = {
		.process = &image->page, .session = &image->session,
		.uuid = image->page.uuid,
		.created_s = (uint64_t)time(NULL),
	};
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	unsigned int line;
	int ret;

	if (!out)
		return -ENOMEM;
	trace_set_clock(set, &image->page, &metadata.clock);
	ret = metadata_write(out, &metadata);
	if (fclose(out) && !ret)
		ret = -ENOMEM;
	image->trace = ret ? NULL : calloc(1, sizeof(*image->trace));
	if (!ret)
		ret = image->trace ? read_trace(image->trace, text, &line) :
				     -ENOMEM;
	free(text);
	if (!ret)
		ret = read_name(image->trace, image->shown);
	if (!ret)
		ret = reader_add_trace(image->reader, image->trace);
	if (ret && image->trace) {
		trace_class_free(image->trace);
		free(image->trace);
	}
	return ret;
}

/* Adds a ring's copy to the reader. Returns 1, 0: it has no event, or a
 * negative errno; the stream is then freed. */
static int add_stream(struct image *image, const struct packet_format *format,
		      struct ring_stream *r)
{
	int ret = ring_copy_each(&r->copy, format, keep_packet, r);

	ring_close(&r->ring);
	r->stream.source = &ring_source;
	r->stream.event.trace = image->trace;
	if (ret == -EBADMSG) {
		reader_problem(image->reader, image->shown,
			       "%s: packets of its ring make no sense",
			       r->stream.name);
		ret = 0;
	}
	if (!ret && r->npackets) {
		ret = reader_add_stream(image->reader, &r->stream);
		if (!ret)
			return 1;
	}
	ring_stream_close(&r->stream);
	return ret;
}

/* The rings were copied first: all events in the copies are described now. */
static int add_streams(struct image *image, const struct trace_set *set)
{
	struct event_shape *shapes = NULL;
	struct packet_format format;
	size_t done = 0;
	int ret = session_view_update(&image->session);
	int sum = 0;

	ret = ret < 0 ? ret :
	      metadata_format(&format, &shapes, &image->session);
	if (!ret)
		ret = make_trace(image, set);
	while (!ret && done < image->nrings) {
		ret = add_stream(image, &format, image->rings[done++]);
		sum += ret > 0;
		ret = ret > 0 ? 0 : ret;
	}
	while (done < image->nrings) {
		ring_close(&image->rings[done]->ring);
		ring_stream_close(&image->rings[done++]->stream);
	}
	free(shapes);
	return ret ? ret : sum;
}

int reader_add_rings(struct reader *reader, const struct trace_set *set,
		     int fd, const char *name, const char *shown,
		     struct ring_totals *totals)
{
	struct image image = { .reader = reader, .shown = shown, .fd = fd,
			       .totals = totals };
	int ret = process_read(&image.page, fd);

	if (!ret)
		ret = session_view_find(&image.session, fd, image.page.sessions,
					name, &image.index);
	if (ret)
		return ret;
	if (totals)
		totals->processes++;
	ret = rings_each(fd, image.index, copy_ring, &image);
	if (!ret)
		miss_rings(&image);
	if (ret) {
		while (image.nrings) {
			struct ring_stream *r = image.rings[--image.nrings];

			ring_close(&r->ring);
			ring_stream_close(&r->stream);
		}
	} else {
		ret = add_streams(&image, set);
	}
	free(image.rings);
	session_view_close(&image.session);
	return ret;
}
