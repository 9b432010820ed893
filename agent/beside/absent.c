/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with call sites of LTTng-UST, where LTTng is not installed. A call
 * site looks for LTTng's libraries in a constructor, by dlopen(), and stays off
 * without them. So the agent, which starts before any constructor, loads
 * libraries of its own that have LTTng's names (agent/standin/).
 *
 * Invariant: where the program could find LTTng's own library, the names are
 * left to that.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/beside/private.h"
#include "agent/late.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/program/modules.h"

#define NAMES_BYTES	4096
#define PATH_BYTES	512
#define SEARCH_BYTES	16384
#define CACHE		"/etc/ld.so.cache"

/* Of LTTng-UST 2.13 and later, and of 2.12 and older. */
static const struct series {
	const char *section;		/* of a file with call sites */
	const char *tracepoint;		/* the library that these look for */
	const char *more[2];		/* and those of providers */
} all_series[] = {
	{ "lttng_ust_tracepoints_ptrs",
	  UST_TRACEPOINT_LIBRARY,
	  { UST_COMMON_LIBRARY, UST_LIBRARY } },
	{ "__tracepoints_ptrs",
	  OLDER_TRACEPOINT_LIBRARY,
	  { OLDER_LIBRARY, NULL } },
};

static bool file_take(int fd, void *to, uint64_t bytes, uint64_t offset)
{
	return sys4(SYS_pread64, fd, to, bytes, offset) == (long)bytes;
}

/* Returns a bit for each series whose section of call sites a file has. */
static uint32_t file_series(int fd)
{
	char names[NAMES_BYTES];
	uint32_t found = 0, at;
	Elf64_Shdr section;
	Elf64_Ehdr header;
	uint64_t bytes;

	if (!file_take(fd, &header, sizeof(header), 0) ||
	    !file_take(fd, &section, sizeof(section),
		       header.e_shoff +
			       (uint64_t)header.e_shstrndx * sizeof(section)))
		return 0;
	bytes = min_u64(section.sh_size, sizeof(names) - 1);
	if (!file_take(fd, names, bytes, section.sh_offset))
		return 0;
	names[bytes] = '\0';
	for (at = 0; at < bytes; at += text_length(names + at) + 1)
		for (uint32_t i = 0; i < ARRAY_SIZE(all_series); i++)
			if (text_equal(names + at, all_series[i].section))
				found |= 1u << i;
	return found;
}

/* Notes the series of a module's call sites. */
static int module_sites(struct dl_phdr_info *info, size_t size, void *found)
{
	int fd;

	/* a call site needs this one; the test costs no system call */
	if (!module_needs(info, "dlopen") ||
	    module_has(info, (void *)beside_register))
		return 0;
	fd = (int)sys_open(*info->dlpi_name ? info->dlpi_name :
					      "/proc/self/exe",
			   O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	*(uint32_t *)found |= file_series(fd);
	sys_close(fd);
	return 0;
}

/* Returns true when there is a file of that name in a folder, or a file of that
 * path, where the name is NULL. */
static bool file_is_there(const char *folder, const char *name)
{
	char file[PATH_BYTES];
	struct text path;
	int fd;

	text_open(&path, file, sizeof(file));
	text_add(&path, folder);
	if (name)
		text_add_char(&path, '/');
	text_add(&path, name ? name : "");
	fd = (int)sys_open(file, O_PATH | O_CLOEXEC, 0);
	if (path.cut || fd < 0)
		return path.cut;
	sys_close(fd);
	return true;
}

/* Returns true when the dynamic linker's cache has the path of a library, and
 * that is there. */
static bool cache_has(const char *name)
{
	size_t length = text_length(name) + 1;
	int fd = (int)sys_open(CACHE, O_RDONLY | O_CLOEXEC, 0);
	long bytes = fd < 0 ? 0 : sys4(SYS_lseek, fd, 0, SEEK_END, 0);
	long map = bytes <= 0 ? -1 :
		   sys_mmap(0, (uint64_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	const char *from = (const char *)map, *p, *path;
	bool found = false;

	if (fd >= 0)
		sys_close(fd);
	if (map < 0 && map > -4096)
		return false;
	for (p = from; !found && p + length < from + bytes; p++) {
		if (*p != '/' || __builtin_memcmp(p + 1, name, length) != 0)
			continue;
		for (path = p; path > from && path[-1]; path--)
			;
		found = file_is_there(path, NULL);
	}
	sys_munmap((uint64_t)map, (uint64_t)bytes);
	return found;
}

/* Returns true when a library is in a folder that the dynamic linker searches
 * for a module. */
static bool module_finds(const struct link_map *handle, const char *name)
{
	static union {
		Dl_serinfo list;
		char bytes[SEARCH_BYTES];
	} search;
	Dl_serinfo wanted;
	bool found;

	found = dlinfo((void *)handle, RTLD_DI_SERINFOSIZE, &wanted) ||
		wanted.dls_size > sizeof(search);
	if (!found) {
		search.list = wanted;
		found = dlinfo((void *)handle, RTLD_DI_SERINFO, &search.list);
	}
	for (uint32_t i = 0; !found && i < search.list.dls_cnt; i++)
		found = file_is_there(search.list.dls_serpath[i].dls_name,
				      name);
	return found;
}

static bool map_is_named(const struct link_map *map, const char *name)
{
	return text_after(text_file_name(map->l_name), name);
}

/* Calls a function for the modules until it returns true, and returns that. */
static bool maps_any(bool (*call)(const struct link_map *map,
				  const char *name), const char *name)
{
	const struct r_debug *debug = modules_debug();
	const struct link_map *map = debug ? debug->r_map : NULL;

	while (map && !call(map, name))
		map = map->l_next;
	return map;
}

/* Returns true when the dlopen() of some module may find a library of LTTng's:
 * in the linker's cache, or in a folder that it searches for the module.
 * Nothing is opened by dlopen(), which would run constructors before there is
 * an environment. */
static bool is_installed(const struct series *series)
{
	return cache_has(series->tracepoint) ||
	       maps_any(module_finds, series->tracepoint);
}

/* Leaves the name of this library. */
static int module_own(struct dl_phdr_info *info, size_t size, void *name)
{
	if (!module_has(info, (void *)beside_register))
		return 0;
	*(const char **)name = info->dlpi_name;
	return 1;
}

/* Loads DIRECTORY-OF-THE-AGENT/taffrail/lttng/NAME. */
static bool standin_load(const char *name)
{
	const char *own = "";
	char file[PATH_BYTES];
	struct text path;

	modules_each(module_own, &own);
	text_open(&path, file, sizeof(file));
	text_add_bytes(&path, own, (size_t)(text_file_name(own) - own));
	text_add(&path, "taffrail/lttng/");
	text_add(&path, name);
	return !path.cut && dlopen(file, RTLD_NOW);
}

/* Returns the series that the program has call sites of, and cannot find; NULL:
 * none. Of both interfaces in a program, one is served: the later one. */
static const struct series *series_missing(void)
{
	const struct series *later = &all_series[0], *older = &all_series[1];
	uint32_t found = 0;

	modules_each(module_sites, &found);
	start_others |= found;
	if (!found || is_installed(later))
		return NULL;
	return found & 1 ? later : is_installed(older) ? NULL : older;
}

/* Behind the agent's own start, and before any constructor of the program. A
 * program that is known to have no call site is not searched: names of its
 * modules are on many pages that it may never need. */
__attribute__((constructor(103))) static void absent_start(void)
{
	const struct series *series;

	/* where LTTng's library is loaded, this reads no file */
	if (agent_off || start_deferred || attach_loads() ||
	    maps_any(map_is_named, UST_TRACEPOINT_LIBRARY) ||
	    maps_any(map_is_named, OLDER_TRACEPOINT_LIBRARY))
		return;
	series = series_missing();
	if (series) {
		if (!standin_load(series->tracepoint) ||
		    !standin_load(series->more[0]) ||
		    (series->more[1] && !standin_load(series->more[1])))
			log_fact(LOG_WARNING, "lttng",
				 "LTTng is not installed, and "
				 "nothing stands in for it",
				 0);
		/* a child must not find the lock of another thread's */
		stock_find();
		stock_begin();
		dlerror();
	}
}
