/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts whose files are put off.
 *
 * Most programs of a recording are short, and have nothing that a session
 * wants. Half of the time of such a start goes to files. So a process of a
 * program that is known for that (control/sessions/quiet.c) begins as a forked
 * child does: the agent is there, *fork_mark is 0, and there are no files. The
 * rest of the start, which reads the rules, comes with whatever is first of:
 *
 *	the process does something that the agent must see before it is done
 *	(fork_need_files()): modules come or go, events are declared, it gives
 *	up rights, a child will share its memory without an end, or a program
 *	that it executes has no agent
 *
 *	the process is not over soon, or a command looks for it: it is found by
 *	a row in sessions/.deferred.NAME, and makes a service thread, as
 *	processes with files do. That thread makes the files
 *	(command/agents/deferred.c)
 *
 * A child of vfork(2) can make no files for the parent. It leaves its notes in
 * memory, and the parent makes files when it goes on.
 *
 * Invariant: a process is put off only if a command can do that: it is in the
 * recorder's PID namespace, is not traced, and the recorder may trace it. The
 * recorder forbids it to others where it finds that it may not.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "agent/fork.h"
#include "agent/fork-private.h"
#include "agent/image/lacking.h"
#include "agent/late.h"
#include "agent/private.h"
#include "base/base.h"
#include "base/file.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "buffers/rings/channel.h"
#include "control/protocol.h"
#include "control/service/demand.h"
#include "control/sessions/place.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/guest.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "tracepoints/program/modules.h"
#include "tracepoints/sites/lock.h"

static uint64_t vdso;		/* where it is, or 0 */
static const struct r_debug *linked;
static int row_file = -1;	/* until deferred_start() closes it */
static bool too_late;		/* the rules changed before the row was there */

/* Learns the number of the runtime directory, as another may be at the path,
 * where the recorder's file does not have it. */
static bool place_learn(void)
{
	struct stat st;

	if (place_id)
		return true;
	if (sys4(SYS_newfstatat, AT_FDCWD, place_runtime, &st, 0))
		return false;
	place_id = PROTOCOL_PLACE_ID(&st);
	return true;
}

/* Adds the row. The process is put off before: the recorder may see the row at
 * once. No handler runs yet, and row_fits(). */
static bool row_add(void)
{
	struct deferred_row row = { .pid = (uint32_t)sys_getpid() };
	const struct process_wake *wake = &lacking_rest.wake;
	uint64_t now = clock_read();

	if (!place_learn() || (!loader_defer() && loader_setup(true)))
		return false;
	row.page = (uint64_t)&lacking_rest;
	__builtin_memcpy(row.uuid, &row.page, 8);
	now ^= (uint64_t)row.pid << 32;
	__builtin_memcpy(row.uuid + 8, &now, 8);
	__builtin_memcpy(lacking_rest.uuid, row.uuid, sizeof(row.uuid));
	row.entry = wake->entry;
	row.rseq_offset = wake->rseq_offset;
	row.rseq_bytes = wake->rseq_bytes;
	row.filters = wake->filters;
	start_deferred = row.pid;
	if (sys_write(row_file, &row, sizeof(row)) != sizeof(row))
		start_deferred = 0;
	/* a command changes the rules, and reads the rows afterwards */
	too_late = !quiet_stays(-1);
	return start_deferred;
}

/* The dynamic linker has added the base, unless the table is read-only. */
SIGSAFE static const void *table_at(const struct link_map *map,
				    const Elf64_Dyn *d)
{
	return (const void *)(d->d_un.d_ptr < map->l_addr ?
				      d->d_un.d_ptr + map->l_addr :
				      d->d_un.d_ptr);
}

/* Returns true where a module calls a function that changes the user; or where
 * that is not known. Symbols of other modules come before those that the hash
 * table has. */
SIGSAFE static bool map_changes_user(const struct link_map *map)
{
	static const char names[][10] = { "setuid", "seteuid", "setreuid",
					  "setresuid" };
	const Elf64_Dyn *d = map->l_ld;
	const Elf64_Sym *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL;

	for (; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			symbols = table_at(map, d);
		else if (d->d_tag == DT_STRTAB)
			strings = table_at(map, d);
		else if (d->d_tag == DT_GNU_HASH)
			hash = table_at(map, d);
	}
	if (!symbols || !strings || !hash)
		return true;
	for (uint32_t i = 1; i < hash[1]; i++)
		for (uint32_t k = 0; k < ARRAY_SIZE(names); k++)
			if (text_equal(strings + symbols[i].st_name, names[k]))
				return true;
	return false;
}

/* Returns true where no child of vfork(2) will change the user: only root can,
 * and by functions that the program or a library names. */
SIGSAFE static bool user_stays(void)
{
	const struct link_map *map = linked->r_map;

	if (sys0(SYS_geteuid))
		return true;
	for (; map; map = map->l_next)
		if (map->l_addr != vdso && map_changes_user(map))
			return false;
	return true;
}

/* Returns true where no limit can cut a row in two, which would shift the rows
 * of all later processes. */
static bool row_fits(void)
{
	struct rlimit limit;

	return !sys4(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) &&
	       limit.rlim_cur >= PROTOCOL_DEFERRED_BYTES_MAX;
}

bool deferred_look(void)
{
	if (!agent_begins_alone() || !quiet_allowed() ||
	    (!filtered_unread() && !filtered_alone(AGENT_FILES)) ||
	    !row_fits() || place_choose())
		return false;
	file_owner = (uint32_t)sys0(SYS_geteuid);
	row_file = quiet_open(O_APPEND);
	if (row_file < 0)
		return false;
	if (quiet_known(row_file))
		return true;
	quiet_close(row_file);
	return false;
}

bool deferred_start(void)
{
	bool ret;

	/* without the lock, which is on a page that is not touched: the process
	 * has one thread, and no handler */
	registry_scan();
	linked = modules_debug();
	guest_plain = user_stays;
	vdso = getauxval(AT_SYSINFO_EHDR);
	fork_begin = agent_begin_late;
	ret = demand_defer(&lacking_rest) && row_add();
	quiet_close(row_file);
	if (!ret)
		return false;
	agent_off = NULL;
	if (too_late)
		fork_need_files();
	return true;
}
