/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extracts the buffers of a core dump: see core.h. The note NT_FILE (elf.h;
 * written by the kernel's fs/binfmt_elf.c and by gdb) says which files were
 * mapped and where; the PT_LOAD segments have their contents.
 *
 * Invariant: a core dump is input. Names are parsed, and made
 * again from numbers; every offset is checked.
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

/* Copies `bytes` bytes of the core, from offset `from`, to `at` in the file. */
static int bytes_copy(struct core *core, int fd, uint64_t from, uint64_t bytes,
		      uint64_t at)
{
	static const char zeros[BLOCK];
	char block[BLOCK];

	while (bytes) {
		size_t n = bytes < BLOCK ? bytes : BLOCK;
		ssize_t got = pread(core->fd, block, n, (off_t)from);

		if (got <= 0)
			return core_fail(core, CORE_CUT);
		/* a block of zeros stays a hole */
		if (memcmp(block, zeros, (size_t)got) &&
		    pwrite(fd, block, (size_t)got, (off_t)at) != got)
			return copy_failed(core);
		bytes -= (uint64_t)got;
		from += (uint64_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

/* Copies the part of [start, end) that the segments have; `start` is at `at` in
 * the file. */
static int copy_range(struct core *core, int fd, uint64_t start, uint64_t end,
		      uint64_t at)
{
	bool filled = false;
	GElf_Phdr ph;
	size_t n;
	int ret = 0;

	if (elf_getphdrnum(core->elf, &n))
		return core_fail(core, CORE_UNREAD, .text = elf_errmsg(-1));
	for (size_t i = 0; i < n && !ret; i++) {
		uint64_t low, high;

		if (!gelf_getphdr(core->elf, (int)i, &ph) ||
		    ph.p_type != PT_LOAD || !ph.p_filesz ||
		    ph.p_offset > core->bytes ||
		    ph.p_vaddr + ph.p_filesz < ph.p_vaddr)
			continue;
		low = ph.p_vaddr > start ? ph.p_vaddr : start;
		high = ph.p_vaddr + ph.p_filesz;
		high = high < end ? high : end;
		if (low >= high)
			continue;
		filled = true;
		ret = bytes_copy(core, fd, ph.p_offset + (low - ph.p_vaddr),
				 high - low, at + (low - start));
	}
	core->filled += filled;
	return ret;
}

/* Creates the agent's file that `path` names, below the directory. Returns a
 * descriptor, or -1 when the path does not name one. */
static int file_create(struct core *core, const char *path)
{
	char name[PATH_MAX], file[NAME_MAX + 1];
	uint64_t starttime;
	uint32_t image;
	pid_t pid;

	if (strlen(path) >= sizeof(name))
		return -1;
	strcpy(name, path);
	/* a forked child still maps the files of the parent */
	if (!rundir_parse_file(name, &pid, &starttime, &image, file) ||
	    (core->pid && pid != core->pid))
		return -1;
	if (++core->files > FILES_MAX)
		return -1;
	snprintf(name, sizeof(name), "%d.%llu", pid,
		 (unsigned long long)starttime);
	mkdirat(core->out, name, 0700);
	snprintf(name, sizeof(name), "%d.%llu/%u", pid,
		 (unsigned long long)starttime, image);
	mkdirat(core->out, name, 0700);
	snprintf(name, sizeof(name), "%d.%llu/%u/%s", pid,
		 (unsigned long long)starttime, image, file);
	return openat(core->out, name, O_RDWR | O_CREAT | O_NOFOLLOW |
		      O_CLOEXEC, 0600);
}

static int take_file(struct core *core, const uint64_t range[3],
		     uint64_t page, const char *path)
{
	uint64_t bytes = range[1] - range[0];
	uint64_t at, size;
	struct stat st;
	int fd, ret;

	if (range[1] <= range[0] || bytes > FILE_BYTES_MAX ||
	    range[2] > FILE_BYTES_MAX / page)
		return 0;
	at = range[2] * page;
	fd = file_create(core, path);
	if (fd < 0)
		return 0;
	size = at + bytes;
	if (fstat(fd, &st) ||
	    ((uint64_t)st.st_size < size && ftruncate(fd, (off_t)size)))
		ret = copy_failed(core);
	else
		ret = copy_range(core, fd, range[0], range[1], at);
	close(fd);
	return ret;
}

/* count, page size; count times start, end, page in the file; names */
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

static int take_note(struct core *core, uint32_t type, const char *desc,
		     size_t bytes)
{
	struct elf_prpsinfo info;

	if (type == NT_FILE)
		return take_files(core, desc, bytes);
	if (type == NT_PRPSINFO && bytes >= sizeof(info)) {
		memcpy(&info, desc, sizeof(info));
		core->pid = info.pr_pid;
	}
	return 0;
}

/* The note with the pid comes before the note with the files. */
static int take_notes(struct core *core, const GElf_Phdr *ph)
{
	Elf_Data *data = elf_getdata_rawchunk(core->elf, (int64_t)ph->p_offset,
					      ph->p_filesz, ELF_T_NHDR);
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	for (; data && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0;
	     at = next)
		if (note.n_namesz == sizeof("CORE") &&
		    !memcmp((char *)data->d_buf + name, "CORE",
			    sizeof("CORE")) &&
		    take_note(core, note.n_type, (char *)data->d_buf + desc,
			      note.n_descsz))
			return -1;
	return 0;
}

static int take_core(struct core *core)
{
	GElf_Ehdr header;
	GElf_Phdr ph;
	size_t n;

	if (elf_kind(core->elf) != ELF_K_ELF ||
	    !gelf_getehdr(core->elf, &header) || header.e_type != ET_CORE ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf_getphdrnum(core->elf, &n))
		return core_fail(core, CORE_NOT_CORE);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(core->elf, (int)i, &ph) &&
		    ph.p_type == PT_NOTE && take_notes(core, &ph))
			return -1;
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
