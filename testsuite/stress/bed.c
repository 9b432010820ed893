/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting up channels and slots without an agent.
 */
#include "testsuite/stress/bed.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host.h"
#include "base/sys.h"
#include "buffers/clock.h"

struct bed bed;

/* The agent makes rings in a thread of its own; a test has descriptors. */
static int run_here(int (*fn)(void *arg), void *arg)
{
	return fn(arg);
}

int bed_enter(uint32_t number)
{
	struct process_page *page = sys_map_anonymous(4096);
	unsigned int i;

	if (!page)
		return -ENOMEM;
	snprintf(process.directory, sizeof(process.directory), "%s/%u",
		 bed.base, number);
	if (mkdir(process.directory, 0700))
		return -errno;
	page->version = LAYOUT_VERSION;
	page->pid = (uint32_t)getpid();
	page->image = number;
	page->state = PROCESS_RUNNING;
	page->clock_kind = (uint32_t)clock_kind();
	for (i = 0; i < sizeof(page->uuid); i++)
		page->uuid[i] = (uint8_t)(number + 31 * i);
	store_release(&page->magic, PROCESS_MAGIC, PROCESS_PAGE);
	process.page = page;
	return 0;
}

int bed_open(const char *clock, int rseq)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	int works;
	int ret = channels_setup();

	if (ret)
		return ret;
	clock_select(clock);
	clock_settle(0);
	works = write_rseq_test();
	host_setup();
	bed.first_locked = cpus;
	bed.cpus = rseq && works && clock_kind() == CLOCK_KIND_TSC ? cpus : 0;
	snprintf(bed.base, sizeof(bed.base), "/dev/shm/taffrail-stress-%d",
		 getpid());
	if (mkdir(bed.base, 0700))
		return -errno;
	channel_run_aside = run_here;
	sys_membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
	return bed_enter(0);
}

int bed_channel(struct channel *channel, uint32_t index, uint32_t flags,
		uint32_t contexts, uint64_t ring_bytes)
{
	int ret = channel_create(channel, index, "stress", flags, contexts,
				 ring_bytes, bed.cpus);

	if (!ret)
		channel_start(channel, bed.first_locked);
	return ret ? ret : -(int)channel->page->roomless;
}

static void channel_unlink(uint32_t index)
{
	char path[BED_PATH_BYTES + 96];
	uint32_t i;

	snprintf(path, sizeof(path), "%s/session.%u", process.directory, index);
	unlink(path);
	for (i = 0; i < bed.first_locked; i++) {
		snprintf(path, sizeof(path), "%s/ring.%u.%u",
			 process.directory, index, i);
		unlink(path);
	}
	for (i = 0; i < LOCKED_MAX; i++) {
		snprintf(path, sizeof(path), "%s/ring.%u.L%u",
			 process.directory, index, i);
		unlink(path);
	}
}

int bed_channel_end(struct channel *channel)
{
	int ret;

	channel_stop(channel);
	ret = channel_grace(channel);
	if (ret)
		return ret;
	channel_destroy(channel);
	channel_unlink(channel->index);
	return 0;
}

void bed_slot(struct write_slot *slot, const struct write_shape *shape)
{
	memset(slot, 0, sizeof(*slot));
	slot->hit = write_nothing;
	slot->rings[WRITE_COMPACT] = &rings_off;
	slot->rings[WRITE_WIDE] = &rings_off;
	slot->shape = shape;
	slot->fixed_bytes = shape->fixed_bytes;
}

void bed_slot_off(struct write_slot *slot)
{
	store_release(&slot->rings[WRITE_COMPACT], &rings_off, WRITE_SLOT);
	store_release(&slot->rings[WRITE_WIDE], &rings_off, WRITE_SLOT);
	/* WRITE-SLOT: no section goes on with the old rings */
	sys_membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
	store_release(&slot->hit, write_nothing, SITE_HIT);
}

void bed_slot_on(struct write_slot *slot, struct channel *channel, uint32_t id)
{
	int header;
	uint64_t step;
	write_fn *hit;

	id += channel->flags & BED_WIDE ? BED_WIDE_ID : 0;
	header = write_header_of(id);
	hit = write_choose(slot->shape, channel, id, &step);
	store_relaxed(&slot->id, id);
	store_relaxed(&slot->step, step);
	store_release(&slot->hit, hit, SITE_HIT);
	/* WRITE-SLOT: all the rest is set */
	store_release(&slot->rings[header], channel->rings, WRITE_SLOT);
}

void *bed_map(const char *name, uint64_t *bytes)
{
	char path[BED_PATH_BYTES + 96];
	struct stat st;
	void *p;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", bed.base, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	p = fstat(fd, &st) || !st.st_size ?
		    MAP_FAILED :
		    mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
	close(fd);
	*bytes = (uint64_t)st.st_size;
	return p == MAP_FAILED ? NULL : p;
}

static int path_remove(const char *path, const struct stat *st, int type,
		       struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

void bed_clear(const char *path)
{
	if (nftw(path, path_remove, 8, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
		fprintf(stderr, "# cannot remove %s\n", path);
}

void bed_remove(uint32_t number)
{
	char path[BED_PATH_BYTES + 16];

	snprintf(path, sizeof(path), "%s/%u", bed.base, number);
	bed_clear(path);
}

void bed_close(void)
{
	bed_clear(bed.base);
}
