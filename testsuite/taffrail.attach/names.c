/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shows which module's functions a program, and a library that it loads later,
 * call by the names of libc's functions that the agent wraps. Reads lines:
 *
 *	slots		"slot NAME MODULE" for each name: where calls go
 *	call		calls those that were never called before; "called"
 *	load LIBRARY	this file again, loaded; its "slot lib-NAME MODULE"
 *	end
 *
 * MODULE is "names" itself for a name that its first call will look up.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const known[] = {
	"vfork", "_Fork", "clone", "setuid", "setgid", "unshare", "prctl",
	"syscall", NULL
};

static void slot_print(const char *prefix, const char *name, void *to)
{
	const char *file = "nowhere";
	Dl_info info;
	int i;

	for (i = 0; known[i] && strcmp(known[i], name); i++)
		;
	if (!known[i])
		return;
	if (dladdr(to, &info) && info.dli_fname)
		file = strrchr(info.dli_fname, '/') ?
		       strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
	printf("slot %s%s %s\n", prefix, name, file);
}

static void table_print(const char *prefix, const struct link_map *map,
			const ElfW(Rela) *r, uint64_t bytes,
			const ElfW(Sym) *symbols, const char *strings)
{
	const ElfW(Rela) *end = (const void *)((const char *)r + bytes);

	for (; r && r < end; r++) {
		uint32_t type = ELF64_R_TYPE(r->r_info);

		if (type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT)
			slot_print(prefix, strings +
				   symbols[ELF64_R_SYM(r->r_info)].st_name,
				   *(void **)(map->l_addr + r->r_offset));
	}
}

__attribute__((visibility("default")))
void slots_print(const char *prefix, const struct link_map *map)
{
	const ElfW(Rela) *rela = NULL, *plt = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	uint64_t bytes = 0, plt_bytes = 0;

	for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		void *p = (void *)d->d_un.d_ptr;

		if (d->d_tag == DT_RELA)
			rela = p;
		else if (d->d_tag == DT_RELASZ)
			bytes = d->d_un.d_val;
		else if (d->d_tag == DT_JMPREL)
			plt = p;
		else if (d->d_tag == DT_PLTRELSZ)
			plt_bytes = d->d_un.d_val;
		else if (d->d_tag == DT_SYMTAB)
			symbols = p;
		else if (d->d_tag == DT_STRTAB)
			strings = p;
	}
	table_print(prefix, map, rela, bytes, symbols, strings);
	table_print(prefix, map, plt, plt_bytes, symbols, strings);
	fflush(stdout);
}

static int run(void *arg)
{
	(void)arg;
	_exit(0);
}

/* All but those that call_rest() calls. */
__attribute__((visibility("default")))
void call_some(void)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	pid = _Fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	pid = clone(run, stack + sizeof(stack),
		    CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	waitpid(pid, NULL, 0);
	syscall(SYS_getppid);
}

__attribute__((visibility("default")))
int call_rest(void)
{
	return setuid(getuid()) || setgid(getgid()) || unshare(0) ||
	       prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

#ifndef LIBRARY
static void load(const char *path)
{
	struct link_map *map = dlopen(path, RTLD_NOW);

	if (!map)
		printf("load: %s\n", dlerror());
	else
		slots_print("lib-", map);
	printf("loaded\n");
}

int main(void)
{
	struct link_map *self = dlopen(NULL, RTLD_LAZY);
	char line[4096];

	call_some();
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, "slots")) {
			slots_print("", self);
			printf("told\n");
		} else if (!strcmp(line, "call")) {
			call_some();
			printf("called %d\n", call_rest());
		} else if (!strncmp(line, "load ", 5)) {
			load(line + 5);
		} else {
			break;
		}
		fflush(stdout);
	}
	puts("right");
	return 0;
}
#endif
