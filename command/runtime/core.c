/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extracts the buffers of a core dump: see core.h. The note NT_FILE (elf.h;
 * written by the kernel's fs/binfmt_elf.c and by gdb) says which files were
 * mapped and where; the PT_LOAD segments have their contents.
 *
 * Invariant: a core dump is input. Names are parsed, and made again from
 * numbers; every offset is checked.
 */
#include "command/runtime/core.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tunables.h"
#include "command/common/remove-tree.h"
#include "command/runtime/private.h"
#include "control/protocol.h"

#define BLOCK		4096u
#define FILE_BYTES_MAX	((uint64_t)RING_MAX_BYTES + RING_DATA_OFFSET)
#define FILES_MAX	16384u

struct core {
	int fd;
	int out;			/* the directory */
	Elf *elf;
	uint64_t bytes;
	pid_t pid;			/* that dumped core; 0: not known */
	unsigned int files;		/* of the agent, by name */
	unsigned int filled;		/* ranges of them that the core has */
	const char *path;
	struct cause *cause;
};

#define core_fail(core, name, ...)                     \
	cause_set((core)->cause, -1, name, .path = (core)->path, \
		  ##__VA_ARGS__)

static int copy_failed(struct core *core)
{
	return core_fail(core, CORE_UNPACKED, .error = errno);
}

/* Copies the part of [start, end) that the segments have; `start` is at `at` in
 * the file. Returns 0, or -1 and the cause. */
static int copy_range(struct core *core, int fd, uint64_t start, uint64_t end,
		      uint64_t at)
{
	static const char zeros[BLOCK];
	char block[BLOCK];
	bool filled = false;
	GElf_Phdr ph;
	uint64_t low, high;
	ssize_t got;
	size_t n;

	if (elf_getphdrnum(core->elf, &n))
		return core_fail(core, CORE_UNREAD, .text = elf_errmsg(-1));
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(core->elf, (int)i, &ph) ||
		    ph.p_type != PT_LOAD || !ph.p_filesz ||
		    ph.p_offset > core->bytes ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		low = ph.p_vaddr > start ? ph.p_vaddr : start;
		high = ph.p_vaddr + ph.p_filesz;
		high = high < end ? high : end;
		for (; low < high; low += (uint64_t)got) {
			filled = true;
			got = pread(core->fd, block,
				    high - low < BLOCK ? high - low : BLOCK,
				    (off_t)(ph.p_offset + (low - ph.p_vaddr)));
			if (got <= 0)
				return core_fail(core, CORE_CUT);
			/* a block of zeros stays a hole */
			if (memcmp(block, zeros, (size_t)got) &&
			    pwrite(fd, block, (size_t)got,
				   (off_t)(at + (low - start))) != got)
				return copy_failed(core);
		}
	}
	core->filled += filled;
	return 0;
}

/* Copies a mapping, [range[0], range[1]) from page range[2] of the file on, if
 * `path` names a file of the agent. The name in the directory is made from the
 * parts of that path. Returns 0, or -1 and the cause. */
static int take_file(struct core *core, const uint64_t range[3],
		     uint64_t page, const char *path)
{
	uint64_t bytes = range[1] - range[0];
	char name[PATH_MAX], file[NAME_MAX + 1], session[SESSION_NAME_BYTES];
	uint64_t at, size, starttime;
	struct stat st;
	uint32_t image;
	pid_t pid;
	int fd, ret;
	size_t n;

	if (range[1] <= range[0] || bytes > FILE_BYTES_MAX ||
	    range[2] > FILE_BYTES_MAX / page || strlen(path) >= sizeof(name))
		return 0;
	strcpy(name, path);
	if (rundir_parse_shared(name, session, file)) {
		mkdirat(core->out, PROTOCOL_SESSIONS_DIR, 0700);
		snprintf(name, sizeof(name), PROTOCOL_SESSIONS_DIR
			 "/" PROTOCOL_SHARED_PREFIX "%s", session);
		image = 0;
	} else if (rundir_parse_file(name, &pid, &starttime, &image, file) &&
		   (!core->pid || pid == core->pid)) {
		/* a forked child still maps the files of the parent */
		snprintf(name, sizeof(name), "%d.%llu", pid,
			 (unsigned long long)starttime);
	} else {
		return 0;
	}
	if (++core->files > FILES_MAX)
		return 0;
	mkdirat(core->out, name, 0700);
	n = strlen(name);
	n += (size_t)snprintf(name + n, sizeof(name) - n, "/%u", image);
	mkdirat(core->out, name, 0700);
	snprintf(name + n, sizeof(name) - n, "/%s", file);
	fd = openat(core->out, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return 0;
	at = range[2] * page;
	size = at + bytes;
	if (fstat(fd, &st) ||
	    ((uint64_t)st.st_size < size && ftruncate(fd, (off_t)size)))
		ret = copy_failed(core);
	else
		ret = copy_range(core, fd, range[0], range[1], at);
	close(fd);
	return ret;
}

/* Copies the files of the note NT_FILE: count, page size; count times start,
 * end, page in the file; names. Returns 0, or -1 and the cause. */
static int take_files(struct core *core, const char *desc, size_t bytes)
{
	const char *names, *end = desc + bytes;
	uint64_t head[2], range[3];

	if (bytes < sizeof(head))
		return 0;
	memcpy(head, desc, sizeof(head));
	if (!head[1] || head[0] > (bytes - sizeof(head)) / sizeof(range))
		return core_fail(core, CORE_FILES_DAMAGED);
	names = desc + sizeof(head) + head[0] * sizeof(range);
	for (uint64_t i = 0; i < head[0]; i++) {
		size_t n = strnlen(names, (size_t)(end - names));

		if (n == (size_t)(end - names))
			return core_fail(core, CORE_FILES_DAMAGED);
		memcpy(range, desc + sizeof(head) + i * sizeof(range),
		       sizeof(range));
		if (take_file(core, range, head[1], names))
			return -1;
		names += n + 1;
	}
	return 0;
}

/* Copies the files that the notes name. Returns 0, or -1 and the cause. */
static int take_core(struct core *core)
{
	struct elf_prpsinfo info;
	size_t n, at, next, name, desc;
	GElf_Ehdr header;
	GElf_Nhdr note;
	GElf_Phdr ph;
	Elf_Data *data;
	char *bytes;

	if (elf_kind(core->elf) != ELF_K_ELF ||
	    !gelf_getehdr(core->elf, &header) || header.e_type != ET_CORE ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf_getphdrnum(core->elf, &n))
		return core_fail(core, CORE_NOT_CORE);
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(core->elf, (int)i, &ph) ||
		    ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(core->elf, (int64_t)ph.p_offset,
					    ph.p_filesz, ELF_T_NHDR);
		/* the note with the pid comes before the one with the files */
		for (at = 0; data && (next = gelf_getnote(data, at, &note,
							  &name, &desc)) > 0;
		     at = next) {
			bytes = data->d_buf;
			if (note.n_namesz != sizeof("CORE") ||
			    memcmp(bytes + name, "CORE", sizeof("CORE")))
				continue;
			if (note.n_type == NT_FILE &&
			    take_files(core, bytes + desc, note.n_descsz))
				return -1;
			if (note.n_type == NT_PRPSINFO &&
			    note.n_descsz >= sizeof(info)) {
				memcpy(&info, bytes + desc, sizeof(info));
				core->pid = info.pr_pid;
			}
		}
	}
	if (!core->files)
		return core_fail(core, CORE_SESSIONLESS);
	if (!core->filled)
		return core_fail(core, CORE_BUFFERLESS);
	return 0;
}

int core_extract(struct core_directory *directory, const char *file)
{
	const char *tmp = getenv("TMPDIR");
	struct core core = { .out = -1, .path = file,
			     .cause = &directory->cause };
	struct stat st;
	int ret = -1;

	elf_version(EV_CURRENT);
	core.fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (core.fd < 0 || fstat(core.fd, &st)) {
		core_fail(&core, CORE_UNOPENED, .error = errno);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		core_fail(&core, CORE_NOT_REGULAR);
		goto out;
	}
	core.bytes = (uint64_t)st.st_size;
	directory->owner = st.st_uid;
	if (snprintf(directory->path, sizeof(directory->path),
		     "%s/taffrail-core.XXXXXX", tmp && *tmp ? tmp : "/tmp") >=
		    (int)sizeof(directory->path) || !mkdtemp(directory->path)) {
		directory->path[0] = '\0';
		core_fail(&core, CORE_UNPLACED, .error = errno);
		goto out;
	}
	core.out = open(directory->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	core.elf = elf_begin(core.fd, ELF_C_READ, NULL);
	if (core.out < 0)
		core_fail(&core, CORE_UNPLACED, .error = errno);
	else if (!core.elf)
		core_fail(&core, CORE_UNREAD, .text = elf_errmsg(-1));
	else
		ret = take_core(&core);
out:
	elf_end(core.elf);
	if (core.out >= 0)
		close(core.out);
	if (core.fd >= 0)
		close(core.fd);
	return ret;
}

void core_remove(struct core_directory *directory)
{
	if (directory->path[0])
		remove_tree(directory->path);
	directory->path[0] = '\0';
}
