/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where jumps of USDT probes would go. See placement.h.
 */
#include "command/elf/placement.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracepoints/usdt/plan/plan.h"

#define LEAD_BYTES	14	/* as in usdt/place/place-x86_64.c */
#define GROWTH		(256ull << 20)
#define USER_END	((1ull << 47) - 4096)

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

static void settle_probe(struct marker *m, const struct map *maps, size_t n)
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
		settle_probe(&list->markers[i], maps, n);
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
