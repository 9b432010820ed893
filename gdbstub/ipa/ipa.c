/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets up GDB's in-process agent and prepares markers for it. Defines the
 * symbols that gdbserver asks gdb for and no other file uses. The agent does
 * not announce static tracepoints: gdbserver would ask for them through a
 * channel that makes every release with it hang or abort. `taffrail gdbserver`
 * makes fast tracepoints of them.
 */
#include "gdbstub/ipa/ipa.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/sessions/session.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/program/snapshot.h"
#include "tracepoints/sites/lock.h"

#define VISIBLE		__attribute__((visibility("default"), used))
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23	/* Linux 5.14 */
#endif

VISIBLE void *gdb_agent_collecting;
VISIBLE struct ipa_point *gdb_agent_tracepoints;
VISIBLE int32_t gdb_agent_ust_loaded;
/* No thread has this number. When gdb kills the program, gdbserver resumes the
 * thread of this number (0: all threads) before it looks for the socket. */
VISIBLE int32_t gdb_agent_helper_thread_id = INT32_MAX;
VISIBLE char gdb_agent_cmd_buf[IPA_COMMAND_BYTES];
VISIBLE int32_t gdb_agent_capability;
/* Not gdbserver's: the filter reads it to tell why there is no agent. */
VISIBLE const char *const *taffrail_ipa_off = &agent_off;

static struct channel *held;

/* Returns a register to the code of a condition that gdbserver has compiled. */
static uint64_t register_get(const uint8_t *registers, int number)
{
	static const uint8_t places[] = { 10, 11, 12, 13, 14, 15, 16, 17, 2,
					  3,  4,  5,  6,  7,  8,  9,  0,  1 };

	if (number < 0 || number >= (int)sizeof(places))
		return 0;
	return ((const uint64_t *)registers)[places[number]];
}

VISIBLE void (*gdb_agent_gdb_collect_ptr)(struct ipa_point *point,
					  struct ipa_registers *registers) =
	ipa_collect_entry;
VISIBLE uint64_t (*gdb_agent_get_raw_reg_ptr)(const uint8_t *registers,
					      int number) = register_get;

COLD int ipa_setup(void)
{
	struct ipa_rooms rooms;
	struct ipa *page = ipa_memory_map(&rooms);

	if (!page)
		return -ENOMEM;
	ipa_marker_setup(rooms.markers);
	ipa_cell_setup(rooms.cells);
	ipa_kept_setup(rooms.kept);
	ipa_block_setup();
	ipa_buffer_setup(rooms.buffer);
	if (settings.ipa && text_equal(settings.ipa, "filter"))
		ipa_far_setup();
	page->executable = (const void *)getauxval(AT_PHDR);
	page->here = 1;
	patch_refused = ipa_site_refused;
	store_release(&ipa, page, IPA_PAGE);
	return 0;
}

/* Takes a marker for gdbserver. Markers that it can have no jump at are left
 * out. */
static void object_take(struct object *object, const struct patcher *patcher)
{
	struct object_use use = { .channel = held, .hit = ipa_hit };
	struct code *code;
	bool cells;

	if (object->site->kind_ == TAFFRAIL_KIND_GUARD || object->adopted ||
	    object->module->declared)
		return;
	/* a hit that serves a cell has only these registers */
	cells = !object_snapshots(object, OBJECT_IPA, 1, patcher);
	for (code = object->codes; code; code = code->next)
		if (!ipa_marker_add((uint64_t)code->address + 1, object, cells))
			return;		/* a marker without static data */
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
	snapshot_way = ipa_snapshot_entry;
	/* the first write to a page costs as much as the rest of a hit */
	sys_madvise(gdb_agent_trace_buffer_lo, IPA_BUFFER_BYTES,
		    MADV_POPULATE_WRITE);
	registry_lock();
	patch_open(&patcher);
	registry_each(take_one, &patcher);
	patch_close(&patcher);
	registry_unlock();
	log_fact(LOG_INFO, "ipa", "ready for gdbserver", 0);
	return 0;
}

/* Switches a marker off for gdbserver, if it is on. */
static int release_one(struct object *object, void *patcher)
{
	if (object->on & 1u << channel_bit(held)) {
		object_disable(object, held, patcher);
		object_snapshots(object, OBJECT_IPA, 0, patcher);
	}
	return 0;
}

/* The channel stays held: a thread may still be in ipa_hit(). */
static void markers_release(void)
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

bool ipa_awaits(void)
{
	return ipa && ipa->here && ipa->on;
}

COLD int ipa_undo(void)
{
	if (!ipa || !ipa->here)
		return 0;
	if (ipa->on && ipa_traced(NULL) == 1)
		return -EBUSY;
	markers_release();
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
			markers_release();
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
