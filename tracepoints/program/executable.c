/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The effect of execve(2) on a file, as far as LD_PRELOAD is concerned.
 *
 * Invariant: no call here waits (for a FIFO, a device), and nothing that is
 * read is trusted. The numbers of ELF are those of elf(5).
 */
#include "tracepoints/program/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/base.h"
#include "base/preload.h"
#include "base/sys.h"
#include "base/text.h"

#define HEAD_BYTES	1024u
#define TABLE_BYTES	512u
#define SCRIPTS_MAX	5	/* interpreters of interpreters, in Linux */
#define OPEN_FLAGS	(O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define DEFAULT_PATH	"/bin:/usr/bin"
#define OVERFLOW_ID	65534u	/* of /proc/sys/kernel/overflowuid */
#define NOSUID		2	/* ST_NOSUID, in f_flags of statfs(2) */

#define NOTES_MAX	8192u	/* looked at */
#define NOTE_OWNER	"taffrail-agent"

/* The ELF header of the file that this code is in: it names our machine. */
extern const Elf64_Ehdr __ehdr_start
	__attribute__((weak, visibility("hidden")));

struct head {
	uint8_t bytes[HEAD_BYTES] __attribute__((aligned(8)));
	size_t used;
};

/* Returns how many bytes could be read at an offset; 0 at an error. */
SIGSAFE static size_t read_at(int fd, void *buffer, size_t room,
			      uint64_t offset)
{
	long n = sys4(SYS_pread64, fd, buffer, room, offset);

	return n > 0 ? (size_t)n : 0;
}

/* Opens the file as execvp(3) does: the first in PATH that can be executed. */
SIGSAFE static int open_searched(struct image *image)
{
	const char *path = DEFAULT_PATH;
	char *const *variable = image->search;
	struct text text;
	char byte;
	size_t n;
	int fd;

	for (; *variable; variable++)
		if (text_after(*variable, "PATH="))
			path = text_after(*variable, "PATH=");
	for (;; path += n + 1) {
		for (n = 0; path[n] && path[n] != ':';)
			n++;
		text_open(&text, image->found, sizeof(image->found));
		text_add_bytes(&text, path, n);
		if (n)
			text_add_char(&text, '/');
		text_add(&text, image->path);
		fd = text.cut ? -1 : (int)sys_open(image->found, OPEN_FLAGS, 0);
		/* skips a file as execvp(3) skips a directory */
		if (fd >= 0 && (sys2(SYS_access, image->found, X_OK) ||
				!read_at(fd, &byte, 1, 0))) {
			sys_close(fd);
			fd = -1;
		}
		if (fd >= 0 || !path[n])
			return fd;
	}
}

/* Opens the file that the call would execute. Returns the descriptor, or a
 * value below 0. */
SIGSAFE static int open_image(struct image *image)
{
	struct text text;
	const char *p;
	char link[32];
	long n;
	int flags = OPEN_FLAGS;
	int fd;

	if (image->path) {
		if (image->flags & AT_SYMLINK_NOFOLLOW)
			flags |= O_NOFOLLOW;
		/* execvp(3) does not search for a path with a slash */
		for (p = image->search ? image->path : "/"; *p && *p != '/';)
			p++;
		if (!*p) {
			fd = open_searched(image);
		} else {
			/* the call first: the path may be no valid address */
			fd = (int)sys4(SYS_openat, image->fd, image->path,
				       flags, 0);
			if (fd >= 0)
				text_copy(image->found, sizeof(image->found),
					  image->path);
		}
		if (fd >= 0 || !(image->flags & AT_EMPTY_PATH))
			return fd;
	}
	/* opens it again: the program's descriptor may be for execution only */
	text_open(&text, link, sizeof(link));
	text_add(&text, "/proc/self/fd/");
	text_add_number(&text, image->fd);
	fd = (int)sys_open(link, OPEN_FLAGS, 0);
	n = sys3(SYS_readlink, link, image->found, sizeof(image->found) - 1);
	image->found[n > 0 ? n : 0] = '\0';
	return fd;
}

/* Returns the path of a script's interpreter; NULL if it is no script. */
SIGSAFE static const char *script_interpreter(struct head *head)
{
	char *p = (char *)head->bytes;
	char *end = p + (head->used < HEAD_BYTES ? head->used : HEAD_BYTES - 1);
	char *start;

	if (head->used < 2 || p[0] != '#' || p[1] != '!')
		return NULL;
	*end = '\0';
	for (p += 2; *p == ' ' || *p == '\t';)
		p++;
	for (start = p; *p && *p != ' ' && *p != '\t' && *p != '\n';)
		p++;
	*p = '\0';
	return start;
}

/* Copies program header number `i`. Of a 32-bit header only the type is valid:
 * it is at the same place. Returns false when there is none. */
SIGSAFE static bool segment_read(const struct head *head, uint32_t i,
				 Elf64_Phdr *p)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)head->bytes;
	const Elf32_Ehdr *small = (const Elf32_Ehdr *)head->bytes;
	bool wide = elf->e_ident[EI_CLASS] == ELFCLASS64;
	uint64_t at = wide ? elf->e_phoff : small->e_phoff;
	uint64_t count = wide ? elf->e_phnum : small->e_phnum;
	uint64_t bytes = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);

	if (i >= count || at > HEAD_BYTES ||
	    at + (i + 1) * bytes > head->used)
		return false;
	__builtin_memcpy(p, head->bytes + at + i * bytes, bytes);
	return true;
}

/* Finds the first program header of a type. Returns false when there is none.
 */
SIGSAFE static bool segment_of(const struct head *head, uint32_t type,
			       Elf64_Phdr *p)
{
	for (uint32_t i = 0; segment_read(head, i, p); i++)
		if (p->p_type == type)
			return true;
	return false;
}

/* Returns true for a program, 0 for the dynamic linker or a library. */
SIGSAFE static bool is_static_pie(const struct head *head, int fd)
{
	Elf64_Dyn table[TABLE_BYTES / sizeof(Elf64_Dyn)];
	Elf64_Phdr p;
	size_t n = 0;

	if (segment_of(head, PT_DYNAMIC, &p))
		n = read_at(fd, table, sizeof(table), p.p_offset);
	for (size_t i = 0; i < n / sizeof(*table) && table[i].d_tag; i++)
		if (table[i].d_tag == DT_FLAGS_1)
			return !!(table[i].d_un.d_val & DF_1_PIE);
	return false;
}

/* Returns true when the program contains the agent's archive (agent/note-*.S).
 */
SIGSAFE static bool has_archive(const struct head *head, int fd)
{
	struct {
		Elf64_Nhdr head;
		char owner[sizeof(NOTE_OWNER)];
	} note;
	uint32_t left = NOTES_MAX;
	uint64_t bytes;
	Elf64_Phdr p;

	for (uint32_t i = 0; segment_read(head, i, &p); i++) {
		if (p.p_type != PT_NOTE)
			continue;
		for (uint64_t at = 0; left && at < p.p_filesz; at += bytes) {
			left--;
			if (read_at(fd, &note, sizeof(note), p.p_offset + at) <
			    sizeof(note.head))
				break;
			note.owner[sizeof(note.owner) - 1] = '\0';
			if (note.head.n_namesz == sizeof(NOTE_OWNER) &&
			    text_equal(note.owner, NOTE_OWNER))
				return true;
			/* a word without an owner fills up to the alignment of
			 * the next section, in files of mold */
			bytes = sizeof(note.head.n_namesz);
			if (note.head.n_namesz)
				bytes = sizeof(note.head) +
					((note.head.n_namesz + 3ull) & ~3ull) +
					((note.head.n_descsz + 3ull) & ~3ull);
		}
	}
	return false;
}

/* Returns true when the kernel would give the program this id in place of the
 * present one. In a user namespace OVERFLOW_ID stands for all ids that are not
 * mapped there: the kernel does not give a program those. */
SIGSAFE static bool id_differs(uint32_t id, long own)
{
	char map[33] = "";
	int fd;

	if (id != OVERFLOW_ID || id == (uint32_t)own)
		return id != (uint32_t)own;
	/* where all ids are mapped, the map is one line of three numbers, of
	 * ten characters each, and the last is the largest */
	fd = (int)sys_open("/proc/self/uid_map", OPEN_FLAGS, 0);
	if (fd < 0)
		return false;
	read_at(fd, map, sizeof(map) - 1, 0);
	sys_close(fd);
	return text_equal(map + 22, "4294967295");
}

/* Returns true when the program would begin under AT_SECURE. Does not look at
 * capabilities of files. */
SIGSAFE static bool is_secure(int fd)
{
	struct statfs fs;
	struct stat st;

	/* a process with two user or group ids hands them on */
	if (sys0(SYS_geteuid) != sys0(SYS_getuid) ||
	    sys0(SYS_getegid) != sys0(SYS_getgid))
		return true;
	if (sys2(SYS_fstat, fd, &st) || !(st.st_mode & (S_ISUID | S_ISGID)))
		return false;
	if (!((st.st_mode & S_ISUID) &&
	      id_differs(st.st_uid, sys0(SYS_getuid))) &&
	    !((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	      id_differs(st.st_gid, sys0(SYS_getgid))))
		return false;
	return !sys2(SYS_fstatfs, fd, &fs) && !(fs.f_flags & NOSUID) &&
	       !sys5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
}

/* Sets the results for an ELF file, by the first thing that keeps the agent
 * out. */
SIGSAFE static void image_judge(struct image *image, const struct head *head,
				int fd, char *const *environment)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)head->bytes;
	const Elf64_Ehdr *own = &__ehdr_start;
	Elf64_Phdr p;
	bool interpreted = segment_of(head, PT_INTERP, &p);

	if (!own || elf->e_machine != own->e_machine ||
	    elf->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	    elf->e_ident[EI_DATA] != own->e_ident[EI_DATA]) {
		image->why = LACKING_MACHINE;
		image->withhold = interpreted || elf->e_ident[EI_DATA] !=
							 own->e_ident[EI_DATA];
	} else if (is_secure(fd)) {
		image->why = LACKING_SECURE;
	} else if (interpreted) {
		image->preloads = preload_seen(environment);
		image->withhold = !image->preloads;
		image->why = image->withhold ? LACKING_UNSEEN : LACKING_NOT;
	} else if (segment_read(head, 0, &p) && !has_archive(head, fd) &&
		   (elf->e_type == ET_EXEC || is_static_pie(head, fd))) {
		image->why = LACKING_STATIC;
	}
}

SIGSAFE void image_look(struct image *image, char *const *environment)
{
	struct head head;
	const char *script;
	int scripts = 0;
	int fd = open_image(image);

	image->why = LACKING_NOT;
	image->withhold = 0;
	image->preloads = false;
	if (fd < 0)
		image->found[0] = '\0';
	while (fd >= 0) {
		head.used = read_at(fd, head.bytes, HEAD_BYTES, 0);
		script = script_interpreter(&head);
		if (!script && head.used >= sizeof(Elf64_Ehdr) &&
		    !__builtin_memcmp(head.bytes, ELFMAG, SELFMAG))
			image_judge(image, &head, fd, environment);
		sys_close(fd);
		fd = script && scripts++ < SCRIPTS_MAX ?
			     (int)sys_open(script, OPEN_FLAGS, 0) : -1;
	}
}
