/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The note by which a file says that it is a probe library.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/common/command.h"
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

/* Returns what keeps the file from being a probe library, or NULL. */
static const char *unfit(Elf *elf)
{
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		return "it is no ELF file";
	if (gelf_getclass(elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
		return "it is built for another machine";
	if (header.e_type != ET_DYN)
		return "it is no shared library: build it with -shared -fPIC";
	if (!file_has(elf))
		return "it has no TAFFRAIL_PROBE_LIBRARY";
	return NULL;
}

int load_check_file(const char *path)
{
	const char *why;
	struct stat st;
	Elf *elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &st)) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		command_failed("cannot read %s: %s", path, strerror(error));
		return -error;
	}
	elf_version(EV_CURRENT);
	elf = S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	why = elf ? unfit(elf) : "it is no ELF file";
	elf_end(elf);
	close(fd);
	if (!why)
		return 0;
	command_failed("%s is no probe library: %s", path, why);
	return -ENOEXEC;
}
