/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The note by which a file says that it is a probe library.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/load/libraries.h"
#include "include/taffrail/probe-library.h"

static bool segment_has(Elf *elf, const GElf_Phdr *ph)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset,
					      ph->p_filesz,
					      ph->p_align == 8 ? ELF_T_NHDR8 :
								 ELF_T_NHDR);
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	for (; data && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0;
	     at = next)
		if (note.n_type == TAFFRAIL_PROBE_LIBRARY_NOTE_ &&
		    note.n_namesz == sizeof("Taffrail") &&
		    !memcmp((char *)data->d_buf + name, "Taffrail",
			    sizeof("Taffrail")))
			return true;
	return false;
}

static bool file_has(Elf *elf)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_NOTE &&
		    segment_has(elf, &ph))
			return true;
	return false;
}

/* Returns true when the file ends before its segments do. The dynamic linker
 * maps them nevertheless, and the program gets SIGBUS where it reads one. */
static bool is_shortened(Elf *elf, uint64_t bytes)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return true;
	for (size_t i = 0; i < n; i++)
		if (!gelf_getphdr(elf, (int)i, &ph) ||
		    (ph.p_type == PT_LOAD &&
		     (ph.p_offset > bytes ||
		      ph.p_filesz > bytes - ph.p_offset)))
			return true;
	return false;
}

/* Returns why the file is no probe library, or NULL. */
static const char *unfit_reason(Elf *elf, uint64_t bytes)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return "it is no ELF file";
	if (gelf_getclass(elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
		return "it is built for another machine";
	if (header.e_type != ET_DYN)
		return "it is no shared library: build it with -shared -fPIC";
	if (is_shortened(elf, bytes))
		return "it is cut: the file ends before its segments do";
	if (!file_has(elf))
		return "it has no TAFFRAIL_PROBE_LIBRARY";
	return NULL;
}

/* Writes "; with Taffrail come A, B": the libraries that a bare word may name.
 * Writes "" for a path. */
static void shipped_text(char *text, size_t room, const char *word)
{
	char path[PATH_MAX];
	struct dirent **names = NULL;
	size_t used = 0;
	int n = -1;

	text[0] = '\0';
	if (!strchr(word, '/') &&
	    !installed_find(path, sizeof(path), INSTALLED_LIB, "taffrail"))
		n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *end = strstr(names[i]->d_name, ".so");

		if (end && !end[3] && used < room)
			used += (size_t)snprintf(text + used, room - used,
						 "%s%.*s", used ? ", " :
						 "; with Taffrail come ",
						 (int)(end - names[i]->d_name),
						 names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

int load_check_file(const char *path)
{
	char shipped[256];
	const char *why;
	struct stat st;
	Elf *elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st)) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		shipped_text(shipped, sizeof(shipped), path);
		command_failed("cannot read %s: %s%s", path, strerror(error),
			       shipped);
		return -error;
	}
	elf_version(EV_CURRENT);
	/* not mapped: the file may be cut meanwhile */
	elf = S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	why = elf ? unfit_reason(elf, (uint64_t)st.st_size) :
	      S_ISDIR(st.st_mode) ? "it is a directory" : "it is no ELF file";
	elf_end(elf);
	close(fd);
	if (!why)
		return 0;
	command_failed("%s is no probe library: %s", path, why);
	return -ENOEXEC;
}
