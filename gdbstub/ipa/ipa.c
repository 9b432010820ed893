/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GDB's in-process agent: the names that gdbserver asks gdb for, and the
 * memory behind them. Static tracepoints are not announced: the channel by
 * which gdbserver would ask for them hangs or aborts every release that has
 * one. `taffrail gdbserver` makes fast tracepoints of them.
 */
#include "gdbstub/ipa/ipa.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "control/sessions/session.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/lock.h"

#define VISIBLE		__attribute__((visibility("default"), used))
#define PARTS		8		/* for gdbservers that are killed */
#define HEAP_BYTES	(PARTS * 8ull << 20) /* gdbserver gives nothing back */
#define PADS_BYTES	(PARTS << 19)	/* nor here */
#define BUFFER_BYTES	(16ull << 20)
#define ERROR_BYTES	128
#define PADS_STEP	(1ull << 20)
#define PADS_ABOVE	(512ull << 20)	/* leaves the heap room to grow */
#define PADS_REACH	(1ull << 30)
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23	/* Linux 5.14 */
#endif
#define MARKERS_MAX	(1u << 16)	/* a power of two */

VISIBLE char *gdb_agent_gdb_tp_heap_buffer;
VISIBLE char *gdb_agent_gdb_jump_pad_buffer;
VISIBLE char *gdb_agent_gdb_jump_pad_buffer_end;
VISIBLE char *gdb_agent_gdb_trampoline_buffer;
VISIBLE char *gdb_agent_gdb_trampoline_buffer_end;
VISIBLE char *gdb_agent_gdb_trampoline_buffer_error;
VISIBLE void *gdb_agent_collecting;
VISIBLE struct ipa_point *gdb_agent_tracepoints;
VISIBLE struct ipa_point *gdb_agent_stopping_tracepoint;
VISIBLE struct ipa_point *gdb_agent_error_tracepoint;
VISIBLE int32_t gdb_agent_tracing;
VISIBLE int32_t gdb_agent_trace_buffer_is_full;
VISIBLE int32_t gdb_agent_expr_eval_result;
VISIBLE int32_t gdb_agent_ipa_tdesc_idx;
VISIBLE struct ipa_variable *gdb_agent_trace_state_variables;
VISIBLE int32_t gdb_agent_ust_loaded;
/* No thread has this number: gdbserver resumes what it names (0: all threads)
 * before it looks for the socket, when gdb kills the program. */
VISIBLE int32_t gdb_agent_helper_thread_id = INT32_MAX;
VISIBLE char gdb_agent_cmd_buf[IPA_COMMAND_BYTES];
VISIBLE int32_t gdb_agent_capability;

struct ipa *ipa;
uint8_t *ipa_frame;
uint8_t *ipa_text;

extern uint8_t *gdb_agent_trace_buffer_lo;
extern uint8_t *gdb_agent_trace_buffer_hi;
extern struct ipa_control gdb_agent_trace_buffer_ctrl[IPA_CONTROLS];

static struct channel *held;
static struct ipa_marker *markers;
static const char *heap_end;

/* For the conditions that gdbserver compiles: their code asks these. */
static uint64_t register_get(const uint8_t *registers, int number)
{
	static const uint8_t places[] = { 10, 11, 12, 13, 14, 15, 16, 17, 2,
					  3,  4,  5,  6,  7,  8,  9,  0,  1 };

	if (number < 0 || number >= (int)sizeof(places))
		return 0;
	return ((const uint64_t *)registers)[places[number]];
}

static int64_t variable_get(int number)
{
	int64_t value = 0;

	ipa_variable_get((uint32_t)number, &value);
	return value;
}

static void variable_set(int number, int64_t value)
{
	ipa_variable_set((uint32_t)number, value);
}

VISIBLE void (*gdb_agent_gdb_collect_ptr)(struct ipa_point *point,
					  struct ipa_registers *registers) =
	ipa_collect_entry;
VISIBLE uint64_t (*gdb_agent_get_raw_reg_ptr)(const uint8_t *registers,
					      int number) = register_get;
VISIBLE int64_t (*gdb_agent_get_trace_state_variable_value_ptr)(int number) =
	variable_get;
VISIBLE void (*gdb_agent_set_trace_state_variable_value_ptr)(int number,
							     int64_t value) =
	variable_set;

/* As gdbserver's own $trace_timestamp: microseconds of a steady clock. */
static int64_t timestamp(void)
{
	struct timespec now;

	sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

static struct ipa_variable *variable_find(uint32_t number)
{
	struct ipa_variable *variable =
		load_acquire(&gdb_agent_trace_state_variables);

	while (variable && (uint32_t)variable->number != number)
		variable = variable->next;
	return variable;
}

int ipa_variable_get(uint32_t number, int64_t *value)
{
	struct ipa_variable *variable;

	if (number == 1) {
		*value = timestamp();
		return 0;
	}
	variable = variable_find(number);
	if (variable)
		*value = load_relaxed(&variable->value);
	return variable ? 0 : -1;
}

int ipa_variable_set(uint32_t number, int64_t value)
{
	struct ipa_variable *variable = variable_find(number);

	if (variable)
		store_relaxed(&variable->value, value);
	return variable ? 0 : -1;
}

COLD int ipa_traced(void *unused)
{
	int fd = (int)sys_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	char text[4096];
	long got;
	long i;

	(void)unused;
	if (fd < 0)
		return fd;
	got = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	text[got > 0 ? got : 0] = 0;
	for (i = 0; i < got; i++) {
		const char *rest = text_after(text + i, "TracerPid:\t");

		if (rest)
			return *rest != '0';
	}
	return -ENOENT;
}

/* Pads, and behind them cells. */
#define NEAR_BYTES	(PADS_BYTES + IPA_CELLS * sizeof(struct ipa_cell))

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

/* Free memory near the executable: the pads have to be within reach of it. */
static char *pads_map(void)
{
	uint64_t base = getauxval(AT_PHDR) & ~4095ull;
	char *pads = NULL;
	uint64_t step;

	for (step = PADS_STEP; !pads && step < PADS_REACH && step < base;
	     step += PADS_STEP)
		pads = pads_at(base - step);
	for (step = PADS_ABOVE; !pads && step < PADS_REACH; step += PADS_STEP)
		pads = pads_at(base + step);
	return pads;
}

int ipa_is_pad(const uint8_t *code)
{
	return code < (const uint8_t *)gdb_agent_gdb_jump_pad_buffer_end &&
	       code >= (const uint8_t *)gdb_agent_gdb_jump_pad_buffer_end -
			       PADS_BYTES;
}

int ipa_is_current(const struct ipa_point *point)
{
	return (const char *)point >= gdb_agent_gdb_tp_heap_buffer;
}

int ipa_is_point(const struct ipa_point *point)
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

static void *room_map(uint64_t bytes)
{
	long p = sys_mmap(0, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

/* One mapping: what gdbserver writes, and what we do. A child gets it, too:
 * gdbserver reads it in the child when gdb follows that, and dies when it
 * cannot. Nothing is copied where gdbserver has not been. */
struct memory {
	char heap[HEAP_BYTES];		/* or less, and cells */
	uint8_t buffer[BUFFER_BYTES];
	uint8_t frame[IPA_FRAME_BYTES];
	uint8_t text[IPA_TEXT_BYTES];
	struct ipa_marker markers[MARKERS_MAX];
	char error[ERROR_BYTES];
};

COLD int ipa_setup(void)
{
	struct ipa *page = room_map(4096);
	struct memory *memory = room_map(sizeof(*memory));
	uint8_t *buffer;
	int i;

	if (!page || !memory)
		return -ENOMEM;
	sys_madvise(page, 4096, MADV_WIPEONFORK);
	sys_madvise(memory, sizeof(*memory), MADV_DONTDUMP);
	buffer = memory->buffer;
	ipa_frame = memory->frame;
	ipa_text = memory->text;
	markers = memory->markers;
	gdb_agent_gdb_tp_heap_buffer = memory->heap;
	heap_end = memory->heap + HEAP_BYTES;
	gdb_agent_gdb_trampoline_buffer_error = memory->error;
	gdb_agent_gdb_jump_pad_buffer = pads_map();
	/* too far away: gdbserver says so and writes no jump to there, but
	 * those of cells */
	if (!gdb_agent_gdb_jump_pad_buffer) {
		heap_end -= HEAP_BYTES / 2;
		gdb_agent_gdb_jump_pad_buffer = memory->heap + HEAP_BYTES / 2;
	}
	gdb_agent_gdb_jump_pad_buffer_end =
		gdb_agent_gdb_jump_pad_buffer + PADS_BYTES;
	ipa_cell_setup((struct ipa_cell *)gdb_agent_gdb_jump_pad_buffer_end);
	gdb_agent_trace_buffer_lo = buffer;
	gdb_agent_trace_buffer_hi = buffer + BUFFER_BYTES;
	for (i = 0; i < (int)IPA_CONTROLS; i++)
		gdb_agent_trace_buffer_ctrl[i] = (struct ipa_control){
			buffer, buffer, buffer + BUFFER_BYTES,
			buffer + BUFFER_BYTES
		};
	if (settings.ipa && text_equal(settings.ipa, "filter"))
		ipa_far_setup();
	page->here = 1;
	patch_refused = ipa_site_refused;
	store_release(&ipa, page);
	return 0;
}

static uint32_t marker_place(uint64_t address)
{
	uint32_t i = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> 40);

	for (;; i++) {
		uint64_t there = load_acquire(
			&markers[i % MARKERS_MAX].address);

		if (!there || there == address)
			return i % MARKERS_MAX;
	}
}

struct ipa_marker *ipa_marker_find(uint64_t address)
{
	struct ipa_marker *marker = &markers[marker_place(address)];

	return marker->address ? marker : NULL;
}

static void object_take(struct object *object, const struct patcher *patcher)
{
	struct object_use use = { .channel = held, .hit = ipa_hit };
	static uint32_t taken;
	struct code *code;
	int cells;

	if (object->site->kind == TAFFRAIL_KIND_GUARD || object->adopted)
		return;
	/* who looks at a cell has no registers but these */
	cells = !object_snapshots(object, OBJECT_IPA, 1, patcher);
	for (code = object->codes; code; code = code->next) {
		uint64_t address = (uint64_t)code->address + 1;
		uint32_t i = marker_place(address);

		if (!markers[i].address) {
			if (++taken > MARKERS_MAX / 2)
				return;	/* one that has no static data */
			markers[i].cell = cells ? ipa_cell_give(address - 1) :
						  -1;
		}
		store_release(&markers[i].object, object);
		store_release(&markers[i].address, address);
	}
	object_enable(object, &use, patcher);
}

static int take_one(struct object *object, void *arg)
{
	object_take(object, arg);
	return 0;
}

void ipa_module_came(struct object *object, const struct patcher *patcher)
{
	if (ipa && ipa->on)
		object_take(object, patcher);
}

COLD int ipa_prepare(void)
{
	struct patcher patcher;

	if (!ipa)
		return -ENOMEM;
	if (ipa->on)
		return 0;
	if (!held)
		held = session_hold("gdbserver");
	if (!held)
		return -ENOSPC;
	ipa->on = 1;
	taffrail_ipa_cells.on = 1;
	/* a page that is not there yet costs a hit as much as the rest of it */
	sys_madvise(gdb_agent_trace_buffer_lo, BUFFER_BYTES,
		    MADV_POPULATE_WRITE);
	registry_lock();
	patch_open(&patcher);
	registry_each(take_one, &patcher);
	patch_close(&patcher);
	registry_unlock();
	log_fact(LOG_INFO, "ipa", "ready for gdbserver", 0);
	return 0;
}

static int release_one(struct object *object, void *patcher)
{
	if (object->on & 1u << channel_bit(held)) {
		object_disable(object, held, patcher);
		object_snapshots(object, OBJECT_IPA, 0, patcher);
	}
	return 0;
}

/* The channel stays held: a thread may still be in ipa_hit(). */
static void release(void)
{
	struct patcher patcher;

	if (!ipa->on)
		return;
	registry_lock();
	ipa->on = 0;
	taffrail_ipa_cells.on = 0;
	patch_open(&patcher);
	registry_each(release_one, &patcher);
	patch_close(&patcher);
	registry_unlock();
}

int ipa_awaits(void)
{
	return ipa && ipa->here && ipa->on;
}

COLD int ipa_undo(void)
{
	if (!ipa || !ipa->here)
		return 0;
	if (ipa->on && ipa_traced(NULL) == 1)
		return -EBUSY;
	release();
	ipa_clean();
	ipa_socket_remove();
	return 0;
}

COLD int ipa_serve(int on)
{
	int ret;

	if (!ipa || !ipa->here)
		return -ENOTSUP;
	if (!on) {
		if (!settings.ipa || !text_equal(settings.ipa, "on"))
			release();
		ipa_clean();
		ipa_socket_remove();
		return 0;
	}
	if (settings.ipa && text_equal(settings.ipa, "off"))
		return -EPERM;
	ipa_clean();
	ret = ipa_prepare();
	return ret ? ret : ipa_socket_offer();
}
