/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rings that processes share. See shared.h.
 */
#include "buffers/rings/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/sys.h"
#include "buffers/rings/private.h"

#define STAGED_BEGIN	((uint32_t)sizeof(struct members_page))
#define TYPES_BYTES	(EVENT_RECORDS_OFFSET + SHARED_TYPES_BYTES)
#define LOCK_TRIES	200
#define LOCK_PAUSE_NS	1000000

/* The bytes allocated at first, of files that are allocated late. */
#define PAGE_BYTES	4096u
#define SLOTS_BYTES	offsetof(struct members_page, members[SHARED_SLOTS])
#define TYPES_AHEAD	(EVENT_RECORDS_OFFSET + PAGE_BYTES)
#define RING_AHEAD	(RING_DATA_OFFSET + PAGE_BYTES)

_Static_assert(SHARED_TYPES_BYTES == RECORDS_MAX_BYTES &&
	       SHARED_STAGED_BYTES == RECORDS_MAX_BYTES, "as one process has");

/* Makes one of the files, and maps it. */
static int shared_file(const char *directory, const char *name, int64_t number,
		       uint64_t ahead, uint64_t bytes, void **out)
{
	char path[SHARED_PATH_BYTES];
	struct text text;

	text_open(&text, path, sizeof(path));
	text_add(&text, directory);
	text_add(&text, name);
	if (number >= 0)
		text_add_number(&text, number);
	return text.cut ? -ENAMETOOLONG :
			  channel_file_map(path, ahead, bytes, out);
}

static void ring_name(struct text *text, char *name, size_t room, uint32_t i)
{
	text_open(text, name, room);
	text_add(text, "ring.0.");
	text_add_unsigned(text, i);
}

/* Allocates bytes of a file in a directory of the user's. */
static int range_allocate(int at, const char *name, uint64_t from,
			  uint64_t bytes)
{
	int fd = (int)sys4(SYS_openat, at, name,
			   O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
	int ret = fd;

	if (fd < 0)
		return fd;
	ret = (int)sys_fallocate(fd, 0, from, bytes);
	sys_close(fd);
	return ret;
}

/* Allocates the place where the first description is staged. */
static int staged_ahead(const char *directory)
{
	char path[SHARED_PATH_BYTES];
	struct text text;

	text_open(&text, path, sizeof(path));
	text_add(&text, directory);
	text_add(&text, "/members");
	return range_allocate(AT_FDCWD, path, STAGED_BEGIN, PAGE_BYTES);
}

/* Which of members_page.room[] counts the room of a table. */
enum room { ROOM_TYPES, ROOM_STAGED };

/* Has the first `to` bytes of a table allocated. Returns 0 or a negative errno.
 * Several processes may do so at once: each begins where all is allocated. */
static int room_allocate(struct shared *shared, enum room which, uint64_t to)
{
	static const char *const names[] = { "session.0", "members" };
	static const uint64_t begins[] = { EVENT_RECORDS_OFFSET, STAGED_BEGIN };
	uint64_t *room = &shared->members->room[which];
	uint64_t from = load_acquire(room, SHARED_ROOM);
	int fd, ret;

	if (to <= from)
		return 0;
	to = min_u64(align_up(to, SHARED_ROOM_STEP), RECORDS_MAX_BYTES);
	fd = file_open_directory(AT_FDCWD, shared->directory);
	if (fd < 0)
		return fd;
	ret = range_allocate(fd, names[which], begins[which] + from, to - from);
	sys_close(fd);
	while (!ret && from < to &&
	       !__atomic_compare_exchange_n(room, &from, to, 0,
					    RELEASE(SHARED_ROOM),
					    __ATOMIC_RELAXED))
		;
	return ret;
}

bool shared_allocated(const struct shared *shared)
{
	return load_acquire(&shared->members->allocated, SHARED_ALLOCATED);
}

int shared_allocate(struct shared *shared)
{
	uint64_t bytes = RING_DATA_OFFSET + (uint64_t)shared->ring_bytes;
	char name[32];
	struct text text;
	int fd, ret;

	if (shared_allocated(shared))
		return 0;
	fd = file_open_directory(AT_FDCWD, shared->directory);
	if (fd < 0)
		return fd;
	ret = range_allocate(fd, "members", 0, sizeof(struct members_page));
	for (uint32_t i = 0; i < shared->cpus && !ret; i++) {
		ring_name(&text, name, sizeof(name), i);
		ret = range_allocate(fd, name, 0, bytes);
	}
	sys_close(fd);
	if (!ret)
		store_release(&shared->members->allocated, 1, SHARED_ALLOCATED);
	return ret;
}

int shared_make(struct shared *shared, const char *directory,
		const struct process_page *page, const char *name,
		uint32_t flags, uint32_t ring_bytes, uint32_t cpus, bool late)
{
	const uint64_t bytes = RING_DATA_OFFSET + (uint64_t)ring_bytes;
	struct members_page *members;
	struct session_page *types;
	void *p;
	int ret;

	text_copy(shared->directory, sizeof(shared->directory), directory);
	flags |= SESSION_SHARED | SESSION_WRITERS | SESSION_WIDE;
	cpus = (uint32_t)min_u64(cpus, CHANNEL_CPUS_MAX);
	ret = shared_file(directory, "/members", -1,
				  late ? SLOTS_BYTES : STAGED_BEGIN,
				  SHARED_MEMBERS_BYTES, &p);
	if (ret)
		return ret;
	members = p;
	members->room[ROOM_TYPES] = PAGE_BYTES;
	members->room[ROOM_STAGED] = PAGE_BYTES;
	ret = staged_ahead(directory);
	shared->ring_bytes = ring_bytes;
	for (uint32_t i = 0; i < cpus && !ret; i++) {
		ret = shared_file(directory, "/ring.0.", i,
				  late ? RING_AHEAD : UINT64_MAX, bytes, &p);
		if (ret)
			break;
		channel_ring_init(p, flags, page->uuid, i, i, ring_bytes);
		shared->rings[i] = p;
		shared->cpus = i + 1;
	}
	if (!ret)
		ret = shared_file(directory, "/process", -1, UINT64_MAX,
				  sizeof(*page), &p);
	if (ret)
		goto leave;
	*(struct process_page *)p = *page;
	sys_munmap(p, sizeof(*page));
	ret = shared_file(directory, "/session.0", -1, TYPES_AHEAD, TYPES_BYTES,
			  &p);
	if (ret)
		goto leave;
	shared->types = types = p;
	types->version = SESSION_VERSION;
	types->state = SESSION_ACTIVE;
	types->flags = flags;
	types->contexts = CONTEXT_WRITER;
	types->sub_bytes = ring_bytes / RING_SUB_BUFFERS;
	types->ring_bytes = ring_bytes;
	types->asked_bytes = ring_bytes;
	types->rings = cpus;
	text_copy(types->name, sizeof(types->name), name);
	store_release(&types->magic, SESSION_MAGIC, SESSION_PAGE);
	members->version = SESSION_VERSION;
	members->cpus = cpus;
	members->ring_bytes = ring_bytes;
	store_release(&members->allocated, !late, SHARED_ALLOCATED);
	shared->members = members;
	store_release(&members->magic, MEMBERS_MAGIC, SHARED_MEMBERS);
	return 0;
leave:
	shared_leave(shared);
	sys_munmap(members, SHARED_MEMBERS_BYTES);
	return ret;
}

/* Leaves the part of a table that has no room yet out of core dumps, which
 * would take memory for it. */
static void dump_less(void *p, uint64_t begin, uint64_t bytes)
{
	begin = align_up(begin + SHARED_DUMP_BYTES, PAGE_BYTES);
	sys_madvise((char *)p + begin, bytes - begin, MADV_DONTDUMP);
}

/* Maps a file of exactly these bytes. */
static int shared_map(int directory, const char *name, uint64_t bytes,
		      bool ring, void **out)
{
	int fd = file_open(directory, name, O_RDWR, bytes, bytes);
	long p;

	if (fd < 0)
		return fd;
	p = channel_map(bytes, fd, ring);
	sys_close(fd);
	if (p < 0 && p > -4096)
		return (int)p;
	*out = (void *)p;
	return 0;
}

/*
 * Locks and maps the members. The mapping keeps the lock, in forked children,
 * too: a command that gets an exclusive lock knows that no process has joined.
 * With that lock it removes the files, so they are all there, or no name is.
 */
static int members_map(struct shared *shared, int directory)
{
	struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	int fd = file_open(directory, "members", O_RDWR, SHARED_MEMBERS_BYTES,
			   SHARED_MEMBERS_BYTES);
	int ret = fd, tries = LOCK_TRIES;
	struct stat st;
	long p;

	if (fd < 0)
		return fd;
	/* a command holds it for an instant */
	while ((ret = (int)sys2(SYS_flock, fd, LOCK_SH | LOCK_NB)) == -EAGAIN &&
	       --tries)
		sys2(SYS_nanosleep, &pause, NULL);
	if (!ret)
		ret = (int)sys2(SYS_fstat, fd, &st);
	if (!ret && !st.st_nlink)
		ret = -ENOENT;
	if (ret)
		goto close;
	p = sys_mmap(shared->members, SHARED_MEMBERS_BYTES,
		     PROT_READ | PROT_WRITE,
		     shared->members ? MAP_SHARED | MAP_FIXED : MAP_SHARED, fd,
		     0);
	if (p < 0 && p > -4096)
		ret = (int)p;
	else
		shared->members = (struct members_page *)p;
	if (!ret)
		dump_less(shared->members, STAGED_BEGIN, SHARED_MEMBERS_BYTES);
close:
	sys_close(fd);
	return ret;
}

static int rings_map(struct shared *shared, int directory, uint32_t cpus,
		     uint32_t bytes)
{
	char name[32];
	struct text text;
	void *p;
	int ret = 0;

	for (; shared->cpus < cpus; shared->cpus++) {
		ring_name(&text, name, sizeof(name), shared->cpus);
		ret = shared_map(directory, name,
				 RING_DATA_OFFSET + (uint64_t)bytes, true, &p);
		if (ret)
			break;
		shared->rings[shared->cpus] = p;
	}
	return ret;
}

int shared_join(struct shared *shared, const char *directory)
{
	int fd = file_open_directory(AT_FDCWD, directory);
	const struct members_page *members;
	uint32_t bytes, cpus;
	void *p;
	int ret = fd;

	if (fd < 0)
		return ret;
	text_copy(shared->directory, sizeof(shared->directory), directory);
	ret = members_map(shared, fd);
	if (ret)
		goto close;
	members = shared->members;
	shared->cpus = 0;
	if (load_acquire(&members->magic, SHARED_MEMBERS) != MEMBERS_MAGIC ||
	    members->version != SESSION_VERSION) {
		ret = -EPROTO;
		goto leave;
	}
	bytes = load_relaxed(&members->ring_bytes);
	cpus = load_relaxed(&members->cpus);
	ret = -EBADMSG;
	if (bytes < RING_LEAST_BYTES || bytes > RING_MAX_BYTES ||
	    bytes & (bytes - 1) || cpus > CHANNEL_CPUS_MAX)
		goto leave;
	/* and for the session's own page */
	ret = channel_space_admit(cpus * (RING_DATA_OFFSET + (uint64_t)bytes) +
				  TYPES_BYTES + CHANNEL_AREA_BYTES);
	if (!ret)
		ret = shared_map(fd, "process", sizeof(*shared->page), false,
				 &p);
	if (ret)
		goto leave;
	shared->page = p;
	ret = shared_map(fd, "session.0", TYPES_BYTES, false, &p);
	if (ret)
		goto leave;
	shared->types = p;
	dump_less(p, EVENT_RECORDS_OFFSET, TYPES_BYTES);
	shared->ring_bytes = bytes;
	ret = rings_map(shared, fd, cpus, bytes);
	if (!ret && load_relaxed(&members->given) >= SHARED_SLOTS / 2)
		/* without room, later processes have no name */
		shared_allocate(shared);
	if (!ret)
		goto close;
leave:
	shared_leave(shared);
close:
	sys_close(fd);
	return ret;
}

uint32_t shared_enter(struct shared *shared, const struct process_page *page)
{
	struct members_page *members = shared->members;
	uint64_t given = __atomic_fetch_add(&members->given, 1,
					    __ATOMIC_RELAXED);
	struct shared_member *member;

	/* the place of a parent may be in use there */
	shared->staged_bytes = 0;
	shared->member = NULL;
	shared->number = (uint32_t)given + 1;
	if (given >= SHARED_MEMBERS ||
	    (given >= SHARED_SLOTS && !shared_allocated(shared)))
		return shared->number;
	member = &members->members[given];
	member->pid = page->pid;
	member->starttime = page->starttime;
	member->identity = page->identity;
	__builtin_memcpy(member->name, page->procname, sizeof(member->name));
	store_release(&member->state, MEMBER_JOINED, MEMBER_STATE);
	shared->member = member;
	return shared->number;
}

void shared_leave(struct shared *shared)
{
	uint64_t bytes = RING_DATA_OFFSET + (uint64_t)shared->ring_bytes;

	while (shared->cpus)
		sys_munmap(shared->rings[--shared->cpus], bytes);
	if (shared->types)
		sys_munmap(shared->types, TYPES_BYTES);
	if (shared->page)
		sys_munmap(shared->page, sizeof(*shared->page));
	shared->types = NULL;
	shared->page = NULL;
	if (shared->members)
		channel_retire(shared->members, SHARED_MEMBERS_BYTES);
}

/*
 * Copies the description that `types` names into the table, if there is one,
 * and moves the ends behind it. SHARED-TYPES: the same bytes go to the same
 * place, whichever process copies them and how late: no process changes a
 * description once `types` has named it.
 */
static void types_help(struct shared *shared, uint64_t types)
{
	struct members_page *members = shared->members;
	uint32_t staged = TYPES_STAGED(types);
	uint64_t end = TYPES_END(types), next;
	const struct event_record *record =
		(const struct event_record *)((const char *)members + staged);
	uint64_t bytes;

	if (!staged)
		return;
	/* no access outside the mappings, whatever is there */
	if (staged < STAGED_BEGIN || staged % 8 ||
	    staged > SHARED_MEMBERS_BYTES - sizeof(*record))
		return;
	bytes = load_relaxed(&record->bytes);
	if (bytes > SHARED_MEMBERS_BYTES - staged || bytes % 8 ||
	    end + bytes > SHARED_TYPES_BYTES)
		return;
	__builtin_memcpy((char *)shared->types + EVENT_RECORDS_OFFSET + end,
			 record, bytes);
	next = end;
	__atomic_compare_exchange_n(&shared->types->record_bytes, &next,
				    end + bytes, 0, RELEASE(SESSION_RECORDS),
				    __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(&members->types, &types, end + bytes, 0,
				    RELEASE(SHARED_TYPES), __ATOMIC_RELAXED);
}

uint64_t shared_types_end(struct shared *shared)
{
	types_help(shared, load_acquire(&shared->members->types, SHARED_TYPES));
	return min_u64(load_acquire(&shared->types->record_bytes,
				    SESSION_RECORDS), SHARED_TYPES_BYTES);
}

int shared_type_add(struct shared *shared, uint64_t end,
		    const struct event_record *model, const char *text,
		    uint32_t text_bytes)
{
	uint32_t bytes = (uint32_t)align_up(sizeof(*model) + text_bytes, 8);
	struct event_record *record;
	uint64_t before = end, at;

	if (text_bytes > UINT16_MAX || end + bytes > SHARED_TYPES_BYTES)
		return -ENOSPC;
	/* a place that no other process has */
	if (shared->staged_bytes < bytes) {
		at = __atomic_fetch_add(&shared->members->staged, bytes,
					__ATOMIC_RELAXED);
		if (at > SHARED_STAGED_BYTES - bytes)
			return -ENOSPC;
		shared->staged = STAGED_BEGIN + (uint32_t)at;
		shared->staged_bytes = bytes;
	}
	/* SHARED_TYPES: a process that copies it finds the room allocated */
	if (room_allocate(shared, ROOM_STAGED,
			  shared->staged - STAGED_BEGIN + bytes) ||
	    room_allocate(shared, ROOM_TYPES, end + bytes))
		return -ENOSPC;
	record = (struct event_record *)((char *)shared->members +
					 shared->staged);
	*record = *model;
	record->bytes = bytes;
	record->text_bytes = (uint16_t)text_bytes;
	record->oversize = 0;
	__builtin_memcpy(record->text, text, text_bytes);
	if (!__atomic_compare_exchange_n(&shared->members->types, &before,
					 end | (uint64_t)shared->staged << 32,
					 0, ACQ_REL(SHARED_TYPES),
					 ACQUIRE(SHARED_TYPES)))
		return -EAGAIN;
	shared->staged_bytes = 0;
	types_help(shared, end | (uint64_t)shared->staged << 32);
	return 0;
}
