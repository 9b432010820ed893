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

#define SECTION		"lttng_ust_tracepoints_ptrs"
#define NAMES_BYTES	4096
#define PATH_BYTES	512
#define SEARCH_BYTES	16384
#define CACHE		"/etc/ld.so.cache"

static bool file_take(int fd, void *to, uint64_t bytes, uint64_t offset)
{
	return sys4(SYS_pread64, fd, to, bytes, offset) == (long)bytes;
}

/* Returns true when a file has the section of call sites. */
static bool file_has_sites(int fd)
{
	static const char wanted[] = SECTION;
	char names[NAMES_BYTES];
	Elf64_Shdr section;
	Elf64_Ehdr header;
	uint64_t bytes, i;

	if (!file_take(fd, &header, sizeof(header), 0) ||
	    !file_take(fd, &section, sizeof(section),
		       header.e_shoff +
			       (uint64_t)header.e_shstrndx * sizeof(section)))
		return false;
	bytes = min_u64(section.sh_size, sizeof(names));
	if (!file_take(fd, names, bytes, section.sh_offset))
		return false;
	for (i = 0; i + sizeof(wanted) <= bytes; i++)
		if (!__builtin_memcmp(names + i, wanted, sizeof(wanted)))
			return true;
	return false;
}

/* Returns 1 for a module with call sites. */
static int module_sites(struct dl_phdr_info *info, size_t size, void *unused)
{
	bool has;
	int fd;

	(void)size;
	(void)unused;
	/* a call site needs this one; the test costs no system call */
	if (!module_needs(info, "dlopen") ||
	    module_has(info, (void *)beside_register))
		return 0;
	fd = (int)sys_open(*info->dlpi_name ? info->dlpi_name :
					      "/proc/self/exe",
			   O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	has = file_has_sites(fd);
	sys_close(fd);
	return has;
}

/* Returns true when there is a file of that path, which `name` ends. */
static bool file_is_there(const char *directory, const char *name)
{
	char file[PATH_BYTES];
	struct text path;
	int fd;

	text_open(&path, file, sizeof(file));
	text_add(&path, directory);
	text_add(&path, name);
	fd = (int)sys_open(file, O_PATH | O_CLOEXEC, 0);
	if (path.cut || fd < 0)
		return path.cut;
	sys_close(fd);
	return true;
}

/* Returns true when the dynamic linker's cache has the path of LTTng's library,
 * and that is there. */
static bool cache_has_stock(void)
{
	static const char name[] = "/" UST_TRACEPOINT_LIBRARY;
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
	for (p = from; !found && p + sizeof(name) <= from + bytes; p++) {
		if (*p != '/' || __builtin_memcmp(p, name, sizeof(name)) != 0)
			continue;
		for (path = p; path > from && path[-1]; path--)
			;
		found = file_is_there(path, "");
	}
	sys_munmap((uint64_t)map, (uint64_t)bytes);
	return found;
}

/* Returns true when LTTng's library is in a folder that the dynamic linker
 * searches for a module. */
static bool module_finds(const struct link_map *handle)
{
	static union {
		Dl_serinfo list;
		char bytes[SEARCH_BYTES];
	} search;
	Dl_serinfo wanted;
	uint32_t i;
	bool found;

	found = dlinfo((void *)handle, RTLD_DI_SERINFOSIZE, &wanted) ||
		wanted.dls_size > sizeof(search);
	if (!found) {
		search.list = wanted;
		found = dlinfo((void *)handle, RTLD_DI_SERINFO, &search.list);
	}
	for (i = 0; !found && i < search.list.dls_cnt; i++)
		found = file_is_there(search.list.dls_serpath[i].dls_name,
				      "/" UST_TRACEPOINT_LIBRARY);
	return found;
}

/* Calls a function for the modules until it returns true, and returns that. */
static bool maps_any(bool (*call)(const struct link_map *map))
{
	const struct r_debug *debug = modules_debug();
	const struct link_map *map = debug ? debug->r_map : NULL;

	while (map && !call(map))
		map = map->l_next;
	return map;
}

static bool map_is_stock(const struct link_map *map)
{
	return text_after(path_file(map->l_name), UST_TRACEPOINT_LIBRARY);
}

/* Returns true when the dlopen() of some module may find LTTng's library: in
 * the linker's cache, or in a folder that it searches for the module. Nothing
 * is opened by dlopen(), which would run constructors before there is an
 * environment. */
static bool stock_is_there(void)
{
	return cache_has_stock() || maps_any(module_finds);
}

/* Leaves the name of this library. */
static int module_own(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
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
	text_add_bytes(&path, own, (size_t)(path_file(own) - own));
	text_add(&path, "taffrail/lttng/");
	text_add(&path, name);
	return !path.cut && dlopen(file, RTLD_NOW);
}

/* Behind the agent's own start, and before any constructor of the program. */
__attribute__((constructor(103))) static void absent_start(void)
{
	/* where LTTng's library is loaded, this reads no file */
	if (agent_off || attach_loads() || maps_any(map_is_stock) ||
	    !modules_each(module_sites, NULL) || stock_is_there())
		return;
	if (!standin_load(UST_TRACEPOINT_LIBRARY) ||
	    !standin_load(UST_COMMON_LIBRARY) || !standin_load(UST_LIBRARY))
		log_fact(LOG_WARNING, "lttng", "LTTng is not installed, and "
			 "nothing stands in for it", 0);
	/* a child must not find the lock of another thread's */
	stock_find();
	stock_begin();
	dlerror();
}
