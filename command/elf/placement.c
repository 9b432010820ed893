/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where jumps of USDT probes would go. See placement.h.
 */
#include "command/elf/placement.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"

#define LEAD_BYTES	14	/* as in usdt/place/place-x86_64.c */
#define GROWTH		(256ull << 20)
#define USER_END	((1ull << 47) - 4096)

static int compare(const void *left, const void *right)
{
	const struct usdt_plan *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Returns the placement of a probe without a plan: a trap, or perhaps one byte.
 * One byte is excluded when another probe lies in the bytes of the operand. */
static enum marker_placement unplanned(const struct usdt_plan *own,
				       const struct usdt_plan *end)
{
	const struct usdt_plan *next = own;

	if (own->reason == USDT_NO_NOP)
		return PLACED_NOT;
	while (next < end && next->address == own->address)
		next++;
	return next < end && next->address - own->address < USDT_JUMP_BYTES ?
		       PLACED_INT3 :
		       PLACED_BYTE_OR_INT3;
}

static void say(struct marker *m, struct usdt_plan *plans, size_t n,
		const struct usdt_image *image)
{
	const struct usdt_plan *own =
		&plans[usdt_plans_before(plans, n, m->address)];
	const struct usdt_plan *plan = usdt_plan_for(plans, n, m->address);
	const uint8_t *code = usdt_image_at(image, m->address, USDT_JUMP_BYTES,
					    PF_X, NULL);

	m->placement = plan && plan->beside ? PLACED_MERGED :
		       plan		    ? PLACED_EITHER :
		       code		    ? unplanned(own, plans + n) :
					      PLACED_NOT;
	if (!plan)
		m->why = usdt_reason_text(own->reason ? own->reason :
							USDT_OVERLAPS);
	if (code)
		memcpy(&m->operand, code + 1, sizeof(m->operand));
}

static void plan_all(struct marker_list *list, size_t from,
		     const struct usdt_file *file)
{
	size_t n = 0, room = list->count - from;
	struct usdt_plan *plans = calloc(room ? room : 1, sizeof(*plans));
	struct usdt_image image;

	if (!plans || usdt_image_open(&image, file)) {
		free(plans);
		return;
	}
	for (size_t i = from; i < list->count; i++)
		if (list->markers[i].kind == MARKER_USDT)
			plans[n++].address = list->markers[i].address;
	qsort(plans, n, sizeof(*plans), compare);
	usdt_plan(file, usdt_zydis(), plans, n);
	for (size_t i = from; i < list->count && n; i++)
		if (list->markers[i].kind == MARKER_USDT)
			say(&list->markers[i], plans, n, &image);
	free(plans);
}

/* Maps a file as it is on disk: the kernel writes uprobes into private mappings
 * also of processes that only read. Some file systems have no shared ones. */
static void *file_map(int fd, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);

	return p != MAP_FAILED ? p :
	       mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
}

void placement_plan(struct marker_list *list, size_t from, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct usdt_file file = { NULL, 0 };
	struct stat st;
	void *p;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size > 0) {
		file.size = (uint64_t)st.st_size;
		p = file_map(fd, file.size);
		if (p != MAP_FAILED) {
			file.bytes = p;
			plan_all(list, from, &file);
			munmap(p, file.size);
		}
	}
	close(fd);
}

/* A mapping of a process; heap and stack include the room to grow. */
struct map {
	uint64_t start, end;
};

/* Adds a mapping. Returns false without memory. */
static bool map_add(struct map **maps, size_t *n, struct map m)
{
	struct map *more = reallocarray(*maps, *n + 1, sizeof(**maps));

	if (!more)
		return false;
	*maps = more;
	more[(*n)++] = m;
	return true;
}

/* Returns where the heap of a process begins, 0 if it is not known. There is no
 * mapping before the program asks for memory. */
static uint64_t heap_start(pid_t pid)
{
	unsigned long long start = 0;
	char path[32], text[2048];
	const char *p;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = '\0';
	/* field 47; the second one, which may have blanks, ends in ')' */
	p = strrchr(text, ')');
	for (int field = 2; p && field < 47; field++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, "%llu", &start) != 1)
		return 0;
	return start;
}

static struct map *maps_read(pid_t pid, size_t *count)
{
	struct map *maps = NULL, m;
	uint64_t heap = heap_start(pid);
	char path[32], *line = NULL;
	size_t room = 0, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &m.start, &m.end) != 2)
			continue;
		if (strstr(line, "[heap]"))
			m.end += GROWTH;
		if (strstr(line, "[stack]"))
			m.start = m.end - GROWTH;
		if (!map_add(&maps, &n, m))
			break;
	}
	if (heap)
		map_add(&maps, &n, (struct map){ heap, heap + GROWTH });
	free(line);
	if (f)
		fclose(f);
	*count = n;
	return maps;
}

/* Returns true where a process cannot map a page: code of a program that is
 * not relocated is so low that an operand may lead below address 0. */
static bool is_nowhere(uint64_t start, uint64_t end)
{
	return start >= USER_END || end > USER_END || end < start;
}

static void settle(struct marker *m, const struct map *maps, size_t n)
{
	uint64_t lead = m->address + USDT_JUMP_BYTES +
			(uint64_t)(int64_t)m->operand;
	uint64_t start = lead & ~4095ull;
	uint64_t end = (lead + LEAD_BYTES + 4095) & ~4095ull;

	if (m->placement != PLACED_EITHER &&
	    m->placement != PLACED_BYTE_OR_INT3)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!is_nowhere(start, end) &&
		    (start >= maps[i].end || end <= maps[i].start))
			continue;
		m->placement = m->placement == PLACED_EITHER ? PLACED_JUMP :
							       PLACED_INT3;
		return;
	}
	m->placement = PLACED_BYTE;
	m->why = NULL;
}

void placement_settle(struct marker_list *list, pid_t pid)
{
	size_t n;
	struct map *maps = maps_read(pid, &n);

	for (size_t i = 0; n && i < list->count; i++)
		settle(&list->markers[i], maps, n);
	free(maps);
}

const char *placement_text(enum marker_placement placement)
{
	static const char *const texts[] = {
		[PLACED_UNSAID] = "",
		[PLACED_BYTE] = "byte",
		[PLACED_JUMP] = "jump",
		[PLACED_MERGED] = "merged",
		[PLACED_EITHER] = "byte or jump",
		[PLACED_INT3] = "int3",
		[PLACED_BYTE_OR_INT3] = "byte or int3",
		[PLACED_NOT] = "not",
	};

	return texts[placement];
}
