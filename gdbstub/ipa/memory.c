/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory for a gdbserver that may attach at any time: the heap, the jump
 * pads, and the agent's part.
 */
#include "gdbstub/ipa/ipa.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"

#define VISIBLE		__attribute__((visibility("default"), used))
#define PARTS		8		/* one more for each killed gdbserver */
#define HEAP_BYTES	(PARTS * 8ull << 20) /* gdbserver frees none of it */
#define PADS_BYTES	(PARTS << 19)	/* nor of this */
#define ERROR_BYTES	128
#define PADS_STEP	(1ull << 20)
#define PADS_ABOVE	(512ull << 20)	/* leaves the heap room to grow */
#define PADS_REACH	(1ull << 30)

VISIBLE char *gdb_agent_gdb_tp_heap_buffer;
VISIBLE char *gdb_agent_gdb_jump_pad_buffer;
VISIBLE char *gdb_agent_gdb_jump_pad_buffer_end;
VISIBLE char *gdb_agent_gdb_trampoline_buffer;
VISIBLE char *gdb_agent_gdb_trampoline_buffer_end;
VISIBLE char *gdb_agent_gdb_trampoline_buffer_error;

struct ipa *ipa;
uint8_t *ipa_frame;
uint8_t *ipa_text;

static const char *heap_end;

/* The pads, and behind them the cells. */
#define NEAR_BYTES	(PADS_BYTES + IPA_CELLS * sizeof(struct ipa_cell))

/* Maps the pads and the cells at exactly this address. Returns NULL when
 * something is there. */
static char *pads_at(uint64_t address)
{
	long p = sys_mmap(address, NEAR_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				  MAP_FIXED_NOREPLACE,
			  -1, 0);

	if (p == (long)address &&
	    !sys_mprotect(p, PADS_BYTES, PROT_READ | PROT_EXEC))
		return (char *)p;
	if (p > 0)
		sys_munmap(p, NEAR_BYTES);
	return NULL;
}

bool ipa_is_pad(const uint8_t *code)
{
	return code < (const uint8_t *)gdb_agent_gdb_jump_pad_buffer_end &&
	       code >= (const uint8_t *)gdb_agent_gdb_jump_pad_buffer_end -
			       PADS_BYTES;
}

bool ipa_is_current(const struct ipa_point *point)
{
	return (const char *)point >= gdb_agent_gdb_tp_heap_buffer;
}

bool ipa_is_point(const struct ipa_point *point)
{
	return ipa_is_current(point) &&
	       (const char *)point < heap_end - sizeof(*point);
}

void ipa_move_on(void)
{
	if (gdb_agent_gdb_jump_pad_buffer + PADS_BYTES / PARTS ==
	    gdb_agent_gdb_jump_pad_buffer_end)
		return;
	gdb_agent_gdb_jump_pad_buffer += PADS_BYTES / PARTS;
	gdb_agent_gdb_tp_heap_buffer += HEAP_BYTES / PARTS;
}

/* Maps memory that takes none until it is used. Returns NULL without room. */
static void *room_map(uint64_t bytes)
{
	long p = sys_mmap(0, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

/* One mapping for the data of gdbserver and of the agent. A child inherits it:
 * when gdb follows the child, gdbserver reads the mapping there, and dies if it
 * cannot. Pages that gdbserver has not used are not copied. */
struct memory {
	char heap[HEAP_BYTES];		/* or a half, and pads and cells */
	uint8_t buffer[IPA_BUFFER_BYTES];
	uint8_t frame[IPA_FRAME_BYTES];
	uint8_t text[IPA_TEXT_BYTES];
	struct ipa_marker markers[IPA_MARKERS_MAX];
	struct ipa_kept kept;
	char error[ERROR_BYTES];
};

COLD struct ipa *ipa_memory_map(struct ipa_rooms *rooms)
{
	struct ipa *page = room_map(4096);
	struct memory *memory = room_map(sizeof(*memory));
	uint64_t base = getauxval(AT_PHDR) & ~4095ull;
	char *pads = NULL;
	uint64_t step;

	if (!page || !memory)
		return NULL;
	sys_madvise(page, 4096, MADV_WIPEONFORK);
	sys_madvise(memory, sizeof(*memory), MADV_DONTDUMP);
	ipa_frame = memory->frame;
	ipa_text = memory->text;
	gdb_agent_gdb_tp_heap_buffer = memory->heap;
	heap_end = memory->heap + HEAP_BYTES;
	gdb_agent_gdb_trampoline_buffer_error = memory->error;
	/* near the executable: the pads must be within reach of it. In less
	 * than their own size below it there is no room. */
	for (step = align_up(NEAR_BYTES, PADS_STEP);
	     !pads && step < PADS_REACH && step < base; step += PADS_STEP)
		pads = pads_at(base - step);
	for (step = PADS_ABOVE; !pads && step < PADS_REACH; step += PADS_STEP)
		pads = pads_at(base + step);
	/* too far away: gdbserver says so, and writes no jump to these pads
	 * except from cells */
	if (!pads) {
		heap_end -= HEAP_BYTES / 2;
		pads = memory->heap + HEAP_BYTES / 2;
	}
	gdb_agent_gdb_jump_pad_buffer = pads;
	gdb_agent_gdb_jump_pad_buffer_end = pads + PADS_BYTES;
	rooms->buffer = memory->buffer;
	rooms->markers = memory->markers;
	rooms->kept = &memory->kept;
	rooms->cells = (struct ipa_cell *)gdb_agent_gdb_jump_pad_buffer_end;
	return page;
}
