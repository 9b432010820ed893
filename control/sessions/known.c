/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts about files of modules that processes leave for others, which then need
 * not open the files: most programs of a recording load the same libraries.
 *
 * sessions/.known is a table of hashes, KNOWN_BYTES long at most. A hash stands
 * for a module and a question to which the answer was no: "does a rule name one
 * of its probes?", "was one of its sites moved?". Rows of ROW hashes are found
 * by the hash; a new one takes a free place of the row, or that of another.
 *
 * Invariant: the hash of a module has the file's number, size and times, and
 * the ELF header, program headers and notes in memory. A module without a build
 * ID has no hash. So a changed or replaced file is asked again, and one
 * that was replaced since it was loaded is not taken for that one. A wrong
 * byte in the table is no hash of anything; the directory is the user's own.
 *
 * The file sessions/.deferred.NAME of a recorder has such a table, too, for
 * whole programs (quiet.c).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/base.h"
#include "base/file.h"
#include "base/index.h"
#include "base/sys.h"
#include "control/protocol.h"
#include "control/sessions/place.h"
#include "control/sessions/private.h"
#include "tracepoints/sites/notes.h"
#include "tracepoints/usdt/usdt.h"

#define ROW		8u
#define ROW_BYTES	(ROW * sizeof(uint64_t))
#define KNOWN_BYTES	PROTOCOL_TABLE_BYTES
#define ROOM_BYTES	(1u << 20)
#define ROOM_FILES	64u

static bool settled;			/* each answer is known: no */
static bool passing;			/* a pass asks, */
static int table = -1;			/* and has opened this file */

/* Opens the table. To add to it, makes it, unless files or room are scarce:
 * then sessions need them. */
static int table_open(bool add)
{
	int directory = place_sessions_open();
	struct statfs fs;
	int fd = -ENOSPC;

	if (directory < 0)
		return directory;
	if (!add || (!sys2(SYS_fstatfs, directory, &fs) &&
		     fs.f_bavail * (uint64_t)fs.f_bsize >= ROOM_BYTES &&
		     (!fs.f_files || fs.f_ffree >= ROOM_FILES)))
		fd = file_open(directory, PROTOCOL_KNOWN_FILE, O_RDWR, 0,
			       KNOWN_BYTES);
	if (fd == -ENOENT && add)
		fd = file_make(directory, PROTOCOL_KNOWN_FILE, O_RDWR);
	sys_close(directory);
	return fd;
}

void known_settle(bool all)
{
	settled = all;
}

void known_open(void)
{
	passing = true;
}

void known_close(void)
{
	if (table >= 0)
		sys_close(table);
	table = -1;
	passing = false;
}

/* Adds the bytes of a note segment. Returns true when it has a build ID. */
static bool notes_add(uint64_t *hash, const uint8_t *at, uint64_t bytes)
{
	const uint8_t *end = at + bytes;
	Elf64_Nhdr note;
	bool found = false;

	*hash = index_hash(*hash, at, bytes);
	while ((uint64_t)(end - at) > sizeof(note)) {
		__builtin_memcpy(&note, at, sizeof(note));
		found |= note.n_type == NT_GNU_BUILD_ID && note.n_descsz &&
			 note.n_namesz == sizeof(ELF_NOTE_GNU) &&
			 (uint64_t)(end - at) > sizeof(note) + note.n_namesz &&
			 !__builtin_memcmp(at + sizeof(note), ELF_NOTE_GNU,
					   sizeof(ELF_NOTE_GNU));
		bytes = sizeof(note) + align_up(note.n_namesz, 4) +
			align_up(note.n_descsz, 4);
		if (bytes > (uint64_t)(end - at))
			break;
		at += bytes;
	}
	return found;
}

uint64_t known_hash_loaded(const struct module *module, uint64_t question)
{
	const Elf64_Phdr *ph = module->headers;
	const struct notes notes = {
		.ph = ph, .nph = module->nheaders,
		.base = (const char *)module->base,
	};
	const void *header = notes_at(&notes, module->start - module->base,
				      sizeof(Elf64_Ehdr), PF_R);
	/* another version may find what this one does not */
	uint64_t hash = index_hash(question ^ (uint64_t)USDT_VERSION << 32, ph,
				   module->nheaders * sizeof(*ph));
	bool found = false;
	const void *at;

	if (!header || __builtin_memcmp(header, ELFMAG, SELFMAG))
		return 0;
	hash = index_hash(hash, header, sizeof(Elf64_Ehdr));
	for (uint32_t i = 0; i < module->nheaders; i++) {
		if (ph[i].p_type != PT_NOTE)
			continue;
		at = notes_at(&notes, ph[i].p_vaddr, ph[i].p_memsz, PF_R);
		if (at)
			found |= notes_add(&hash, at, ph[i].p_memsz);
	}
	return found ? hash | 1 : 0;
}

uint64_t known_hash(const struct module *module, uint64_t question)
{
	uint64_t hash = known_hash_loaded(module, question);
	struct stat st;

	/* the vDSO has no file */
	if (!hash || module->start == getauxval(AT_SYSINFO_EHDR))
		return hash;
	if (!module->path[0] ||
	    sys4(SYS_newfstatat, AT_FDCWD, module->path, &st, 0))
		return 0;
	hash = index_hash(hash, &st.st_dev, sizeof(st.st_dev));
	hash = index_hash(hash, &st.st_ino, sizeof(st.st_ino));
	hash = index_hash(hash, &st.st_size, sizeof(st.st_size));
	hash = index_hash(hash, &st.st_mtim, sizeof(st.st_mtim));
	return index_hash(hash, &st.st_ctim, sizeof(st.st_ctim)) | 1;
}

/* Reads the row of a hash. Returns where it is in the file; the table begins at
 * `from`. */
static uint64_t row_read(int fd, uint64_t from, uint64_t hash,
			 uint64_t row[static ROW])
{
	uint64_t at = from + hash / 2 % (KNOWN_BYTES / ROW_BYTES) * ROW_BYTES;

	__builtin_memset(row, 0, ROW_BYTES);
	sys4(SYS_pread64, fd, row, ROW_BYTES, at);
	return at;
}

/* Returns true when the table has the hash; else sets the place for it. */
static bool row_has(int fd, uint64_t from, uint64_t hash, uint64_t *place)
{
	uint64_t row[ROW], at = row_read(fd, from, hash, row);
	uint32_t i;

	for (i = 0; i < ROW && row[i] != hash; i++)
		;
	if (i < ROW)
		return true;
	for (i = 0; i < ROW && row[i]; i++)
		;
	/* the place of another: the upper bits of the hash choose */
	if (i == ROW)
		i = (uint32_t)(hash >> 61);
	*place = at + i * sizeof(hash);
	return false;
}

bool known_module(const struct module *module, uint64_t question)
{
	bool found = settled;
	uint64_t hash;
	int fd;

	if (found)
		return true;
	fd = table >= 0 ? table : table_open(false);
	hash = fd >= 0 ? known_hash(module, question) : 0;
	if (passing)
		table = fd;
	found = known_has(fd, 0, hash);
	if (fd >= 0 && fd != table)
		sys_close(fd);
	return found;
}

bool known_has(int fd, uint64_t from, uint64_t hash)
{
	uint64_t at;

	return hash && row_has(fd, from, hash, &at);
}

void known_put(int fd, uint64_t from, uint64_t hash)
{
	uint64_t at;

	if (hash && !row_has(fd, from, hash, &at))
		sys_pwrite(fd, &hash, sizeof(hash), at);
}

void known_add(const struct module *module, uint64_t question)
{
	int fd = table_open(true);

	if (fd < 0)
		return;
	known_put(fd, 0, known_hash(module, question));
	sys_close(fd);
}
