/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names addresses by the symbols of ELF files. See addresses.h.
 *
 * Invariant: an address gets no name rather than a wrong one. Files that a
 * process names are opened with the rights of the process's user.
 */
#include "command/elf/addresses.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/base.h"
#include "base/index.h"
#include "command/elf/debug-path-private.h"
#include "command/elf/mapped-private.h"
#include "command/elf/named-private.h"
#include "command/elf/work-private.h"
#include "command/sandbox/opener.h"
#include "command/sandbox/user-rights.h"
#include "command/symboliser/symboliser.h"

#define PATH_ROOM	(PATH_MAX + 32)
#define KEPT_ROWS	4096
#define KEPT_MAX	65536
#define KEPT_MODULES	64
#define SECOND		1000000000u
#define FILES_LATE	20000000u	/* by which the clock of files may be
					 * late, where the agent does not tell
					 * it: some ticks */
#define FUSE_MAGIC	0x65735546	/* <linux/magic.h>, of statfs(2) */
#define BTRFS_MAGIC	0x9123683e

/* An address that has a name, in a module. */
struct located {
	uint64_t address;
	size_t module;			/* of `modules` */
	bool data;			/* it is not code */
};

/* The naming of one process's addresses. */
struct resolving {
	struct mapped_list mapped;
	struct named_module *modules;	/* one for each of `mapped` */
	struct located *located;	/* by address */
	size_t count;
	const struct process_page *process;
	const struct metadata_clock *clock;
	struct work_share share;
};

/*
 * Returns whether a file or directory was not changed since a module was known
 * to be mapped, by the kernel's clock of files in nanoseconds since 1970. A
 * change in the same tick of the clock may have been after.
 */
static bool is_as_then(const struct resolving *r, const struct mapped *m,
		       const struct stat *st)
{
	uint64_t hz = r->clock->hz ? r->clock->hz : 1;
	uint64_t all = r->clock->offset + m->since, at = m->files;
	int64_t seconds, nanoseconds;

	/* a count of events is no time */
	if (!at && r->process->clock_kind == CLOCK_KIND_ATOMIC)
		at = r->process->start.realtime_ns - FILES_LATE;
	else if (!at)
		at = ((uint64_t)r->clock->offset_s + all / hz) * SECOND +
		     (uint64_t)((long double)(all % hz) * 1e9L / hz) -
		     FILES_LATE;
	seconds = (int64_t)(at / SECOND);
	nanoseconds = (int64_t)(at % SECOND);
	/* file systems that count seconds */
	if (!st->st_ctim.tv_nsec)
		seconds--;
	return seconds > st->st_ctim.tv_sec ||
	       (seconds == st->st_ctim.tv_sec &&
		nanoseconds > st->st_ctim.tv_nsec);
}

/* Returns whether a file may be the one that was mapped, by kind, number and
 * time. */
static bool may_be_mapped(const struct resolving *r, const struct mapped *m,
			  const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_ino == m->inode &&
	       is_as_then(r, m, st);
}

/*
 * Returns whether all directories above the file's subvolume are where they
 * were: files of two subvolumes (btrfs) can have one number, and maps shows one
 * device for both. A directory that was moved has a new time, and so has the
 * one that it is in.
 */
static bool same_subvolume(const struct resolving *r, const struct mapped *m,
			   const char *path, const struct stat *file)
{
	struct stat below = *file, above;
	char *at = strdup(path), *slash;
	bool same = at, inside = true;

	for (; same && (slash = strrchr(at, '/')) && at[1]; below = above) {
		slash[slash == at] = '\0';
		same = !opener_stat(at, &above);
		inside &= above.st_dev == file->st_dev;
		if (same && !inside)
			same = is_as_then(r, m, &below) ||
			       is_as_then(r, m, &above);
	}
	free(at);
	return same;
}

/*
 * Opens the file at a path if it is the one that was mapped, on the device that
 * maps has shown: two mounts have files of one number, so no other device will
 * do.
 *
 * The file system must tell the file's identity and last change. A program that
 * serves a file system (FUSE) may tell anything: sshfs has no number of the
 * file, and no time that cannot be set.
 */
static bool open_path(const struct resolving *r, const struct mapped *m,
		      const char *path, struct opener_file *file)
{
	if (opener_open(file, path, m->inode))
		return false;
	if (may_be_mapped(r, m, &file->st) && file->system != FUSE_MAGIC &&
	    (file->system != BTRFS_MAGIC ||
	     same_subvolume(r, m, path, &file->st)) &&
	    ((major(file->st.st_dev) == m->major &&
	      minor(file->st.st_dev) == m->minor) ||
	     (file->major == m->major && file->minor == m->minor)))
		return true;
	opener_close(file);
	return false;
}

/* Opens the file of a module: by the path here, or by the path inside the
 * process. Returns false without the file, or without time. */
static bool open_mapped(struct resolving *r, const struct mapped *m,
			struct opener_file *file)
{
	char path[PATH_ROOM];

	if (work_take(&r->share, WORK_OPEN) && open_path(r, m, m->path, file))
		return true;
	if (!r->share.ns)
		return false;
	snprintf(path, sizeof(path), "/proc/%u/root%s", r->process->pid,
		 m->path);
	return open_path(r, m, path, file);
}

/* Returns the symboliser's answer for a file, or NULL. The answer is kept, as
 * forked children have the same files; another file may replace it at the next
 * call. */
static const struct symboliser_module *
file_module(struct resolving *r, const struct opener_file *file)
{
	static struct {
		struct stat file;
		struct symboliser_module module;
	} kept[KEPT_MODULES], *k;
	const struct symboliser_file from = symboliser_opened(file);

	k = &kept[file->st.st_ino % KEPT_MODULES];
	if (opener_same_state(&k->file, &file->st))
		return &k->module;
	k->file = (struct stat){ 0 };
	if (symboliser_module(&k->module, &from, &r->share.ns))
		return NULL;
	k->file = file->st;
	return &k->module;
}

static int by_address(const void *left, const void *right)
{
	const struct located *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/*
 * Finds the module that had each address all the time from the first event to
 * the last; drops the addresses that have none, or more than one. Keeps as many
 * as may have names: code before data. Returns whether any is left.
 *
 * Invariant: when no time is left, no module has an address.
 */
static bool locate_all(struct resolving *r, const struct trace_symbols *symbols)
{
	size_t kept = 0, code = 0, data;

	r->located = calloc(symbols->nuses, sizeof(*r->located));
	if (!r->located)
		return false;
	for (; r->count < symbols->nuses; r->count++) {
		const struct symbol_use *use = &symbols->uses[r->count];
		size_t i = 0;

		for (; i < r->mapped.count && work_look(&r->share); i++)
			if (named_has(&r->modules[i], use->address, false) &&
			    work_take(&r->share, r->mapped.mapped[i].ntimes) &&
			    mapped_during(&r->mapped.mapped[i], use->first,
					  use->last))
				break;
		if (!r->share.ns)
			i = r->mapped.count;
		r->located[r->count] = (struct located){ use->address, i,
							 false };
	}
	qsort(r->located, r->count, sizeof(*r->located), by_address);
	for (size_t i = 0, next; i < r->count; i = next) {
		struct located one = r->located[i];
		bool same = one.module < r->mapped.count;

		for (next = i + 1; next < r->count &&
		     r->located[next].address == one.address; next++)
			same &= r->located[next].module == one.module;
		if (!same)
			continue;
		one.data = !named_has(&r->modules[one.module], one.address,
				      true);
		code += !one.data;
		r->located[kept++] = one;
	}
	r->count = 0;
	code = code < SYMBOLS_NAMES_MAX ? code : SYMBOLS_NAMES_MAX;
	data = SYMBOLS_NAMES_MAX - code;
	for (size_t i = 0; i < kept; i++) {
		size_t *room = r->located[i].data ? &data : &code;

		if (*room) {
			r->located[r->count++] = r->located[i];
			--*room;
		}
	}
	return r->count;
}

/* A name that was found in a file. Forked children have the same names, and a
 * large table of symbols takes long to read. */
struct kept_name {
	struct kept_name *next;
	uint64_t address;		/* by the file's headers */
	uint64_t path;			/* a hash */
	struct stat file;
	char name[];
};

static struct kept_name *kept_names[KEPT_ROWS];
static size_t nkept;

/* Returns the row of a name, the newest first. Names stay until the command
 * ends. */
static struct kept_name **kept_row(const struct stat *file, uint64_t address)
{
	return &kept_names[(file->st_ino * 31 + (address ^ address >> 12)) %
			   KEPT_ROWS];
}

/* Opens a file if it is of the same build as `of`. */
static bool open_build(struct resolving *r, struct opener_file *file,
		       const char *path, const struct symboliser_module *of)
{
	const struct symboliser_module *found;

	if (!work_take(&r->share, WORK_OPEN) || opener_open(file, path, 0))
		return false;
	found = file_module(r, file);
	if (found && debug_same_build(found, of))
		return true;
	opener_close(file);
	return false;
}

/* Opens the file that has the symbols which a module's own file lacks. */
static bool open_debug(struct resolving *r, const char *module,
		       const struct opener_file *file,
		       struct opener_file *debug)
{
	const struct symboliser_module *own = file_module(r, file);
	struct symboliser_module of;
	char path[DEBUG_PATH_BYTES];

	if (!own)
		return false;
	of = *own;			/* it is kept where others are, too */
	for (int i = 0; debug_path(path, module, &of, i); i++)
		if (open_build(r, debug, path, &of))
			return true;
	return false;
}

/* Names addresses of a module that have no kept name, from an open file. Takes
 * the names back if the file is not the one that was mapped any more: a write
 * sets the file's time before the bytes. A copy does not change. */
static void name_missing(struct resolving *r, size_t module,
			 const struct opener_file *file,
			 const uint64_t *addresses, char **names, size_t n)
{
	const struct mapped *mapped = &r->mapped.mapped[module];
	const struct symboliser_file from = symboliser_opened(file);
	struct symboliser_file more;
	struct opener_file debug;
	bool found = open_debug(r, mapped->path, file, &debug), same;
	struct stat st;

	if (found)
		more = symboliser_opened(&debug);
	named_find(&r->modules[module], &from, found ? &more : NULL, addresses,
		   names, n, &r->share);
	same = file->copied ||
	       (!fstat(file->fd, &st) && may_be_mapped(r, mapped, &st));
	if (found && !debug.copied)
		same &= !fstat(debug.fd, &st) &&
			opener_same_state(&st, &debug.st);
	if (found)
		opener_close(&debug);
	if (same && r->share.ns)
		return;
	for (size_t i = 0; i < n; i++) {
		free(names[i]);
		names[i] = NULL;
	}
}

/* Names addresses of a module, from an open file: by the kept names, and by the
 * file where one is missing. names[i] is text of the heap, or NULL. */
static void name_in_file(struct resolving *r, size_t module,
			 const struct opener_file *file,
			 const uint64_t *addresses, char **names, size_t n)
{
	const char *path = r->mapped.mapped[module].path;
	uint64_t shift = r->modules[module].shift;
	struct kept_name key = { .path = index_hash(INDEX_HASH, path,
						    strlen(path)),
				 .file = file->st }, *k, **row;
	uint64_t *missing = calloc(n, sizeof(*missing));
	char **found = calloc(n, sizeof(*found));
	size_t lacking = 0, next = 0, bytes;

	for (size_t i = 0; missing && found && i < n; i++) {
		key.address = addresses[i] - shift;
		k = *kept_row(&key.file, key.address);
		while (k && (k->address != key.address ||
			     k->path != key.path ||
			     !opener_same_state(&k->file, &key.file)))
			k = k->next;
		names[i] = k ? strdup(k->name) : NULL;
		if (!names[i])
			missing[lacking++] = addresses[i];
	}
	if (lacking)
		name_missing(r, module, file, missing, found, lacking);
	for (size_t i = 0; i < n && next < lacking; i++) {
		if (names[i])
			continue;
		names[i] = found[next++];
		if (!names[i] || nkept == KEPT_MAX)
			continue;
		bytes = strlen(names[i]) + 1;
		k = malloc(sizeof(*k) + bytes);
		if (!k)
			continue;
		key.address = addresses[i] - shift;
		row = kept_row(&key.file, key.address);
		*k = key;
		memcpy(k->name, names[i], bytes);
		k->next = *row;
		*row = k;
		nkept++;
	}
	free(found);
	free(missing);
}

/*
 * Reads the modules that the process had, and names the addresses of each.
 * Leaves out the addresses that get no name.
 */
static void name_uses(struct resolving *r, struct trace_symbols *symbols,
		      const struct session_view *session)
{
	const struct symboliser_module *from;
	struct symbol_name *names = NULL;
	uint64_t *addresses = NULL;
	struct opener_file file;
	char **found = NULL;
	size_t kept = 0, n;

	mapped_read(&r->mapped, session, &r->share);
	r->modules = calloc(r->mapped.count + 1, sizeof(*r->modules));
	for (size_t i = 0; r->modules && i < r->mapped.count; i++) {
		struct mapped *m = &r->mapped.mapped[i];

		if (!m->times || (!open_mapped(r, m, &file) &&
				  !(mapped_unescape(m) &&
				    open_mapped(r, m, &file))))
			continue;
		from = file_module(r, &file);
		if (from)
			named_read_segments(&r->modules[i], m, from);
		opener_close(&file);
	}
	if (!r->modules || !locate_all(r, symbols))
		goto end;
	names = calloc(r->count, sizeof(*names));
	addresses = calloc(r->count, sizeof(*addresses));
	found = calloc(r->count, sizeof(*found));
	if (!names || !addresses || !found)
		goto end;
	for (size_t m = 0; m < r->mapped.count; m++) {
		n = 0;
		for (size_t i = 0; i < r->count; i++)
			if (r->located[i].module == m)
				addresses[n++] = r->located[i].address;
		if (!n || !open_mapped(r, &r->mapped.mapped[m], &file))
			continue;
		memset(found, 0, n * sizeof(*found));
		name_in_file(r, m, &file, addresses, found, n);
		opener_close(&file);
		for (size_t i = 0, k = 0; i < r->count; i++)
			if (r->located[i].module == m)
				names[i].name = found[k++];
	}
	for (size_t i = 0; i < r->count; i++) {
		names[i].address = r->located[i].address;
		if (names[i].name)
			names[kept++] = names[i];
	}
	symbols->names = names;
	symbols->nnames = kept;
	names = NULL;
end:
	free(names);
	free(found);
	free(addresses);
	for (size_t i = 0; r->modules && i < r->mapped.count; i++)
		named_free(&r->modules[i]);
	free(r->modules);
	free(r->located);
	mapped_free(&r->mapped);
}

void addresses_name(struct trace_symbols *symbols,
		    const struct session_view *session,
		    const struct process_page *process,
		    const struct metadata_clock *clock, uid_t owner)
{
	static struct work work = { WORK_ALL };
	struct resolving r = { .process = process, .clock = clock,
			       .share = { .ns = work_share(&work),
					  .clock = work_clock() } };
	uint64_t had = r.share.ns;
	struct rights rights;
	bool taken, others;

	if (!symbols->nuses)
		return;
	taken = rights_take(&rights, owner);
	others = rights.groups;
	/* the opener's child keeps the rights that the thread had at the fork
	 */
	if (others)
		opener_end();
	if (taken)
		name_uses(&r, symbols, session);
	if (others)
		opener_end();
	rights_give_back(&rights);
	work_done(&work, had - r.share.ns);
	symbols_forget(symbols);
}
