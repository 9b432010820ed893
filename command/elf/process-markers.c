/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Markers of a process from outside. See process-markers.h.
 *
 * Invariant: /proc is read as text of unknown form, and a file
 * is used only if it is still the mapped one.
 */
#include "command/elf/process-markers.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "command/elf/elfnotes.h"
#include "command/procfs/mapped-file.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "tracepoints/usdt/plan/plan.h"

#define TRAMPOLINE_BYTES	14	/* as in usdt/place/place-x86_64.c */
#define GROWTH		(256ull << 20)
#define USER_END	((1ull << 47) - 4096)

/* A module that was read already. */
struct seen {
	uint64_t inode;
	uint64_t shift;
};

struct scan {
	pid_t pid;
	struct marker_list *list;
	struct seen *seen;
	size_t count;
	struct process_mapping head;	/* the last one of a file's beginning */
	bool probes;			/* keep USDT probes, not markers */
};

/* Returns true when an agent in the process may read the file, too. */
static bool agent_opens(pid_t pid, enum process_way way)
{
	return way == PROCESS_WAY_NAME || way == PROCESS_WAY_SILENT ||
	       process_opens_mappings(pid);
}

/* Returns 1 when the module is new, 0 when not, or -ENOMEM. */
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

/* Drops the unwanted kind, and shifts the addresses of the rest. */
static void keep_kind(struct marker_list *list, size_t from, uint64_t shift,
		      bool probes)
{
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct marker *m = &list->markers[i];

		if ((m->kind == MARKER_USDT) != probes) {
			marker_free(m);
			continue;
		}
		m->address += shift;
		list->markers[kept++] = *m;
	}
	list->count = kept;
}

/* Reads the markers of a module that has no file any more. */
static int scan_memory(struct scan *scan, const struct process_mapping *m)
{
	size_t before = scan->list->count;
	uint64_t shift;
	int ret;

	if (scan->head.inode != m->inode || scan->head.major != m->major ||
	    scan->head.minor != m->minor ||
	    elfnotes_read_memory(scan->list, scan->pid, scan->head.start,
				 &shift))
		return 0;
	ret = note_module(scan, m->inode, shift);
	if (ret)
		keep_kind(scan->list, before, shift, false);
	else
		while (scan->list->count > before)
			marker_free(&scan->list->markers[--scan->list->count]);
	return ret == -ENOMEM ? ret : 0;
}

/* Gives the file's own address of a mapping's first byte. */
static int first_address(uint64_t *address, const struct process_mapping *m,
			 const struct symboliser_file *file, uint64_t *ns)
{
	struct symboliser_module module;
	int ret = symboliser_module(&module, file, ns);

	return ret ? ret : symboliser_place(address, &module, m->offset);
}

/* Reads the markers of a module by the file. */
static int scan_file(struct scan *scan, const struct process_mapping *m,
		     const struct opener_file *file)
{
	const struct symboliser_file from = symboliser_opened(file);
	char error[ELFNOTES_ERROR_BYTES];
	size_t before = scan->list->count;
	uint64_t address, ns = SYMBOLISER_NS;
	int ret;

	if (first_address(&address, m, &from, &ns))
		return 0;
	ret = note_module(scan, m->inode, m->start - address);
	if (ret <= 0)
		return ret;
	ret = elfnotes_read_open(scan->list, file,
				 scan->probes ? SYMBOLISER_PLAN : 0, error);
	keep_kind(scan->list, before, m->start - address, scan->probes);
	return ret == -ENOMEM ? ret : 0;
}

static int scan_mapping(const struct process_mapping *m, void *arg)
{
	char path[PROCESS_FILE_BYTES];
	struct scan *scan = arg;
	struct opener_file file;
	enum process_way way;
	int ret;

	if (!m->offset)
		scan->head = *m;
	if (!m->executable)
		return 0;
	way = process_file(path, scan->pid, m);
	if (!way)
		return scan->probes ? 0 : scan_memory(scan, m);
	if (way == PROCESS_WAY_SILENT ||
	    (scan->probes && !agent_opens(scan->pid, way)) ||
	    opener_open(&file, path, m->inode))
		return 0;
	ret = scan_file(scan, m, &file);
	opener_close(&file);
	return ret;
}

static int read_all(struct marker_list *list, pid_t pid, bool probes)
{
	struct scan scan = { .pid = pid, .list = list, .probes = probes };
	int ret = process_each_mapping(pid, scan_mapping, &scan);

	free(scan.seen);
	return ret;
}

int process_markers_read(struct marker_list *list, pid_t pid)
{
	return read_all(list, pid, false);
}

int process_probes_read(struct marker_list *list, pid_t pid)
{
	return read_all(list, pid, true);
}

struct unread {
	pid_t pid;
	struct process_mapping head;	/* the last one of a file's beginning */
	uint64_t inode;			/* of the one that was told last */
	void (*call)(const char *path, const char *now, void *arg);
	void *arg;
	int count;
};

/* Returns true for a module in which no user looks for probes: libc's are only
 * listed with --all, and the agent has none. */
static bool is_runtime(const char *name)
{
	static const char *const names[] = {
		"libtaffrail", "memfd:taffrail", "libc.so", "libc-", "ld-",
		"libm.so", "libm-", "libpthread", "libdl",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Returns true when the mappings are those of an ELF file: other code has no
 * file, as a compiler's in a memfd. */
static bool is_module(const struct unread *unread,
		      const struct process_mapping *m)
{
	const struct process_mapping *head = &unread->head;
	struct marker_list none = { 0 };
	uint64_t shift;
	int ret;

	if (head->inode != m->inode || head->major != m->major ||
	    head->minor != m->minor)
		return false;
	ret = elfnotes_read_memory(&none, unread->pid, head->start, &shift);
	marker_list_free(&none);
	/* memory that may not be read is judged by the file's name */
	return !ret || (ret != -ENOEXEC && strstr(m->path, ".so"));
}

static int look_unread(const struct process_mapping *m, void *arg)
{
	static const char mark[] = " (deleted)";
	char path[PATH_MAX], now[PROCESS_FILE_BYTES];
	struct unread *unread = arg;
	struct opener_file file;
	const char *inside;
	enum process_way way;
	size_t n = strlen(m->path);

	if (!m->offset)
		unread->head = *m;
	if (!m->executable || m->inode == unread->inode)
		return 0;
	way = process_file(now, unread->pid, m);
	if ((way && agent_opens(unread->pid, way)) ||
	    is_runtime(strrchr(m->path, '/') + 1) || !is_module(unread, m))
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

struct wanted {
	pid_t pid;
	const char *file;
	const char *name;
	uint64_t address;
	char executable[PATH_MAX];
};

static int look_symbol(const struct process_mapping *m, void *arg)
{
	struct wanted *wanted = arg;
	char path[PROCESS_FILE_BYTES];
	struct symboliser_file from;
	struct opener_file file;
	enum process_way way;
	uint64_t start, ns = SYMBOLISER_NS;
	bool found;

	if (!m->executable || (!strstr(strrchr(m->path, '/'), wanted->file) &&
			       strcmp(m->path, wanted->executable)))
		return 0;
	way = process_file(path, wanted->pid, m);
	if (!way || way == PROCESS_WAY_SILENT ||
	    opener_open(&file, path, m->inode))
		return 0;
	from = symboliser_opened(&file);
	found = !first_address(&start, m, &from, &ns) &&
		!symboliser_address(&wanted->address, wanted->name, &from,
				    &ns);
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

/* Returns where the heap of a process begins, 0 if it is not known. There is no
 * mapping before the program asks for memory. */
static uint64_t heap_start(pid_t pid)
{
	char text[2048];

	process_text(pid, 0, "stat", text, sizeof(text));
	return strtoull(process_stat_field(text, 47), NULL, 10);
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

static void settle_probe(struct marker *m, const struct map *maps, size_t n)
{
	uint64_t trampoline = m->address + USDT_JUMP_BYTES +
			(uint64_t)(int64_t)m->operand;
	uint64_t start = trampoline & ~4095ull;
	uint64_t end = (trampoline + TRAMPOLINE_BYTES + 4095) & ~4095ull;
	/* a program that is not relocated is so low that an operand may lead
	 * below address 0 */
	bool taken = start >= USER_END || end > USER_END || end < start;

	if (m->placement != PLACED_EITHER &&
	    m->placement != PLACED_BYTE_OR_INT3)
		return;
	for (size_t i = 0; i < n; i++)
		taken |= start < maps[i].end && end > maps[i].start;
	if (taken) {
		m->placement = m->placement == PLACED_EITHER ? PLACED_JUMP :
							       PLACED_INT3;
	} else {
		m->placement = PLACED_BYTE;
		m->why = NULL;
	}
}

void placement_settle(struct marker_list *list, pid_t pid)
{
	size_t n;
	struct map *maps = maps_read(pid, &n);

	for (size_t i = 0; n && i < list->count; i++)
		settle_probe(&list->markers[i], maps, n);
	free(maps);
}
