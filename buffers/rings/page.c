/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that readers map: rings; and session pages, with the description of a
 * session and the event records.
 *
 * Invariant: the address of a channel's page never changes, because event
 * shapes point to counters in it, and late threads may still look there. So
 * address space for the largest page is reserved at first, and the file grows
 * into it. Each part of the file is allocated before it is mapped.
 *
 * Rings of more than the default size lie far from the program's libraries,
 * whose functions need the addresses around them: jumps there lead to code in
 * reach (tracepoints/usdt/jumps/near-x86_64.c), and those of which one byte is
 * given lead to some 16 MiB alone.
 */
#include "buffers/rings/private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/file.h"
#include "base/mappings.h"
#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/ctf.h"

#define PAGE_BYTES	4096
#define FAR_SLOTS	1024u	/* addresses that are tried for a ring */

uint32_t channel_group;

long channel_map(uint64_t bytes, int fd, bool ring)
{
	uint64_t slot = 2ull * RING_MAX_BYTES;
	long p = -ENOMEM, beside = 0;

	if (ring && bytes > RING_DATA_OFFSET + RING_DEFAULT_MAX_BYTES)
		beside = sys_mmap(NULL, PAGE_BYTES, PROT_NONE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (beside > 0)
		sys_munmap(beside, PAGE_BYTES);
	for (uint64_t i = 4; p < 0 && beside > 0 && i < FAR_SLOTS &&
			     (uint64_t)beside / slot > i; i++)
		p = sys_mmap((uint64_t)beside / slot * slot - i * slot, bytes,
			     PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	return p > 0 ? p : sys_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				    MAP_SHARED, fd, 0);
}

/* Allocates bytes [from, ahead) of a file, or to `to`, and maps all up to `to`:
 * at *out if not NULL. */
static int file_extend(int fd, uint64_t from, uint64_t ahead, uint64_t to,
		       void **out)
{
	int ret = (int)sys_fallocate(fd, 0, from, min_u64(ahead, to) - from);
	long p;

	if (!ret && ahead < to)
		ret = (int)sys2(SYS_ftruncate, fd, to);
	if (ret)
		return ret;
	p = *out ? sys_mmap(*out, to - from, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, fd, from) :
		   channel_map(to, fd, true);
	if (p < 0 && p > -4096)
		return (int)p;
	*out = (void *)p;
	return 0;
}

/* Makes a file of so many bytes, allocates the first `ahead`, and maps it: at
 * *out if that is not NULL. */
static int file_map(const char *path, uint64_t ahead, uint64_t bytes,
		    void **out)
{
	int fd = file_make(AT_FDCWD, path, O_RDWR);
	int ret;

	if (fd < 0)
		return fd;
	/* no rights without the group: another group would get them */
	if (channel_group && !sys3(SYS_fchown, fd, -1, channel_group))
		sys2(SYS_fchmod, fd, 0660);
	ret = file_extend(fd, 0, ahead, bytes, out);
	if (ret)
		sys_unlink(path);
	sys_close(fd);
	return ret;
}

int channel_file_map(const char *path, uint64_t ahead, uint64_t bytes,
		     void **out)
{
	*out = NULL;
	return file_map(path, ahead, bytes, out);
}

void channel_ring_init(struct ring *ring, uint32_t flags, const uint8_t *uuid,
		       uint32_t cpu, uint64_t instance, uint32_t bytes)
{
	struct packet_head *first;

	ring->head = PACKET_HEAD_BYTES;
	ring->ts_limit = 1;	/* the first event has the whole clock */
	ring->cpu = cpu;
	ring->flags = flags;
	ring->sub_bytes = bytes / RING_SUB_BUFFERS;
	ring->ring_bytes = bytes;
	ring->stream_instance_id = instance;
	__builtin_memcpy(ring->uuid, uuid, 16);
	ring->version = LAYOUT_VERSION;
	first = (struct packet_head *)((char *)ring + RING_DATA_OFFSET);
	first->magic = CTF_PACKET_MAGIC;
	__builtin_memcpy(first->uuid, ring->uuid, 16);
	first->stream_instance_id = instance;
	first->timestamp_begin = clock_read();
	first->cpu_id = cpu;
	store_release(&ring->magic, RING_MAGIC, RING_CONSTANTS);
}

void channel_retire(void *p, uint64_t bytes)
{
	sys_mmap(p, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

int channel_space_admit(uint64_t bytes)
{
	struct rlimit limit;
	char text[32] = "";
	const char *pages = text;
	uint64_t used;
	int fd;

	if (sys4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) ||
	    limit.rlim_cur == RLIM_INFINITY)
		return 0;
	/* the process's mappings; 0 when that is not known */
	fd = (int)sys_open("/proc/self/statm", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	sys3(SYS_read, fd, text, sizeof(text) - 1);
	sys_close(fd);
	used = (uint64_t)text_number(&pages) * PAGE_BYTES;
	bytes += max_u64(limit.rlim_cur / RESERVE_PART, RESERVE_SPACE_BYTES);
	return used && used + bytes > limit.rlim_cur ? -ENOMEM : 0;
}

static int area_reserve(struct channel *channel)
{
	long p;
	int ret;

	if (channel->area)
		return 0;
	ret = channel_space_admit(CHANNEL_AREA_BYTES);
	if (ret)
		return ret;
	p = sys_mmap(0, CHANNEL_AREA_BYTES, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p < 0 && p > -4096)
		return (int)p;
	channel->area = (struct session_page *)p;
	return 0;
}

/*
 * Returns the bytes of whole records that the channel's mapping of the page
 * has. In a forked child the page is the parent's: the parent may have added
 * records since, and have made the file longer than the mapping.
 */
static uint64_t records_mapped(const struct channel *channel)
{
	const char *records = (const char *)channel->page +
			      EVENT_RECORDS_OFFSET;
	uint64_t room = channel->page_bytes - EVENT_RECORDS_OFFSET;
	uint64_t bytes = load_acquire(&channel->page->record_bytes,
				      SESSION_RECORDS);
	const struct event_record *record;
	uint64_t at = 0;

	while (bytes > room && room - at >= sizeof(*record)) {
		record = (const struct event_record *)(records + at);
		if (!record->bytes || record->bytes > room - at)
			break;
		at += record->bytes;
	}
	return bytes > room ? at : bytes;
}

static void records_copy(struct session_page *to,
			 const struct session_page *from, uint64_t bytes)
{
	char *records = (char *)to + EVENT_RECORDS_OFFSET;
	uint64_t at = 0;

	__builtin_memcpy(records, (const char *)from + EVENT_RECORDS_OFFSET,
			 bytes);
	while (at < bytes) {
		struct event_record *record =
			(struct event_record *)(records + at);

		record->oversize = 0;
		at += record->bytes;
	}
	to->record_bytes = bytes;
	to->left_off = from->left_off;
	to->asked_bytes = from->asked_bytes;
	to->small_error = from->small_error;
	to->started = from->started;
	to->changed = from->changed;
}

/* Returns the bytes of a page with room for so many bytes of records. */
static uint64_t page_bytes(uint64_t records)
{
	uint64_t room = RECORDS_MIN_BYTES;

	while (room < records)
		room *= 2;
	return EVENT_RECORDS_OFFSET + min_u64(room, RECORDS_MAX_BYTES);
}

/* The same, for a file system with little room. */
static uint64_t page_bytes_least(uint64_t records)
{
	return EVENT_RECORDS_OFFSET + align_up(records ? records : 1, 4096);
}

/* Programs that the process has executed before are no concern of the
 * session. */
static void lacking_begin(struct lacking_counts *before,
			  const struct process_page *now)
{
	if (!now)
		return;
	before->filtered = load_relaxed(&now->filtered_execs);
	before->lacking = load_relaxed(&now->lacking_execs);
	before->away = load_relaxed(&now->away_execs);
	for (uint32_t i = 0; i < LACKING_NOTES; i++)
		before->times[i] = load_relaxed(&now->lacking[i].times);
}

static void page_fill(struct session_page *page, const struct channel *channel,
		      const char *name, const struct process_page *now)
{
	page->version = SESSION_VERSION;
	page->index = channel->index;
	page->state = SESSION_STOPPED;
	page->making = 1;
	page->flags = channel->flags;
	page->contexts = channel->contexts;
	page->sub_bytes = channel->sub_bytes;
	page->ring_bytes = channel->ring_bytes;
	/* of the parent, in a forked child */
	page->keep_ns = 0;
	page->keep_error = 0;
	page->removals = 0;
	__builtin_memset(page->removed, 0, sizeof(page->removed));
	if (!page->asked_bytes)
		page->asked_bytes = channel->ring_bytes;
	text_copy(page->name, sizeof(page->name), name);
	lacking_begin(&page->before, now);
	store_release(&page->magic, SESSION_MAGIC, SESSION_PAGE);
}

/* A channel that already has a page keeps the records: in a forked child, the
 * parent's page. Returns -ECANCELED where the parent's session has ended. */
int channel_page_make(struct channel *channel, const char *name,
		      const struct process_page *now)
{
	struct session_page *old = channel->page;
	uint64_t records = old ? records_mapped(channel) : 0;
	/* most members of a session with shared rings use few of its types */
	uint64_t bytes = channel->flags & SESSION_SHARED ?
				 page_bytes_least(records) :
				 page_bytes(records);
	struct text text;
	char path[320];
	void *page;
	long moved;
	int ret;

	channel_path(channel, "/session.", "", -1, &text, path, sizeof(path));
	if (text.cut)
		return -ENAMETOOLONG;
	ret = area_reserve(channel);
	/* an old one is there, and is copied first */
	page = old ? NULL : channel->area;
	if (!ret)
		ret = file_map(path, bytes, bytes, &page);
	if (ret && channel->area) {
		bytes = page_bytes_least(records);
		ret = file_map(path, bytes, bytes, &page);
	}
	if (ret)
		return ret;
	if (old)
		records_copy(page, old, records);
	page_fill(page, channel, name, now);
	if (!old)
		goto done;
	__atomic_thread_fence(SEQ_CST(SESSION_ENDED));
	if (load_relaxed(&old->flags) & SESSION_ENDED) {
		sys_munmap(page, bytes);
		sys_unlink(path);
		return -ECANCELED;
	}
	moved = sys5(SYS_mremap, page, bytes, bytes,
		     MREMAP_MAYMOVE | MREMAP_FIXED, channel->area);
	if (moved < 0 && moved > -4096) {
		sys_munmap(page, bytes);
		sys_unlink(path);
		return (int)moved;
	}
	mapping_forget((uint64_t)page, bytes);
done:
	channel->page = channel->area;
	channel->page_bytes = bytes;
	return 0;
}

void channel_page_end(struct channel *channel)
{
	if (channel->page)
		__atomic_fetch_or(&channel->page->flags, SESSION_ENDED,
				  SEQ_CST(SESSION_ENDED));
}

/* Makes room for `records` bytes of records. */
static int page_grow(struct channel *channel, uint64_t records)
{
	uint64_t bytes = page_bytes(records);
	void *more = (char *)channel->area + channel->page_bytes;
	struct text text;
	char path[320];
	int ret, fd;

	if (records > RECORDS_MAX_BYTES)
		return -ENOSPC;
	channel_path(channel, "/session.", "", -1, &text, path, sizeof(path));
	/* only a file of the right size: another file there would be mapped
	 * behind the page */
	fd = file_open(AT_FDCWD, path, O_RDWR, channel->page_bytes, bytes);
	if (fd < 0)
		return fd;
	ret = file_extend(fd, channel->page_bytes, bytes, bytes, &more);
	if (ret) {
		bytes = page_bytes_least(records);
		ret = file_extend(fd, channel->page_bytes, bytes, bytes, &more);
	}
	sys_close(fd);
	if (!ret)
		channel->page_bytes = bytes;
	return ret;
}

struct event_record *channel_record_add(struct channel *channel,
					const struct event_record *model,
					const char *text, uint32_t text_bytes)
{
	struct session_page *page = channel->page;
	uint64_t used = page->record_bytes;
	uint32_t bytes = (uint32_t)align_up(sizeof(*model) + text_bytes, 8);
	struct event_record *record;

	if (text_bytes > UINT16_MAX ||
	    (EVENT_RECORDS_OFFSET + used + bytes > channel->page_bytes &&
	     page_grow(channel, used + bytes)))
		return NULL;
	record = (struct event_record *)((char *)page + EVENT_RECORDS_OFFSET +
					 used);
	*record = *model;
	record->bytes = bytes;
	record->text_bytes = (uint16_t)text_bytes;
	record->oversize = 0;
	__builtin_memcpy(record->text, text, text_bytes);
	store_release(&page->record_bytes, used + bytes, SESSION_RECORDS);
	return record;
}
