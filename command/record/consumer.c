/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Moves the events of one image to a trace, and removes the image's files. See
 * consumer.h.
 */
#include "command/record/consumer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/limits.h"
#include "command/common/monotonic.h"
#include "command/elf/addresses.h"
#include "command/record/shortage.h"
#include "traces/array.h"

/* How often rings are looked for while their number changes. */
#define SCANS_MAX	10

int consume_open(struct consumer **result, struct trace_set *set,
		 const struct rundir_process *process, uint32_t image,
		 const char *name, bool consume)
{
	struct consumer *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		return ret;
	*c = (struct consumer){
		.set = set, .image = image, .fd = -1, .pid = process->pid,
		/* rundir_open_image() checks that */
		.owner = process->uid,
		.page = calloc(1, sizeof(*c->page)),
		.session = calloc(1, sizeof(*c->session)),
	};
	if (c->page && c->session)
		ret = c->fd = rundir_open_image(process, image);
	if (ret >= 0)
		ret = process_read(c->page, c->fd);
	if (!ret)
		ret = session_view_find(c->session, c->fd, c->page->sessions,
					name, &c->index);
	if (ret)
		goto free;
	c->shares = c->session->page.flags & SESSION_SHARED;
	c->consume = consume && !(c->session->page.flags & SESSION_OVERWRITE);
	memcpy(c->uuid, c->page->uuid, sizeof(c->uuid));
	ret = metadata_format(&c->format, &c->shapes, c->session);
	if (!ret) {
		*result = c;
		return 0;
	}
	session_view_close(c->session);
free:
	if (c->fd >= 0)
		close(c->fd);
	free(c->session);
	free(c->page);
	free(c);
	return ret;
}

/* Returns true for the lack of descriptors. */
static bool files_lack(int ret)
{
	return ret == -EMFILE || ret == -ENFILE;
}

/*
 * Makes the trace, unless there is one. Returns 0 or a negative errno. Two
 * traces of one process must not look like two parts of one trace: the uuid
 * depends on the session and, for a snapshot, on the time.
 */
static int need_trace(struct consumer *consumer)
{
	const struct session_page *page = &consumer->session->page;
	uint64_t mix = 1 + (page->serial ? page->serial : consumer->index);
	int ret = consumer->trace ? 0 : limits_spare_files(CONSUME_FILES);
	struct timespec now;
	uint8_t uuid[16];

	if (consumer->trace || ret)
		return ret;
	if (!consumer->consume) {
		clock_gettime(CLOCK_REALTIME, &now);
		mix += (uint64_t)now.tv_sec << 32 | (uint64_t)now.tv_nsec;
	}
	memcpy(uuid, consumer->page->uuid, sizeof(uuid));
	for (int i = 0; i < 8; i++)
		uuid[8 + i] ^= (uint8_t)(mix >> (8 * i));
	return trace_open(&consumer->trace, consumer->set, consumer->page,
			  consumer->session, uuid);
}

/* Makes the trace, and the stream of a ring, when there is something to write.
 * Without descriptors for all that a stream takes it makes none. Returns 0 or a
 * negative errno. */
static int need_stream(struct consumer *consumer, struct consumer_ring *ring)
{
	int ret = ring->stream ? 0 : limits_spare_files(CONSUME_FILES);

	if (ring->stream || ret)
		return ret;
	ret = need_trace(consumer);
	if (!ret)
		ret = trace_stream_open(&ring->stream, consumer->trace,
					ring->reader.name);
	return ret;
}

/*
 * Looks at a file: a new ring, a known one, an incomplete one, or no ring.
 * Returns 0, or a negative errno if later rings would fail, too. A trace has
 * one stream of a number: a second ring that claims it is invalid.
 */
static int see_ring(const char *name, void *priv)
{
	struct consumer *consumer = priv;
	struct consumer_ring *ring;
	size_t at;
	int ret;

	for (size_t i = 0; i < consumer->nrings; i++)
		if (!strcmp(consumer->rings[i]->reader.name, name))
			return 0;
	if (consumer->nrings >= RINGS_MAX)
		return 0;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ret = ring_open(&ring->reader, consumer->fd, consumer->index, name,
			consumer->consume);
	if (!ret) {
		for (size_t i = 0; i < consumer->nrings; i++)
			if (consumer->rings[i]->reader.view.instance ==
			    ring->reader.view.instance)
				ret = -EBADMSG;
		if (!ret && !array_grow(&consumer->rings, consumer->nrings,
					sizeof(ring)))
			ret = -ENOMEM;
		/* newer rings of a CPU before older ones */
		for (at = consumer->nrings; !ret && at &&
		     ring_replacement(consumer->rings[at - 1]->reader.name) <
		     ring_replacement(name); at--)
			consumer->rings[at] = consumer->rings[at - 1];
		if (!ret) {
			consumer->rings[at] = ring;
			consumer->nrings++;
			return 0;
		}
		ring_close(&ring->reader);
	}
	free(ring);
	if (ret == -ENOMEM || files_lack(ret) || ret == -ENOLCK)
		return ret;
	/* an invalid file must not keep us from the other rings */
	if (ret != -EAGAIN && ret != -ENOENT)
		consumer->unreadable++;
	return 0;
}

/* Returns true while the process makes the session's first rings: their files
 * may be removed again, and no event is in them. */
static bool is_making(const struct consumer *consumer)
{
	const struct session_page *page = consumer->session->map.address;

	/* SESSION-MAKING: else a file of a ring that is given up is opened */
	return load_acquire(&page->making, SESSION_MAKING);
}

/* The order of processes: by pid, then by start time, then by identity, where
 * two PID namespaces have the same ones. */
static int member_compare(const void *left, const void *right)
{
	const struct member_view *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->starttime != b->starttime)
		return a->starttime < b->starttime ? -1 : 1;
	return a->identity < b->identity ? -1 : a->identity > b->identity;
}

/* A program that a process executes has another number. Without memory, they
 * count as processes. */
void consume_note_saved(const struct consumer *consumer,
			const struct rundir_process *process)
{
	rundir_note_saved(process, consumer->image, consumer->index,
			  consumer->copied, consumer->told_lost);
}

void consume_reach(struct consumer *consumer,
		   const struct rundir_process *process, struct reach *reach)
{
	const struct session_page *page = &consumer->session->page;

	reach_settle(&consumer->reach, 0, consumer->page, page,
		     process->alive && page->state == SESSION_ACTIVE);
	reach_join(reach, &consumer->reach);
}

void consume_places(const struct consumer *consumer, struct places *places)
{
	places_take(places, (pid_t)consumer->page->pid,
		    &consumer->session->page, NULL);
}

bool consume_same_page(const struct consumer *consumer,
		       const struct rundir_process *process, bool unread)
{
	struct process_page page;

	if (rundir_read_process(process, consumer->image, &page))
		return unread;
	return !memcmp(page.uuid, consumer->uuid, sizeof(page.uuid));
}

int consume_watch(const struct consumer *consumer, int inotify)
{
	char path[64];

	/* to allocate a file changes it (shared_allocate()) */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", consumer->fd);
	return inotify_add_watch(inotify, path, IN_MODIFY | IN_ONESHOT);
}

bool consume_joined(const struct consumer *consumer, struct member_view *found)
{
	return session_view_member(consumer->session, found);
}

size_t consume_sharers(const struct consumer *consumer)
{
	struct member_view member = { .number = 0 }, *all = NULL;
	size_t n = 0, same = 0;

	while (session_view_member(consumer->session, &member)) {
		if (!member.wrote)
			continue;
		if (array_grow(&all, n, sizeof(*all)))
			all[n] = member;
		n++;
	}
	if (all)
		qsort(all, n, sizeof(*all), member_compare);
	for (size_t i = 1; all && i < n; i++)
		same += !member_compare(&all[i - 1], &all[i]);
	free(all);
	return n - same;
}

bool consume_stopped(struct consumer *consumer)
{
	const struct session_page *page;
	uint32_t state;

	if (consumer->finished)
		return false;
	page = consumer->session->map.address;
	state = load_acquire(&page->state, SESSION_STATE);
	consumer->ran |= state == SESSION_ACTIVE;
	return state == SESSION_STOPPED || state == SESSION_DESTROYED;
}

int consume_scan(struct consumer *consumer)
{
	if (consumer->finished || is_making(consumer))
		return 0;
	consumer->unreadable = 0;
	return rings_each(consumer->fd, consumer->index, see_ring, consumer);
}

/* Reads new descriptions. A packet waits for this: its events may need them.
 * Returns 0 or a negative errno. */
static int session_refresh(struct consumer *consumer)
{
	int ret = session_view_update(consumer->session);

	if (ret > 0) {
		free(consumer->shapes);
		ret = metadata_format(&consumer->format, &consumer->shapes,
				      consumer->session);
	}
	if (ret)
		return ret;
	return consumer->trace ? trace_update(consumer->trace) : 0;
}

void consume_look(struct consumer *consumer)
{
	if (!consumer->finished)
		session_refresh(consumer);
}

/* Writes a packet if all its events have descriptions; else counts it as lost.
 * Returns 0 or a negative errno. */
static int put_packet(struct consumer *consumer, struct consumer_ring *ring,
		      const struct packet *packet)
{
	int ret = need_stream(consumer, ring);

	if (ret)
		return ret;
	ret = session_refresh(consumer);
	if (ret)
		return trace_packet_unwritten(ring->stream, packet, ret);
	if (consumer->format.symbols)
		symbols_note(&consumer->trace->symbols, &consumer->format,
			     consumer->session, packet);
	return trace_packet(ring->stream, packet);
}

/* Returns true when a packet stays in the ring: for want of descriptors there
 * is no stream to write it to. */
static bool packet_stays(const struct consumer_ring *ring, int ret)
{
	return !ring->stream && files_lack(ret);
}

/* Takes as many packets as a ring may hold, and no more: a writer that never
 * rests may be as fast as the recorder. Returns 1 when there was one, 0, or a
 * negative errno. */
static int empty_ring(struct consumer *consumer, struct consumer_ring *ring)
{
	struct packet packet;
	int done = 0, ret = 0, error;

	for (uint32_t n = 0; n < ring->reader.view.nsub; n++) {
		if (ring_take(&ring->reader, &packet) <= 0)
			break;
		error = put_packet(consumer, ring, &packet);
		if (packet_stays(ring, error))
			return error;
		ret = ret ? ret : error;
		ring_release(&ring->reader);
		done = 1;
	}
	/* events of an inconsistent ring are lost; other rings continue */
	return ret ? ret : done;
}

int consume_poll(struct consumer *consumer, uint64_t until_ns)
{
	int done = 0, ret = 0;

	if (!consumer->consume || consumer->finished)
		return 0;
	for (size_t i = 0; i < consumer->nrings; i++) {
		int error;

		if (until_ns != UINT64_MAX && monotonic_ns() >= until_ns)
			break;
		error = empty_ring(consumer, consumer->rings[i]);
		if (error < 0)
			ret = ret ? ret : error;
		else
			done |= error;
	}
	return ret ? ret : done;
}

bool consume_idle(const struct consumer *consumer)
{
	return !consumer->consume || consumer->finished || !consumer->nrings ||
	       session_view_empty(consumer->session);
}

/* Notes the ring's own counts. If there is no stream, the events count as lost
 * for the whole directory. */
static void count_note(struct consumer *consumer, struct consumer_ring *ring,
		       const struct ring_count *count)
{
	if (!count->committed && !count->lost)
		return;
	consumer->told_lost += count->lost;
	if (!need_stream(consumer, ring))
		trace_stream_count(ring->stream, count->committed, count->lost);
	else
		consumer->set->lost += count->committed + count->lost;
}

/* Notes the counts of rings that were replaced and removed: the ledger has them
 * in a row of their own. */
static void removed_note(struct consumer *consumer,
			 const struct rings_removed *removed)
{
	struct trace_stream *stream;

	if (!removed->events && !removed->lost)
		return;
	consumer->copied += removed->events;
	consumer->told_lost += removed->lost;
	if (!need_trace(consumer) &&
	    !trace_stream_open(&stream, consumer->trace, "replaced")) {
		trace_stream_count(stream, removed->events, removed->lost);
		return;
	}
	consumer->set->overwritten += removed->events;
	consumer->set->lost += removed->lost;
}

/*
 * Empties a ring for good, the open sub-buffer too, and notes the counts.
 * Returns 0 or a negative errno.
 *
 * Reads the counts again after the last packet: a process that did not stop in
 * time still writes, and the ledger must not have less than that packet. Also
 * reads them before: after a packet that makes no sense the ring is
 * inconsistent, and nothing reads the counts any more.
 */
static int finish_emptying(struct consumer *consumer,
			   struct consumer_ring *ring)
{
	struct ring_count before = { 0 };
	struct ring_count after;
	struct packet packet;
	int ret = empty_ring(consumer, ring);
	int error = session_refresh(consumer);
	bool lied = ring_count(&ring->reader, &before);

	if (!error)
		error = ring_take_open(&ring->reader, &consumer->format,
				       &packet);
	if (error > 0)
		error = put_packet(consumer, ring, &packet);
	if (!ring_count(&ring->reader, &after))
		count_note(consumer, ring, &after);
	else if (!lied)
		count_note(consumer, ring, &before);
	if (ret < 0)
		return ret;
	return error == -EBADMSG || error == -EAGAIN ? 0 : error;
}

/* The `priv` of copy_packet(). */
struct copying {
	struct consumer *consumer;
	struct consumer_ring *ring;
	struct ring_reach reach;	/* of the packets so far */
};

/* Writes a packet of a copy. After a failure no later packet of the stream may
 * be written, or the trace would have a gap that nothing counts. Returns 0 or a
 * negative errno, which ends the copy. */
static int copy_packet(const struct packet *packet, void *priv)
{
	struct copying *copying = priv;
	int ret = put_packet(copying->consumer, copying->ring, packet);

	if (!copying->reach.end) {
		copying->reach.begin = packet->head.timestamp_begin;
		copying->reach.whole = !packet->head.packet_seq_num;
	}
	copying->reach.end = packet->head.timestamp_end;

	if (ret && copying->ring->stream)
		copying->ring->stream->failed = true;
	return ret;
}

/* Copies a ring of a snapshot, which another reader may empty at the same time.
 * An inconsistent ring is no failure: the caller counts it. Returns 0 or a
 * negative errno. */
static int copy_ring(struct consumer *consumer, struct consumer_ring *ring)
{
	struct copying copying = { .consumer = consumer, .ring = ring };
	struct ring_copy copy;
	int ret = ring_copy_make(&copy, &ring->reader);

	if (ret <= 0)
		return ret == -EBADMSG ? 0 : ret;
	/* after the copy: descriptions are published before their events */
	ret = session_refresh(consumer);
	if (!ret)
		ret = ring_copy_each(&copy, &consumer->format, copy_packet,
				     &copying);
	/* no packet has an event */
	if (!copying.reach.end)
		ring_reach(&ring->reader, NULL, &copying.reach);
	if (ring->reader.flags & SESSION_OVERWRITE)
		reach_add(&consumer->reach, consumer->pid, ring->reader.name,
			  &copying.reach);
	consumer->copied += copy.count.committed;
	/* events that a recorder took are in its trace, not in this one */
	copy.count.committed -= copy.taken;
	consumer->set->taken += copy.taken;
	count_note(consumer, ring, &copy.count);
	ring_copy_free(&copy);
	if (ret == -EBADMSG)
		ring->reader.broken = true;
	return ret == -EBADMSG ? 0 : ret;
}

/*
 * Closes rings and descriptors. The events and modules stay: the final metadata
 * needs them. Keeps the session's page mapped for consume_late(), without a
 * descriptor; the recorder gives the memory back until then: there may be a
 * thousand such pages.
 */
static void consumer_shut(struct consumer *consumer)
{
	struct file_map *map = &consumer->session->map;

	for (size_t i = 0; i < consumer->nrings; i++) {
		ring_close(&consumer->rings[i]->reader);
		free(consumer->rings[i]);
	}
	free(consumer->rings);
	consumer->rings = NULL;
	consumer->nrings = 0;
	if (consumer->consume) {
		if (map->fd >= 0)
			close(map->fd);
		map->fd = -1;
		if (!map->copy)
			madvise((void *)map->address, map->bytes,
				MADV_DONTNEED);
		consumer->late = *map;
		consumer->late_lost = consumer->session->page.lost_unplaced;
		consumer->late_orphans = consumer->session->page.orphans;
	} else {
		file_map_close(map);
	}
	*map = (struct file_map){ .fd = -1 };
	if (consumer->fd >= 0)
		close(consumer->fd);
	consumer->fd = -1;
	consumer->finished = true;
}

/* Scans a last time, and counts rings that the process had published, but whose
 * files are not there, or are too short to have a ring's head. Returns as
 * consume_scan(). */
static int last_scan(struct consumer *consumer)
{
	const struct session_page *page = consumer->session->map.address;
	/* SESSION-RINGS: the number comes first, so the scan sees as many */
	uint32_t rings = load_acquire(&page->rings, SESSION_RINGS);
	size_t found;
	int ret = consume_scan(consumer);

	/* rings were replaced, or removed, during the scan */
	for (int i = 0; !ret && i < SCANS_MAX && rings !=
			load_acquire(&page->rings, SESSION_RINGS); i++) {
		rings = load_acquire(&page->rings, SESSION_RINGS);
		ret = consume_scan(consumer);
	}

	if (files_lack(ret) || ret == -ENOLCK)
		consumer->missed = ret;
	found = consumer->nrings + consumer->unreadable;
	if (ret || rings > RINGS_MAX || found >= rings || is_making(consumer))
		return ret;
	consumer->unreadable += rings - found;
	consumer->set->gone_rings += rings - found;
	consumer->set->gone_pid = consumer->page->pid;
	return ret;
}

/*
 * Empties all rings except open sub-buffers: when any events must stay, for
 * want of descriptors, those of the open sub-buffers stay, too. So the next
 * reader finds all events that are not in the trace, and no others. Then
 * consumer->missed is set.
 */
static void rings_empty(struct consumer *consumer)
{
	for (size_t i = 0; i < consumer->nrings; i++) {
		struct consumer_ring *ring = consumer->rings[i];
		struct ring_count count;
		int error = empty_ring(consumer, ring);

		if (!packet_stays(ring, error) &&
		    !ring_count(&ring->reader, &count) &&
		    (count.committed || count.lost))
			error = need_stream(consumer, ring);
		if (packet_stays(ring, error))
			consumer->missed = error;
	}
}

/* Takes the rest of all rings. Returns 0 or the first negative errno. */
static int rings_finish(struct consumer *consumer,
			const struct rings_removed *removed)
{
	int error, ret = 0;

	for (size_t i = 0; i < consumer->nrings; i++) {
		struct consumer_ring *ring = consumer->rings[i];

		if (consumer->consume)
			error = finish_emptying(consumer, ring);
		else
			error = rings_removed_has(removed, ring->reader.name) ?
				0 : copy_ring(consumer, ring);
		if (ring->reader.cut)
			consumer->set->cut++;
		if (ring->reader.broken)
			consumer->unreadable++;
		ret = ret ? ret : error;
	}
	return ret;
}

int consume_finish(struct consumer *consumer)
{
	const struct session_page *page = &consumer->session->page;
	struct trace_set *set = consumer->set;
	struct process_page latest;
	struct rings_removed removed;
	struct trace_member_loss *losses = NULL;
	size_t nlosses;
	int ret, error = 0;

	if (consumer->finished)
		return 0;
	nlosses = trace_losses_read(&losses, consumer->session);
	ret = last_scan(consumer);
	rings_removed_read(consumer->session->map.address, &removed);
	if (!consumer->consume)
		removed_note(consumer, &removed);
	session_refresh(consumer);
	if (consumer->consume)
		rings_empty(consumer);
	if (!consumer->consume || !consumer->missed)
		error = rings_finish(consumer, &removed);
	ret = ret ? ret : error;
	/* a process without any ring still has a trace: it has the losses */
	if (!ret && !consumer->missed &&
	    (page->lost_unplaced || consumer->wanted))
		ret = need_trace(consumer);
	if (consumer->trace) {
		/* the anchors taken since the trace was opened */
		if (!process_read(&latest, consumer->fd))
			trace_set_anchors(set, &latest);
		consumer->trace->unplaced = page->lost_unplaced;
		consumer->trace->lost_calls = page->lost_calls;
		consumer->trace->losses = losses;
		consumer->trace->nlosses = nlosses;
		session_view_oversize(consumer->session,
				      &consumer->trace->oversize);
		error = trace_finish(consumer->trace,
				     page->flags & SESSION_OVERWRITE);
		ret = ret ? ret : error;
	} else {
		free(losses);
		if (!consumer->missed)
			set->lost += page->lost_unplaced;
	}
	if (set->left_off < page->left_off)
		set->left_off = page->left_off;
	set->lost_calls += page->lost_calls;
	set->undecided += page->undecided;
	consumer->told_lost += page->lost_unplaced;
	consumer_shut(consumer);
	return ret;
}

uint32_t consume_late(struct consumer *consumer, uint64_t *late, int32_t *error)
{
	const struct session_page *page = consumer->late.address;
	uint64_t lost = 0;
	uint32_t orphans = 0;

	*late = 0;
	*error = 0;
	if (!page)
		return 0;
	/* another program may have cut the file: the page is all zeros then */
	if (load_relaxed(&page->lost_unplaced) > consumer->late_lost)
		lost = load_relaxed(&page->lost_unplaced) - consumer->late_lost;
	if (load_relaxed(&page->orphans) > consumer->late_orphans) {
		orphans = load_relaxed(&page->orphans) - consumer->late_orphans;
		*error = shortage_orphan_why(page);
	}
	*late = lost;
	file_map_close(&consumer->late);
	if (lost && consumer->trace)
		trace_lose_late(consumer->trace, lost);
	else if (consumer->shares && !consumer->missed)
		consumer->late_unplaced = lost;
	else if (!consumer->missed)
		consumer->set->lost += lost;
	return orphans;
}

void consume_settle(struct consumer *consumer)
{
	session_view_close(consumer->session);
	free(consumer->session);
	free(consumer->page);
	free(consumer->shapes);
	consumer->session = NULL;
	consumer->page = NULL;
	consumer->shapes = NULL;
}

/* Names the addresses of shared rings by the files of each process. */
static void names_share(struct trace *trace, struct consumer **all, size_t n)
{
	struct metadata_clock clock;
	struct trace_symbols part;

	for (size_t i = 0; i < n; i++) {
		const struct consumer *c = all[i];

		if (!c->session || !c->session->page.member)
			continue;
		symbols_part(&part, &trace->symbols, c->session->page.member);
		trace_set_clock(c->set, c->page, &clock);
		addresses_name(&part, c->session, c->page, &clock, c->owner);
		symbols_join(&trace->symbols, &part, c->session->page.member);
	}
	symbols_agree(&trace->symbols);
}

void consume_names(struct consumer *consumer, struct consumer **all, size_t n)
{
	struct trace *trace = consumer->trace;
	struct metadata_clock clock;

	if (!trace || !consumer->session)
		return;
	if (session_view_shared(consumer->session) && trace->symbols.nuses)
		names_share(trace, all, n);
	trace_set_clock(consumer->set, consumer->page, &clock);
	addresses_name(&trace->symbols, consumer->session, consumer->page,
		       &clock, consumer->owner);
	/* the shared trace needs them, too */
	if (!consumer->session->page.member)
		session_view_drop_modules(consumer->session);
}

void consume_release(struct consumer *consumer,
		     const struct rundir_process *process)
{
	/* the directory stays: it keeps the image's number */
	if (!consumer->released)
		rundir_destroy_session(process, consumer->image,
				       consumer->index);
	consumer->released = true;
}

void consume_remove(struct consumer *consumer,
		    const struct rundir_process *process, int top)
{
	struct dirent *entry;
	char name[16];
	bool found;
	DIR *stream;
	int fd;

	/* Sockets go while an image is left. Later another process may have
	 * sockets in a directory of this name. */
	unlinkat(process->fd, "control.sock", 0);
	unlinkat(process->fd, CALL_FILE, 0);
	unlinkat(process->fd, "gdb.sock", 0);
	rundir_destroy_session(process, consumer->image, consumer->index);
	fd = rundir_open_image(process, consumer->image);
	if (fd < 0)
		return;
	/* another session may have files there, or that cannot be seen */
	stream = rundir_opendir(fd, ".");
	found = !stream;
	while (!found && (entry = readdir(stream)))
		found = !strncmp(entry->d_name, "session.", 8);
	if (stream)
		closedir(stream);
	if (!found) {
		snprintf(name, sizeof(name), "%u", consumer->image);
		unlinkat(fd, "process", 0);
		unlinkat(process->fd, name, AT_REMOVEDIR);
	}
	close(fd);
	if (top >= 0 && !rundir_images(process, &(uint32_t){ 0 }, 1))
		unlinkat(top, process->name, AT_REMOVEDIR);
}

void consume_close(struct consumer *consumer)
{
	if (!consumer->finished)
		consumer_shut(consumer);
	file_map_close(&consumer->late);
	if (consumer->session)
		consume_settle(consumer);
	reach_free(&consumer->reach);
	free(consumer);
}
