/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers of a process from outside. See process-markers.h.
 *
 * Invariant: /proc is read as text of unknown form, and a file is used only if
 * it is still the mapped one. A module is read once for each place, whatever
 * the number of mappings.
 */
#include "command/elf/process-markers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "command/elf/elfnotes.h"
#include "command/procfs/mapped-file.h"
#include "command/procfs/module-names.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "tracepoints/usdt/plan/plan.h"

#define TRAMPOLINE_BYTES	14	/* as in usdt/jumps/place-x86_64.c */
#define GROWTH		(256ull << 20)
#define USER_END	((1ull << 47) - 4096)
#define APART_MAX	4096
#define START_BRK_FIELD	47		/* of /proc/PID/stat */

/* A module that was read already. */
struct seen {
	uint64_t inode;
	uint64_t shift;
};

/* The reading of one process's modules. */
struct scan {
	pid_t pid;
	struct marker_list *list;
	struct seen *seen;
	size_t count;
	struct process_mapping head;	/* the last one of a file's beginning */
	uint64_t *apart;		/* load addresses of modules in other
					 * namespaces of the dynamic linker */
	size_t napart;
	bool probes;			/* keep USDT probes, not markers */
	uint32_t how;			/* as process-markers.h has it, or 0 */
	char *fault;			/* of MARKERS_FAULT_BYTES, or NULL */
	process_wanted *wanted;		/* says which modules, or NULL */
	process_module *module;		/* gets each module's list, or NULL */
	void *arg;
};

/* Returns true when an agent in the process may read the file, too. */
static bool agent_opens(pid_t pid, enum process_way way)
{
	return way == PROCESS_WAY_NAME || way == PROCESS_WAY_SILENT ||
	       process_opens_mappings(pid);
}

/* Returns 1 when the module is new at this place, 0 when not, or -ENOMEM. */
static int note_module(struct scan *scan, uint64_t inode, uint64_t shift)
{
	struct seen *more;

	for (size_t i = 0; i < scan->count; i++)
		if (scan->seen[i].inode == inode &&
		    scan->seen[i].shift == shift)
			return 0;
	more = reallocarray(scan->seen, scan->count + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	scan->seen = more;
	more[scan->count++] = (struct seen){ inode, shift };
	return 1;
}

/* Reads where the modules of other namespaces are, as far as they can be read:
 * the linker's lists may change meanwhile. */
static void apart_read(struct scan *scan)
{
	struct {
		struct r_debug list;
		uint64_t next;		/* from version 2 on (glibc 2.35) */
	} names = { .list = { 0 } };
	struct link_map map;
	uint64_t at;
	int ret = process_symbol(scan->pid, "ld-linux", "_r_debug", &at) ?:
		  process_memory(scan->pid, at, &names, sizeof(names));

	scan->apart = calloc(APART_MAX, sizeof(*scan->apart));
	while (!ret && scan->apart && names.list.r_version >= 2 && names.next) {
		ret = process_memory(scan->pid, names.next, &names,
				     sizeof(names));
		at = ret ? 0 : (uintptr_t)names.list.r_map;
		for (; at && scan->napart < APART_MAX &&
		       !process_memory(scan->pid, at, &map, sizeof(map));
		     at = (uintptr_t)map.l_next)
			scan->apart[scan->napart++] = map.l_addr;
	}
}

/* Drops the unwanted kind of the markers from `from` on, or all if `keep` is
 * false, and shifts the addresses of the rest. */
static void keep_kind(struct scan *scan, size_t from, uint64_t shift, bool keep)
{
	struct marker_list *list = scan->list;
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct marker *m = &list->markers[i];

		if (!keep || (m->kind == MARKER_USDT) != scan->probes) {
			marker_free(m);
			continue;
		}
		m->address += shift;
		list->markers[kept++] = *m;
	}
	list->count = kept;
}

/* Returns true when the mapping is of the file whose beginning was mapped last:
 * then the module's headers are there. */
static bool has_head(const struct process_mapping *head,
		     const struct process_mapping *m)
{
	return head->inode == m->inode && head->major == m->major &&
	       head->minor == m->minor;
}

/* Notes what a module lacks, if no other module lacked something before. */
static void note_fault(struct scan *scan, const struct process_mapping *m,
		       const char *error)
{
	if (*error && scan->fault && !*scan->fault)
		snprintf(scan->fault, MARKERS_FAULT_BYTES, "%s: %s", m->path,
			 error);
}

/* Gives the file's own address of a mapping's first byte. */
static int first_address(uint64_t *address, struct symboliser_module *module,
			 const struct process_mapping *m,
			 const struct symboliser_file *file, uint64_t *ns)
{
	int ret = symboliser_module(module, file, ns);

	return ret ? ret : symboliser_place(address, module, m->offset);
}

/* Notes the functions of which a process has other code than the file. */
static void note_changed(const struct scan *scan,
			 const struct process_mapping *map, int fd)
{
	uint8_t now[64], before[sizeof(now)];

	for (size_t i = 0; i < scan->list->count; i++) {
		struct marker *m = &scan->list->markers[i];
		size_t n = (size_t)m->operand;
		uint64_t at = m->address - map->start;

		m->changed = (m->placement == PLACED_JUMP ||
			      m->placement == PLACED_PUNNED) &&
			     n <= sizeof(now) &&
			     m->address >= map->start &&
			     m->address + n <= map->end &&
			     pread(fd, before, n, (off_t)(map->offset + at)) ==
				     (ssize_t)n &&
			     !process_memory(scan->pid, m->address, now, n) &&
			     memcmp(before, now, n);
	}
}

/* Reads the markers of a module: by the file, or out of the memory for a module
 * that has no file any more. Returns 0 or -ENOMEM. */
static int scan_mapping(const struct process_mapping *m, void *arg)
{
	char path[PROCESS_FILE_BYTES], error[ELFNOTES_ERROR_BYTES];
	char names[FILE_NAMES_BYTES], called[PATH_MAX];
	uint64_t address, shift, ns = SYMBOLISER_NS;
	static struct symboliser_module module;
	struct symboliser_file from;
	struct scan *scan = arg;
	struct opener_file file;
	enum process_way way;
	size_t before = scan->list->count;
	uint32_t how = scan->how;
	int ret = 0, told = 0;

	if (!m->offset)
		scan->head = *m;
	if (!m->executable ||
	    (scan->wanted && !scan->wanted(m->path, scan->arg)))
		return 0;
	way = process_file(path, scan->pid, m);
	if (!way) {
		if (scan->probes || !has_head(&scan->head, m) ||
		    elfnotes_read_memory(scan->list, scan->pid,
					 scan->head.start, &shift, error))
			return 0;
		note_fault(scan, m, error);
		ret = note_module(scan, m->inode, shift);
		keep_kind(scan, before, shift, ret);
		return ret == -ENOMEM ? ret : 0;
	}
	if (way == PROCESS_WAY_SILENT ||
	    (scan->probes && !agent_opens(scan->pid, way)) ||
	    opener_open(&file, path, m->inode))
		return 0;
	from = symboliser_opened(&file);
	if (!first_address(&address, &module, m, &from, &ns)) {
		shift = m->start - address;
		ret = note_module(scan, m->inode, shift);
		for (size_t i = 0; i < scan->napart; i++)
			if (scan->apart[i] == shift)
				how |= SYMBOLISER_APART;
		if (ret > 0) {
			ret = elfnotes_read_open(
				scan->list, m->path, &file,
				how ? how : scan->how, error);
			note_fault(scan, m, error);
			keep_kind(scan, before, shift, true);
		}
		if (scan->how & SYMBOLISER_FUNCTIONS &&
		    scan->how & SYMBOLISER_PLAN && !ret)
			note_changed(scan, m, file.fd);
		if (scan->module && !ret) {
			module_names(names, m->path,
				     process_called(called, scan->pid, m->path),
				     module.soname);
			told = scan->module(m->path, names, scan->list,
					    scan->arg);
		}
		if (scan->module)
			marker_list_free(scan->list);
	}
	opener_close(&file);
	return ret == -ENOMEM ? ret : told;
}

int process_markers_read(struct marker_list *list, pid_t pid, uint32_t how,
			 char fault[MARKERS_FAULT_BYTES])
{
	struct scan scan = { .pid = pid, .list = list, .how = how,
			     .fault = fault };
	int ret;

	if (fault)
		*fault = '\0';
	if (how & SYMBOLISER_LTTNG)
		apart_read(&scan);
	ret = process_each_mapping(pid, scan_mapping, &scan);
	free(scan.apart);
	free(scan.seen);
	return ret;
}

int process_probes_read(struct marker_list *list, pid_t pid)
{
	struct scan scan = { .pid = pid, .list = list, .probes = true,
			     .how = SYMBOLISER_PLAN };
	int ret;

	if (process_handles_faults(pid))
		scan.how |= SYMBOLISER_HANDLES;
	ret = process_each_mapping(pid, scan_mapping, &scan);

	free(scan.seen);
	return ret;
}

int process_each_module(pid_t pid, uint32_t how, process_wanted *wanted,
			process_module *module, void *arg)
{
	struct marker_list list = { 0 };
	struct scan scan = { .pid = pid, .list = &list, .how = how,
			     .probes = true, .wanted = wanted,
			     .module = module, .arg = arg };
	int ret = process_each_mapping(pid, scan_mapping, &scan);

	free(scan.seen);
	return ret;
}

bool file_is_agents(const char *path)
{
	const char *name = text_file_name(path);

	return text_after(name, "libtaffrail") || text_after(name, "libZydis") ||
	       text_after(name, "memfd:taffrail");
}

/* The caller of process_each_file(). */
struct opening {
	pid_t pid;
	uint64_t inode;			/* of the last file */
	process_opened *opened;
	void *arg;
};

static int open_mapping(const struct process_mapping *m, void *arg)
{
	struct opening *opening = arg;
	char path[PROCESS_FILE_BYTES], called[PATH_MAX];
	struct opener_file file;
	enum process_way way;
	int ret;

	if (!m->executable || m->inode == opening->inode ||
	    file_is_agents(m->path))
		return 0;
	way = process_file(path, opening->pid, m);
	if (!way || way == PROCESS_WAY_SILENT ||
	    !agent_opens(opening->pid, way) ||
	    opener_open(&file, path, m->inode))
		return 0;
	opening->inode = m->inode;
	ret = opening->opened(m->path,
			      process_called(called, opening->pid, m->path),
			      &file, opening->arg);
	opener_close(&file);
	return ret;
}

int process_each_file(pid_t pid, process_opened *opened, void *arg)
{
	struct opening opening = { .pid = pid, .opened = opened, .arg = arg };

	return process_each_mapping(pid, open_mapping, &opening);
}

/* The search for modules that cannot be read. */
struct unread {
	pid_t pid;
	struct process_mapping head;	/* the last one of a file's beginning */
	uint64_t inode;			/* of the one that was told last */
	void (*call)(const char *path, const char *now, void *arg);
	void *arg;
	int count;
};

/* Tells of a module that cannot be read, if users may look for probes there:
 * libc's are only listed with --all, and the agent has none. */
static int look_unread(const struct process_mapping *m, void *arg)
{
	static const char *const runtime[] = {
		"libtaffrail", "memfd:taffrail", "libc.so", "libc-", "ld-",
		"libm.so", "libm-", "libpthread", "libdl",
	};
	static const char mark[] = " (deleted)";
	const char *name = strrchr(m->path, '/') + 1, *inside;
	char path[PATH_MAX], now[PROCESS_FILE_BYTES];
	char error[ELFNOTES_ERROR_BYTES];
	struct marker_list none = { 0 };
	struct unread *unread = arg;
	struct opener_file file;
	enum process_way way;
	size_t n = strlen(m->path);
	uint64_t shift;
	int ret;

	if (!m->offset)
		unread->head = *m;
	if (!m->executable || m->inode == unread->inode)
		return 0;
	way = process_file(now, unread->pid, m);
	if (way && agent_opens(unread->pid, way))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(runtime); i++)
		if (!strncmp(name, runtime[i], strlen(runtime[i])))
			return 0;
	/* other code has no ELF file, as a compiler's in a memfd */
	if (!has_head(&unread->head, m))
		return 0;
	ret = elfnotes_read_memory(&none, unread->pid, unread->head.start,
				   &shift, error);
	marker_list_free(&none);
	/* memory that may not be read is judged by the file's name */
	if (ret && (ret == -ENOEXEC || !strstr(m->path, ".so")))
		return 0;
	unread->inode = m->inode;
	unread->count++;
	if (n > strlen(mark) && !strcmp(m->path + n - strlen(mark), mark))
		n -= strlen(mark);
	snprintf(path, sizeof(path), "%.*s", (int)n, m->path);
	inside = process_path_inside(unread->pid, path);
	snprintf(now, sizeof(now), "/proc/%d/root%s", unread->pid,
		 inside ? inside : "");
	if (!inside || opener_open(&file, now, 0))
		now[0] = '\0';
	else
		opener_close(&file);
	unread->call(path, now, unread->arg);
	return 0;
}

int process_each_unread(pid_t pid,
			void (*call)(const char *path, const char *now,
				     void *arg),
			void *arg)
{
	struct unread unread = { .pid = pid, .call = call, .arg = arg };
	int ret = process_each_mapping(pid, look_unread, &unread);

	return ret ? ret : unread.count;
}

/* A symbol that is looked for, and the module in which it may be. */
struct wanted {
	pid_t pid;
	const char *file;
	const char *name;
	uint64_t address;
	char executable[PATH_MAX];
};

/* Returns 1 and wanted->address when the module has the symbol, else 0. */
static int look_symbol(const struct process_mapping *m, void *arg)
{
	struct wanted *wanted = arg;
	char path[PROCESS_FILE_BYTES];
	struct symboliser_file from;
	struct opener_file file;
	enum process_way way;
	uint64_t start, ns = SYMBOLISER_NS;
	static struct symboliser_module module;
	bool found;

	if (!m->executable || (!strstr(strrchr(m->path, '/'), wanted->file) &&
			       strcmp(m->path, wanted->executable)))
		return 0;
	way = process_file(path, wanted->pid, m);
	if (!way || way == PROCESS_WAY_SILENT ||
	    opener_open(&file, path, m->inode))
		return 0;
	from = symboliser_opened(&file);
	found = !first_address(&start, &module, m, &from, &ns) &&
		!symboliser_address(&wanted->address, wanted->name, &from, &ns);
	opener_close(&file);
	if (!found)
		return 0;
	wanted->address += m->start - start;
	return 1;
}

int process_symbol(pid_t pid, const char *file, const char *name,
		   uint64_t *address)
{
	struct wanted wanted = { .pid = pid, .file = file, .name = name };
	char path[32];
	ssize_t n;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, wanted.executable, sizeof(wanted.executable) - 1);
	wanted.executable[n > 0 ? n : 0] = '\0';
	ret = process_each_mapping(pid, look_symbol, &wanted);
	*address = wanted.address;
	return ret == 1 ? 0 : ret ? ret : -ENOENT;
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

void placement_settle(struct marker_list *list, pid_t pid)
{
	char path[32], stat[2048], *line = NULL;
	struct map *maps = NULL, map;
	size_t room = 0, n = 0;
	uint64_t heap;
	FILE *f;

	/* where the heap may grow: there is no mapping before the program asks
	 * for memory */
	process_text(pid, 0, "stat", stat, sizeof(stat));
	heap = strtoull(process_stat_field(stat, START_BRK_FIELD), NULL, 10);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && getline(&line, &room, f) > 0) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &map.start,
			   &map.end) != 2)
			continue;
		if (strstr(line, "[heap]"))
			map.end += GROWTH;
		if (strstr(line, "[stack]"))
			map.start = map.end - GROWTH;
		if (!map_add(&maps, &n, map))
			break;
	}
	if (heap)
		map_add(&maps, &n, (struct map){ heap, heap + GROWTH });
	free(line);
	if (f)
		fclose(f);
	for (size_t i = 0; n && i < list->count; i++) {
		struct marker *m = &list->markers[i];
		uint64_t trampoline = m->address + USDT_JUMP_BYTES +
				      (uint64_t)(int64_t)m->operand;
		uint64_t start = trampoline & ~4095ull;
		uint64_t end = (trampoline + TRAMPOLINE_BYTES + 4095) &
			       ~4095ull;
		/* a program that is not relocated is so low that an operand
		 * may lead below address 0 */
		bool taken = start >= USER_END || end > USER_END || end < start;

		if (m->placement != PLACED_EITHER &&
		    m->placement != PLACED_BYTE_OR_INT3)
			continue;
		for (size_t k = 0; k < n; k++)
			taken |= start < maps[k].end && end > maps[k].start;
		if (!taken) {
			m->placement = PLACED_BYTE;
			m->why = NULL;
		} else {
			m->placement = m->placement == PLACED_EITHER ?
					       PLACED_JUMP : PLACED_INT3;
		}
	}
	free(maps);
}
