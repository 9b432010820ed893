/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rings to a trace. See consume.h.
 */
#include "command/record/consume.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/rundir/private.h"

#define RINGS_MAX	8192

static int open_session(struct collect *collect, const char *name)
{
	char file[32];
	uint32_t n;
	int ret;

	ret = process_read(&collect->page, collect->fd);
	if (ret)
		return ret;
	/* the newest of that name: names may be used again */
	for (n = collect->page.sessions; n--;) {
		snprintf(file, sizeof(file), "session.%u", n);
		ret = session_view_open(&collect->session, collect->fd, file);
		if (ret)
			continue;
		if (!strcmp(collect->session.page.name, name) &&
		    collect->session.page.state != SESSION_DESTROYED) {
			collect->index = n;
			return 0;
		}
		session_view_close(&collect->session);
	}
	return ret == -EPROTO ? ret : -ENOENT;
}

int collect_open(struct collect **result, struct trace_set *set,
		 const struct rundir_process *process, uint32_t image,
		 const char *name, bool consume)
{
	struct collect *collect = calloc(1, sizeof(*collect));
	int ret;

	if (!collect)
		return -ENOMEM;
	collect->set = set;
	collect->image = image;
	collect->fd = rundir_open_image(process, image);
	ret = collect->fd;
	if (collect->fd < 0)
		goto free;
	ret = open_session(collect, name);
	if (ret)
		goto close;
	collect->consume = consume &&
			   !(collect->session.page.flags & SESSION_OVERWRITE);
	ret = metadata_format(&collect->format, &collect->shapes,
			      &collect->session);
	if (ret)
		goto close_session;
	*result = collect;
	return 0;
close_session:
	session_view_close(&collect->session);
close:
	close(collect->fd);
free:
	free(collect);
	return ret;
}

static bool known(const struct collect *collect, const char *name)
{
	size_t i;

	for (i = 0; i < collect->nrings; i++)
		if (!strcmp(collect->rings[i]->reader.name, name))
			return true;
	return false;
}

/* One session has one uuid, and no two streams of the same number. */
static bool fits(const struct collect *collect, const struct ring_reader *ring)
{
	size_t i;

	for (i = 0; i < collect->nrings; i++)
		if (collect->rings[i]->reader.instance == ring->instance)
			return false;
	return true;
}

static int add_ring(struct collect *collect, struct collect_ring *ring)
{
	struct collect_ring **more;

	if (!fits(collect, &ring->reader))
		return -EBADMSG;
	more = reallocarray(collect->rings, collect->nrings + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	collect->rings = more;
	more[collect->nrings++] = ring;
	return 0;
}

/*
 * Two traces of one process must not pass as two parts of one trace: what
 * tells them apart is the session and, of snapshots, when it was taken.
 */
static void trace_uuid(const struct collect *collect, uint8_t *uuid)
{
	struct timespec now = { 0 };
	uint64_t mix = collect->index + 1;
	int i;

	if (!collect->consume) {
		clock_gettime(CLOCK_REALTIME, &now);
		mix += (uint64_t)now.tv_sec << 32 | (uint64_t)now.tv_nsec;
	}
	memcpy(uuid, collect->page.uuid, 16);
	for (i = 0; i < 8; i++)
		uuid[8 + i] ^= (uint8_t)(mix >> (8 * i));
}

static int need_trace(struct collect *collect)
{
	uint8_t uuid[16];

	if (collect->trace)
		return 0;
	trace_uuid(collect, uuid);
	return trace_open(&collect->trace, collect->set, &collect->page,
			  &collect->session, uuid);
}

/* The stream of a ring, and the trace, when there is something to write. */
static int need_stream(struct collect *collect, struct collect_ring *ring)
{
	int ret = 0;

	if (ring->stream)
		return 0;
	ret = need_trace(collect);
	if (!ret)
		ret = trace_stream_open(&ring->stream, collect->trace,
					ring->reader.name);
	return ret;
}

/* A ring file: new, known, not complete yet, or no ring at all. */
static int see_ring(const char *name, void *priv)
{
	struct collect *collect = priv;
	struct collect_ring *ring;
	int ret;

	if (known(collect, name) || collect->nrings >= RINGS_MAX)
		return 0;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ret = ring_open(&ring->reader, collect->fd, collect->index, name,
			collect->consume);
	if (!ret) {
		ret = add_ring(collect, ring);
		if (!ret)
			return 0;
		ring_close(&ring->reader);
	}
	free(ring);
	if (ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE)
		return ret;
	/* nonsense of one name must not keep us from the others */
	if (ret != -EAGAIN && ret != -ENOENT)
		collect->unreadable++;
	return 0;
}

int collect_scan(struct collect *collect)
{
	if (collect->finished)
		return 0;
	collect->unreadable = 0;
	return rings_each(collect->fd, collect->index, see_ring, collect);
}

/* Before a packet: its events may have been described a moment ago. */
static int refresh(struct collect *collect)
{
	int ret = session_view_update(&collect->session);

	if (ret > 0) {
		free(collect->shapes);
		ret = metadata_format(&collect->format, &collect->shapes,
				      &collect->session);
	}
	if (ret)
		return ret;
	return collect->trace ? trace_update(collect->trace) : 0;
}

/* What the events mean must be known; else the packet counts as lost. */
static int put_packet(struct collect *collect, struct collect_ring *ring,
		      const struct packet *packet)
{
	int ret = need_stream(collect, ring);

	if (ret)
		return ret;
	ret = refresh(collect);
	if (ret)
		ring->stream->failed = true;
	return ret ? ret : trace_packet(ring->stream, packet);
}

static int empty_ring(struct collect *collect, struct collect_ring *ring)
{
	struct packet packet;
	int ret = 0;
	int done = 0;
	int error;

	while ((error = ring_take(&ring->reader, &packet)) > 0) {
		error = put_packet(collect, ring, &packet);
		ret = ret ? ret : error;
		ring_release(&ring->reader);
		done = 1;
	}
	/* a ring that lies loses what it holds; the others go on */
	return ret ? ret : done;
}

int collect_poll(struct collect *collect)
{
	int done = 0;
	size_t i;

	if (!collect->consume || collect->finished)
		return 0;
	for (i = 0; i < collect->nrings; i++) {
		int ret = empty_ring(collect, collect->rings[i]);

		if (ret < 0)
			return ret;
		done |= ret;
	}
	return done;
}

/*
 * What the ring said of itself. Where there is no stream because none could
 * be made, its events are lost to the directory as a whole.
 */
static void tell_count(struct collect *collect, struct collect_ring *ring,
		       const struct ring_count *count)
{
	if (!count->committed && !count->lost)
		return;
	if (!need_stream(collect, ring))
		trace_stream_count(ring->stream, count->committed, count->lost);
	else
		collect->set->lost += count->committed + count->lost;
}

/*
 * Counts once more behind the last packet: a process that did not stop in time
 * goes on, and the ledger must not know of less than that packet says. Before
 * it, too: one that makes no sense makes the ring a liar, which is not asked.
 */
static int finish_emptying(struct collect *collect, struct collect_ring *ring)
{
	struct ring_count before = { 0 };
	struct ring_count after;
	struct packet packet;
	int ret = empty_ring(collect, ring);
	int error = refresh(collect);
	bool lied = ring_count(&ring->reader, &before);

	if (!error)
		error = ring_take_open(&ring->reader, &collect->format,
				       &packet);
	if (error > 0)
		error = put_packet(collect, ring, &packet);
	if (!ring_count(&ring->reader, &after))
		tell_count(collect, ring, &after);
	else if (!lied)
		tell_count(collect, ring, &before);
	if (ret < 0)
		return ret;
	return error == -EBADMSG || error == -EAGAIN ? 0 : error;
}

struct copying {
	struct collect *collect;
	struct collect_ring *ring;
};

static int copy_packet(const struct packet *packet, void *priv)
{
	struct copying *copying = priv;

	return put_packet(copying->collect, copying->ring, packet);
}

static int copy_ring(struct collect *collect, struct collect_ring *ring)
{
	struct copying copying = { collect, ring };
	struct ring_copy copy;
	int ret = ring_copy_make(&copy, &ring->reader);

	if (ret <= 0)
		return ret == -EBADMSG ? 0 : ret;
	/* after the copy: what its events are was published before them */
	ret = refresh(collect);
	if (!ret)
		ret = ring_copy_each(&copy, &collect->format, copy_packet,
				     &copying);
	tell_count(collect, ring, &copy.count);
	ring_copy_free(&copy);
	if (ret == -EBADMSG)
		ring->reader.broken = true;
	return ret == -EBADMSG ? 0 : ret;
}

/* Descriptors are scarce: only what the final metadata needs is kept. */
static void let_go(struct collect *collect)
{
	size_t i;

	for (i = 0; i < collect->nrings; i++) {
		ring_close(&collect->rings[i]->reader);
		free(collect->rings[i]);
	}
	free(collect->rings);
	collect->rings = NULL;
	collect->nrings = 0;
	file_map_close(&collect->session.map);
	if (collect->fd >= 0)
		close(collect->fd);
	collect->fd = -1;
	collect->finished = true;
}

int collect_finish(struct collect *collect)
{
	bool overwrite = collect->session.page.flags & SESSION_OVERWRITE;
	int ret;
	size_t i;

	if (collect->finished)
		return 0;
	ret = collect_scan(collect);
	collect->missed = ret == -EMFILE || ret == -ENFILE;
	refresh(collect);
	for (i = 0; i < collect->nrings; i++) {
		struct collect_ring *ring = collect->rings[i];
		int error = collect->consume ? finish_emptying(collect, ring)
					     : copy_ring(collect, ring);

		if (ring->reader.cut)
			collect->set->cut++;
		if (ring->reader.broken)
			collect->unreadable++;
		ret = ret ? ret : error;
	}
	/* a process that never had a ring: its trace says what was lost */
	if (!ret && collect->session.page.lost_unplaced)
		ret = need_trace(collect);
	if (collect->trace) {
		struct process_page latest;
		int error;

		/* those that were taken since it was opened */
		if (!process_read(&latest, collect->fd))
			trace_set_anchors(collect->set, &latest);
		collect->trace->unplaced = collect->session.page.lost_unplaced;
		session_view_oversize(&collect->session,
				      &collect->trace->oversize);
		error = trace_finish(collect->trace, overwrite);
		ret = ret ? ret : error;
	} else {
		collect->set->lost += collect->session.page.lost_unplaced;
	}
	if (collect->set->left_off < collect->session.page.left_off)
		collect->set->left_off = collect->session.page.left_off;
	let_go(collect);
	return ret;
}

static bool has_session(int fd)
{
	DIR *stream = rundir_opendir(fd, ".");
	struct dirent *entry;
	bool found = !stream;

	while (stream && !found && (entry = readdir(stream)))
		found = !strncmp(entry->d_name, "session.", 8);
	if (stream)
		closedir(stream);
	return found;
}

void collect_remove(struct collect *collect,
		    const struct rundir_process *process, int top)
{
	char name[16];
	int fd;

	rundir_destroy_session(process, collect->image, collect->index);
	snprintf(name, sizeof(name), "%u", collect->image);
	fd = rundir_open_image(process, collect->image);
	if (fd < 0)
		return;
	if (!has_session(fd)) {
		unlinkat(fd, "process", 0);
		unlinkat(process->fd, name, AT_REMOVEDIR);
	}
	close(fd);
	if (top < 0 || rundir_images(process, &(uint32_t){ 0 }, 1))
		return;
	unlinkat(process->fd, "control.sock", 0);
	unlinkat(process->fd, "gdb.sock", 0);
	unlinkat(top, process->name, AT_REMOVEDIR);
}

void collect_close(struct collect *collect)
{
	if (!collect->finished)
		let_go(collect);
	session_view_close(&collect->session);
	free(collect->shapes);
	free(collect);
}
