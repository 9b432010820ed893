/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The note by which a file says that it is a probe library.
 *
 * Invariant: the file is read and not mapped, as another program may cut it
 * meanwhile; and nothing of it is executed.
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

/* Returns why the file of so many bytes is no probe library, or NULL. The
 * dynamic linker maps segments also where the file ends before they do, and the
 * program gets SIGBUS where it reads one. */
static const char *unfit_reason(Elf *elf, uint64_t bytes)
{
	size_t n = 0, at, next, name, desc;
	bool noted = false, cut;
	GElf_Ehdr header;
	GElf_Phdr ph;
	GElf_Nhdr note;
	Elf_Data *data;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return "it is no ELF file";
	if (gelf_getclass(elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
		return "it is built for another machine";
	if (header.e_type != ET_DYN)
		return "it is no shared library: build it with -shared -fPIC";
	cut = elf_getphdrnum(elf, &n);
	for (size_t i = 0; !cut && i < n; i++) {
		cut = !gelf_getphdr(elf, (int)i, &ph) ||
		      (ph.p_type == PT_LOAD &&
		       (ph.p_offset > bytes ||
			ph.p_filesz > bytes - ph.p_offset));
		if (cut || noted || ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset,
					    ph.p_filesz, ph.p_align == 8 ?
					    ELF_T_NHDR8 : ELF_T_NHDR);
		for (at = 0; data && (next = gelf_getnote(data, at, &note,
							  &name, &desc)) > 0;
		     at = next)
			noted |= note.n_type == TAFFRAIL_PROBE_LIBRARY_NOTE_ &&
				 note.n_namesz == sizeof("Taffrail") &&
				 !memcmp((char *)data->d_buf + name, "Taffrail",
					 sizeof("Taffrail"));
	}
	if (cut)
		return "it is cut: the file ends before its segments do";
	return noted ? NULL : "it has no TAFFRAIL_PROBE_LIBRARY";
}

/* Writes "; with Taffrail come A, B": the libraries that a bare word may name;
 * "" for a path. Names for which there is no room are left out or cut. */
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

/* A pipe is opened without waiting for a writer: it is no ELF file. */
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
	elf = S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	why = elf ? unfit_reason(elf, (uint64_t)st.st_size) :
	      S_ISDIR(st.st_mode) ? "it is a directory" : "it is no ELF file";
	elf_end(elf);
	close(fd);
	if (why)
		command_failed("%s is no probe library: %s", path, why);
	return why ? -ENOEXEC : 0;
}
