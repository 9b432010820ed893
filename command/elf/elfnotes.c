/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads markers and USDT probes of ELF files, and markers out of the memory of
 * a process. See elfnotes.h.
 *
 * The notes of markers, and all that they name, are in segments that are
 * loaded, so a module that has no file any more is read by its memory
 * (include/taffrail/site.h).
 *
 * Invariant: the symboliser reads the bytes; this process reads only a module's
 * program headers. Only the segments that these name are copied, each to the
 * same distance from the first.
 */
#include "command/elf/elfnotes.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "command/causes/cause.h"
#include "command/elf/debug-path-private.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/plan.h"

#define PAGE		4096ull
#define SEGMENTS_MAX	64
#define MODULE_BYTES	(1ull << 32)

/* Adds a marker that the symboliser has read to the list `priv`, which copies
 * the texts. Returns 0 or -ENOMEM. */
static int add_marker(const struct symboliser_found *found, void *priv)
{
	static const char *const words[] = {
		[WHY_UNSAID] = NULL, [WHY_MOVED] = MARKER_MOVED,
		[WHY_OTHER] = MARKER_OTHER,
		[WHY_ELSEWHERE] = MARKER_ELSEWHERE,
		[WHY_OWN] = MARKER_OWN,
		[WHY_EXITS] = MARKER_EXITS, [WHY_REACH] = MARKER_REACH,
		[WHY_SYMBOL] = MARKER_SYMBOL,
	};
	static const int refusals[] = {
		[WHY_FIELDS] = -E2BIG, [WHY_LONG] = -EMSGSIZE,
		[WHY_NAME] = -ENAMETOOLONG, [WHY_TYPE] = -EOPNOTSUPP,
		[WHY_MALFORMED] = -EBADMSG, [WHY_STATE] = -ENODATA,
		[WHY_APART] = -EXDEV,
	};
	const struct symboliser_marker *of = &found->marker;
	struct marker m = {
		.address = of->address, .line = of->line, .kind = of->kind,
		.nfields = of->nfields, .tested = of->tested,
		.function = of->function, .former = of->former,
		.exported = of->function == SYMBOLISER_EXPORTED,
		.placement = of->placement, .operand = of->operand,
		.why = of->why < WHY_FIELDS ?
			       words[of->why] :
		       of->why < WHY_USDT ?
			       marker_refusal(refusals[of->why]) :
			       usdt_reason_text(of->why - WHY_USDT),
		.shown = (char *)found->shown,
		.shown_bytes = found->shown_bytes,
	};

	memcpy(m.types, of->types, sizeof(m.types));
	return marker_list_add(priv, &m, found->strings[0], found->strings[1],
			       found->strings[2], found->strings[3]);
}

/* Adds SYMBOLISER_LIBC for a file of libc's libraries, by the name. */
static uint32_t functions_how(const char *path, uint32_t how)
{
	return how & SYMBOLISER_FUNCTIONS &&
		rule_is_runtime(text_file_name(path)) ?
		       how | SYMBOLISER_LIBC : how;
}

/* Opens the file of debug information of a file with this path. Returns whether
 * there is one of the same build. */
static bool debug_opened(struct opener_file *debug, const char *path,
			 const struct opener_file *file)
{
	static struct symboliser_module own;
	char place[DEBUG_PATH_BYTES];

	return !symboliser_read_open(&own, file) &&
	       debug_file_open(debug, place, path, &own, false);
}

int elfnotes_read_open(struct marker_list *list, const char *path,
		       const struct opener_file *file, uint32_t how,
		       char error[ELFNOTES_ERROR_BYTES])
{
	struct symboliser_file from = symboliser_opened(file), more;
	uint64_t ns = SYMBOLISER_MARKERS_NS;
	struct opener_file debug;
	bool has_debug = how & SYMBOLISER_FUNCTIONS &&
			 debug_opened(&debug, path, file);
	int ret;

	if (has_debug) {
		more = symboliser_opened(&debug);
		more.kind = FILE_DEBUG;
	}
	ret = symboliser_markers(&from, has_debug ? &more : NULL,
				 functions_how(path, how), add_marker, list,
				 error, &ns);
	if (has_debug)
		opener_close(&debug);
	return ret;
}

int elfnotes_read(struct marker_list *list, const char *path, uint32_t how,
		  char error[ELFNOTES_ERROR_BYTES])
{
	struct opener_file file;
	int ret = opener_open(&file, path, 0);

	if (ret) {
		snprintf(error, ELFNOTES_ERROR_BYTES, "%s",
			 ret == -EINVAL ? "not a regular file" :
			 ret == -ETIMEDOUT ?
				 "it does not answer, or no process can be "
				 "made to open it" : strerror(-ret));
		return ret;
	}
	ret = elfnotes_read_open(list, path, &file, how, error);
	opener_close(&file);
	return ret;
}

/* Copies the segments of a module into a file in memory, from `low` on, the
 * module's first address. Returns the descriptor, or a negative errno. */
static int copy_module(pid_t pid, uint64_t shift, const Elf64_Phdr *ph, int n,
		       uint64_t low, size_t bytes)
{
	int fd = memfd_create("taffrail module", MFD_CLOEXEC), ret;
	struct rlimit limit = { 0 }, most;
	char *module;

	if (fd < 0)
		return -errno;
	/* this file is in memory: the limit of files is none for it */
	getrlimit(RLIMIT_FSIZE, &limit);
	most = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	setrlimit(RLIMIT_FSIZE, &most);
	ret = ftruncate(fd, (off_t)bytes) ? -errno : 0;
	setrlimit(RLIMIT_FSIZE, &limit);
	module = ret ? MAP_FAILED :
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (module == MAP_FAILED) {
		ret = ret ? ret : -errno;
		goto close;
	}
	for (int i = 0; !ret && i < n; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_R)
			ret = process_memory(pid, ph[i].p_vaddr + shift,
				module + (ph[i].p_vaddr - low),
				ph[i].p_filesz < ph[i].p_memsz ?
					ph[i].p_filesz : ph[i].p_memsz);
	munmap(module, bytes);
	if (!ret)
		return fd;
close:
	close(fd);
	return ret;
}

int elfnotes_read_memory(struct marker_list *list, pid_t pid, uint64_t start,
			 uint64_t *shift, char error[ELFNOTES_ERROR_BYTES])
{
	static const char owner[] = "taffrail";
	uint64_t ns = SYMBOLISER_MARKERS_NS, low = UINT64_MAX, high = 0;
	struct symboliser_file module;
	Elf64_Phdr ph[SEGMENTS_MAX];
	Elf64_Ehdr header;
	bool found = false;
	char *bytes;
	int ret = process_memory(pid, start, &header, sizeof(header));

	error[0] = '\0';
	if (ret)
		return ret;
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_phentsize != sizeof(*ph) ||
	    header.e_phnum > SEGMENTS_MAX || header.e_phoff > PAGE)
		return -ENOEXEC;
	ret = process_memory(pid, start + header.e_phoff, ph,
			  header.e_phnum * sizeof(*ph));
	if (ret)
		return ret;
	for (int i = 0; i < header.e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		if (ph[i].p_vaddr + ph[i].p_memsz < ph[i].p_vaddr)
			return -ENOEXEC;
		if (ph[i].p_vaddr < low)
			low = ph[i].p_vaddr & ~(PAGE - 1);
		if (ph[i].p_vaddr + ph[i].p_memsz > high)
			high = ph[i].p_vaddr + ph[i].p_memsz;
	}
	if (low >= high || high - low > MODULE_BYTES)
		return -ENOEXEC;
	*shift = start - low;
	/* most modules have no note of a marker, and need no copy */
	for (int i = 0; i < header.e_phnum && !found; i++) {
		if (ph[i].p_type != PT_NOTE || ph[i].p_memsz >= MODULE_BYTES)
			continue;
		bytes = malloc(ph[i].p_memsz + 1);
		found = bytes && !process_memory(pid, ph[i].p_vaddr + *shift,
					      bytes, ph[i].p_memsz) &&
			memmem(bytes, ph[i].p_memsz, owner, sizeof(owner));
		free(bytes);
	}
	if (!found)
		return 0;
	module.bytes = high - low;
	module.fd = copy_module(pid, *shift, ph, header.e_phnum, low,
				module.bytes);
	if (module.fd < 0)
		return module.fd;
	ret = symboliser_markers(&module, NULL, SYMBOLISER_LOADED, add_marker,
				 list, error, &ns);
	close(module.fd);
	return ret;
}
