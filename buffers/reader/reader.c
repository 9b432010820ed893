/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the pages that describe a process and the sessions of the process.
 *
 * Invariant: a record is copied first and checked then. Once a record has
 * passed, it is not read again in shared memory, except for the counter of
 * oversized events.
 */
#include "buffers/reader/reader.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/rings/anchor.h"

#define RECORDS_BYTES_MAX	(64u << 20)
#define EVENT_ID_MAX		(1u << 20)
#define EVENT_STRINGS		4
#define REMOVED_LOOKS		100
#define ANCHOR_DOUBT_MAX_NS	1000000000ull	/* worse than no anchor */

static void text_terminate(char *text, size_t room)
{
	text[room - 1] = '\0';
}

/* Returns 0 when a page is of this kind and version. */
static int check_magic(uint32_t magic, uint32_t wanted, uint32_t version)
{
	if (!magic)
		return -EAGAIN;
	if (magic != wanted)
		return -EBADMSG;
	return layout_known(magic, version) ? 0 : -EPROTO;
}

int process_read(struct process_page *page, int imagefd)
{
	struct file_map map;
	int ret = file_map_open_shared(&map, imagefd, "process", sizeof(*page),
				sizeof(*page));

	if (ret)
		return ret;
	/* the rest of the page was stored before the magic, with release */
	load_acquire(&((const struct process_page *)map.address)->magic,
		     PROCESS_PAGE);
	memcpy(page, map.address, sizeof(*page));
	file_map_close(&map);
	ret = check_magic(page->magic, PROCESS_MAGIC, page->version);
	if (ret)
		return ret;
	text_terminate(page->procname, sizeof(page->procname));
	text_terminate(page->hostname, sizeof(page->hostname));
	text_terminate(page->agent_version, sizeof(page->agent_version));
	return 0;
}

static bool anchor_possible(const struct clock_anchor *anchor)
{
	return anchor->clock <= INT64_MAX &&
	       anchor->monotonic_ns <= INT64_MAX &&
	       anchor->realtime_ns <= INT64_MAX &&
	       anchor->uncertainty_ns <= ANCHOR_DOUBT_MAX_NS;
}

int process_anchors(const struct process_page *page,
		    struct clock_anchor anchors[static 1 + PROCESS_ANCHORS])
{
	int n = 0;

	if (anchor_possible(&page->start))
		anchors[n++] = page->start;
	for (int i = 0; i < PROCESS_ANCHORS; i++) {
		const struct anchor_slot *slot = &page->anchors[i];

		if (slot->check == anchor_check(&slot->anchor) &&
		    anchor_possible(&slot->anchor))
			anchors[n++] = slot->anchor;
	}
	return n;
}

static int check_session(const struct session_page *page)
{
	int ret = check_magic(page->magic, SESSION_MAGIC, page->version);

	if (ret)
		return ret;
	if (context_bytes(page->contexts) < 0)
		return -EPROTO;
	return 0;
}

/* The pages of the processes themselves have no such file beside them. */
static void members_open(struct session_view *session, int dirfd)
{
	const struct members_page *page;

	if (file_map_open_shared(&session->shared, dirfd, "members",
				 SHARED_MEMBERS_BYTES, SHARED_MEMBERS_BYTES)) {
		session->shared = (struct file_map){ .fd = -1 };
		return;
	}
	page = session->shared.address;
	if (load_acquire(&page->magic, SHARED_MEMBERS) == MEMBERS_MAGIC &&
	    page->version == SESSION_VERSION)
		return;
	file_map_close(&session->shared);
	session->shared = (struct file_map){ .fd = -1 };
}

bool session_view_shared(const struct session_view *session)
{
	return session->shared.address;
}

bool session_view_empty(const struct session_view *session)
{
	const struct members_page *page = session->shared.address;

	return page && !load_relaxed(&page->allocated);
}

uint64_t session_view_given(const struct session_view *session)
{
	const struct members_page *page = session->shared.address;

	return page ? load_relaxed(&page->given) : 0;
}

bool session_view_member(const struct session_view *session,
			 struct member_view *member)
{
	const struct members_page *page = session->shared.address;
	const struct shared_member *slot;
	uint32_t state;
	uint64_t given = session_view_given(session);

	for (; member->number < given && member->number < SHARED_MEMBERS;) {
		slot = &page->members[member->number++];
		state = load_acquire(&slot->state, MEMBER_STATE);
		if (!state)
			continue;
		member->wrote = state == MEMBER_WROTE;
		member->pid = slot->pid;
		member->starttime = slot->starttime;
		member->lost = load_relaxed(&slot->lost);
		member->identity = slot->identity;
		memcpy(member->name, slot->name, MEMBER_NAME_BYTES);
		member->name[MEMBER_NAME_BYTES] = '\0';
		return true;
	}
	return false;
}

int session_view_open(struct session_view *session, int dirfd, const char *name)
{
	int ret;

	memset(session, 0, sizeof(*session));
	session->shared.fd = -1;
	ret = file_map_open_shared(&session->map, dirfd, name,
				   EVENT_RECORDS_OFFSET, EVENT_RECORDS_OFFSET);
	if (ret)
		return ret;
	/* the rest of the page was stored before the magic, with release */
	load_acquire(&((const struct session_page *)session->map.address)
			     ->magic, SESSION_PAGE);
	memcpy(&session->page, session->map.address, sizeof(session->page));
	text_terminate(session->page.name, sizeof(session->page.name));
	session->page.faults[0] = '\0';	/* read_faults() */
	ret = check_session(&session->page);
	if (!ret && session->page.flags & SESSION_SHARED)
		members_open(session, dirfd);
	if (!ret)
		ret = session_view_update(session);
	if (ret < 0)
		session_view_close(session);
	return ret < 0 ? ret : 0;
}

int session_view_find(struct session_view *session, int dirfd,
		      uint32_t sessions, const char *name, uint32_t *index)
{
	char file[32];
	int ret = -ENOENT;

	/* a name may be used again */
	while (sessions--) {
		snprintf(file, sizeof(file), "session.%u", sessions);
		ret = session_view_open(session, dirfd, file);
		if (ret == -EMFILE || ret == -ENFILE || ret == -ENOLCK)
			return ret;
		if (ret)
			continue;
		if (!strcmp(session->page.name, name) &&
		    session->page.state != SESSION_DESTROYED) {
			*index = sessions;
			return 0;
		}
		session_view_close(session);
	}
	return ret == -EPROTO ? ret : -ENOENT;
}

void session_view_close(struct session_view *session)
{
	for (size_t i = 0; i < session->nevents; i++)
		free(session->events[i]);
	free(session->events);
	session->events = NULL;
	session->nevents = 0;
	session_view_drop_modules(session);
	file_map_close(&session->map);
	file_map_close(&session->shared);
}

void session_view_drop_modules(struct session_view *session)
{
	for (size_t i = 0; i < session->nmodules; i++)
		free(session->modules[i]);
	free(session->modules);
	session->modules = NULL;
	session->nmodules = 0;
}

static bool id_is_new(const struct session_view *session, uint32_t id)
{
	size_t i = session->nevents;

	if (!i || session->events[i - 1]->id < id)
		return true;
	while (i--)
		if (session->events[i]->id == id)
			return false;
	return true;
}

/* Finds the four strings of a record, in a copy that ends in a NUL. */
static int split_text(struct event_view *view, size_t bytes)
{
	const char **string[EVENT_STRINGS] = { &view->channel, &view->name,
					       &view->text, &view->file };
	const char *p = view->strings;
	const char *end = view->strings + bytes;

	for (int i = 0; i < EVENT_STRINGS; i++) {
		if (p > end)
			return -EBADMSG;
		*string[i] = p;
		p += strlen(p) + 1;
	}
	if (p < end) {
		view->shown = p;
		view->shown_bytes = (uint32_t)(end - p);
	}
	return 0;
}

/* The names of such a record are empty. */
static int add_modules(struct session_view *session,
		       const struct event_record *record)
{
	size_t least = EVENT_STRINGS + sizeof(struct modules_head);
	size_t bytes = record->text_bytes;
	struct modules_view **more, *view;

	if (bytes < least || record->text[0] || record->text[1] ||
	    record->text[2] || record->text[3])
		return -EBADMSG;
	view = calloc(1, sizeof(*view) + bytes - least + 1);
	more = reallocarray(session->modules, session->nmodules + 1,
			    sizeof(*more));
	if (more)
		session->modules = more;
	if (!more || !view) {
		free(view);
		return -ENOMEM;
	}
	memcpy(&view->head, record->text + EVENT_STRINGS, sizeof(view->head));
	memcpy(&view->files, record->types, sizeof(view->files));
	memcpy(view->lines, record->text + least, bytes - least);
	view->more = session->nmodules && !record->line;
	session->modules[session->nmodules++] = view;
	return 0;
}

static int add_record(struct session_view *session,
		      const struct event_record *record)
{
	size_t bytes = record->text_bytes;
	struct event_view **more, *view;

	if (bytes > record->bytes - sizeof(*record))
		return -EBADMSG;
	if (record->kind == RECORD_MODULES)
		return add_modules(session, record);
	if (record->nfields > EVENT_FIELDS_MAX || record->id >= EVENT_ID_MAX ||
	    !id_is_new(session, record->id))
		return -EBADMSG;
	more = reallocarray(session->events, session->nevents + 1,
			    sizeof(*more));
	if (!more)
		return -ENOMEM;
	session->events = more;
	view = calloc(1, sizeof(*view) + bytes + 1);
	if (!view)
		return -ENOMEM;
	view->id = record->id;
	view->writer = record->id == cursor_writer_id(
				cursor_kind(session->page.flags)) &&
		       session->page.contexts & CONTEXT_WRITER;
	view->line = record->line;
	view->kind = record->kind;
	view->nfields = record->nfields;
	memcpy(view->types, record->types, sizeof(view->types));
	memcpy(view->strings, record->text, bytes);
	if (split_text(view, bytes)) {
		free(view);
		return -EBADMSG;
	}
	session->events[session->nevents++] = view;
	return 0;
}

/* Returns the record at `p`, or NULL when it does not lie within `bytes`. */
static const struct event_record *record_at(const char *p, uint64_t bytes)
{
	const struct event_record *record = (const void *)p;

	if (bytes < sizeof(*record) || record->bytes < sizeof(*record) ||
	    record->bytes > bytes || record->bytes % 8)
		return NULL;
	return record;
}

/* Copies the records in [from, to). Returns NULL when they are not there. */
static char *read_records(const struct session_view *session, uint64_t from,
			  uint64_t to)
{
	char *copy = malloc(to - from + 1);
	ssize_t n;

	if (!copy)
		return NULL;
	n = pread(session->map.fd, copy, to - from,
		  (off_t)(EVENT_RECORDS_OFFSET + from));
	if (n == (ssize_t)(to - from))
		return copy;
	free(copy);
	return NULL;
}

/* Copies the conditions that a marker refused, with '?' for each character that
 * could change a terminal. */
static void read_faults(struct session_view *session)
{
	const struct session_page *page = session->map.address;
	/* SESSION-FAULT: the lines are complete once their length is seen */
	uint32_t bytes = load_acquire(&page->fault_bytes, SESSION_FAULT);
	char *faults = session->page.faults;
	uint32_t i;

	if (bytes >= SESSION_FAULT_BYTES || bytes <= strlen(faults))
		return;
	for (i = 0; i < bytes && page->faults[i]; i++)
		faults[i] = iscntrl((unsigned char)page->faults[i]) &&
			    page->faults[i] != '\n' &&
			    page->faults[i] != '\t' ? '?' : page->faults[i];
	faults[i] = '\0';
}

/* Copies the places that are not switched, as above. */
static void read_untaken(struct session_view *session)
{
	const struct session_page *page = session->map.address;
	/* SESSION-UNTAKEN: the lines are complete once their length is seen */
	uint32_t bytes = load_acquire(&page->untaken_bytes, SESSION_UNTAKEN);
	struct session_page *copy = &session->page;

	copy->untaken_more = load_relaxed(&page->untaken_more);
	if (bytes >= SESSION_UNTAKEN_BYTES || bytes <= copy->untaken_bytes)
		return;
	memcpy(copy->untaken, page->untaken, bytes);
	copy->untaken_bytes = bytes;
}

int session_view_update(struct session_view *session)
{
	const struct session_page *page = session->map.address;
	uint64_t to = load_acquire(&page->record_bytes, SESSION_RECORDS);
	uint64_t at = session->parsed;
	const struct event_record *record;
	char *copy;
	int ret = 0;

	session->page.state = load_relaxed(&page->state);
	session->page.lost_unplaced = load_relaxed(&page->lost_unplaced);
	session->page.lost_calls = load_relaxed(&page->lost_calls);
	session->page.left_off = load_relaxed(&page->left_off);
	session->page.undecided = load_relaxed(&page->undecided);
	session->page.ring_bytes = load_relaxed(&page->ring_bytes);
	session->page.roomless = load_relaxed(&page->roomless);
	session->page.small_error = load_relaxed(&page->small_error);
	session->page.orphans = load_relaxed(&page->orphans);
	session->page.orphan_error = load_relaxed(&page->orphan_error);
	session->page.orphan_cause = load_relaxed(&page->orphan_cause);
	session->page.modules_end = load_relaxed(&page->modules_end);
	session->page.member = load_relaxed(&page->member);
	read_faults(session);
	read_untaken(session);
	if (to == at)
		return 0;
	if (to < at || to > RECORDS_BYTES_MAX)
		return -EBADMSG;
	copy = read_records(session, at, to);
	if (!copy)
		return -EBADMSG;
	while (!ret && session->parsed < to) {
		record = record_at(copy + (session->parsed - at),
				   to - session->parsed);
		ret = record ? add_record(session, record) : -EBADMSG;
		if (!ret)
			session->parsed += record->bytes;
	}
	free(copy);
	session->page.record_bytes = session->parsed;
	return ret ? ret : 1;
}

int session_view_oversize(const struct session_view *session, uint64_t *lost)
{
	const struct event_record *record;
	uint64_t at = 0;
	char *copy;

	*lost = 0;
	if (!session->parsed)
		return 0;
	copy = read_records(session, 0, session->parsed);
	if (!copy)
		return -EBADMSG;
	while ((record = record_at(copy + at, session->parsed - at))) {
		*lost += record->oversize;
		at += record->bytes;
	}
	free(copy);
	return at == session->parsed ? 0 : -EBADMSG;
}

static bool ring_name_valid(const char *name)
{
	const char *digits = name + (*name == 'L');
	size_t n = strspn(digits, "0123456789");

	return n && !digits[n] && strlen(name) < RING_NAME_BYTES;
}

int rings_each(int imagefd, uint32_t index,
	       int (*call)(const char *name, void *priv), void *priv)
{
	char prefix[32];
	size_t n = (size_t)snprintf(prefix, sizeof(prefix), "ring.%u.", index);
	int fd = openat(imagefd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir;
	int ret = 0;

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, prefix, n) &&
		    ring_name_valid(entry->d_name + n))
			ret = call(entry->d_name + n, priv);
	closedir(dir);
	return ret;
}

uint32_t rings_missing(const struct session_page *page, uint32_t found)
{
	/* SESSION-MAKING: files may go again, and no event is in them */
	return page->making || page->rings > RINGS_MAX || page->rings <= found ?
		       0 : page->rings - found;
}

void rings_removed_read(const struct session_page *page,
			struct rings_removed *removed)
{
	uint32_t before, n = load_acquire(&page->removals, RINGS_REMOVED);

	/* the sums of the next removal are elsewhere, those of the one after it
	 * in the same place; a process may also do this on purpose */
	for (int i = 0; i < REMOVED_LOOKS; i++) {
		before = n;
		memcpy(removed, &page->removed[n & 1], sizeof(*removed));
		/* RINGS-REMOVED: the sums are read before the number again */
		__atomic_thread_fence(ACQUIRE(RINGS_REMOVED));
		n = load_relaxed(&page->removals);
		if (n == before)
			return;
	}
}

bool rings_removed_has(const struct rings_removed *removed, const char *name)
{
	return *name != 'L' && ring_replacement(name) < removed->end;
}

uint32_t ring_replacement(const char *name)
{
	return (uint32_t)(strtoul(name, NULL, 10) / RING_STRIDE);
}
