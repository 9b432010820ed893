/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of the program's libc that the shared library looks up by name. A
 * static program has no other name for them.
 *
 * Some names only glibc has. A preloaded library is also loaded into programs
 * of other libcs: musl's loader ends a program when it does not find a name. So
 * the library defines these names itself, hidden.
 *
 * dl_iterate_phdr() may be replaced by the program: a sanitizer's runtime has
 * another one, which works only after a setup that comes later than the agent's
 * start.
 *
 * Invariant: each undefined symbol of the library is weak, or musl
 * has it (the test agent/foreign checks). The archive uses libc's own
 * definitions: a weak reference would not link them in.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "agent/late.h"
#include "agent/private.h"
#include "base/host.h"
#include "tracepoints/program/linked.h"
#include "tracepoints/program/modules.h"

#define HIDDEN	__attribute__((visibility("hidden")))

typedef int clone_function(int (*)(void *), void *, int, void *, void *,
			   void *, void *);

int __register_atfork(void (*prepare)(void), void (*parent)(void),
		      void (*child)(void), void *dso) __attribute__((weak));

/* Identifies the library where handlers are registered. */
static char self;

static clone_function *real_clone;

HIDDEN int __clone(int (*fn)(void *), void *stack, int flags, void *arg,
		   void *a, void *b, void *c);

/* Returns libc's function behind the agent, or NULL. */
static void *libc_find(const char *name)
{
	return linked_learn(agent_begins_alone()) ? linked_behind(name) :
						    dlsym(RTLD_NEXT, name);
}

static void clone_find(void)
{
	*(void **)&real_clone = libc_find("clone");
}

__attribute__((constructor(102))) static void libc_shared_setup(void)
{
	clone_find();
}

bool libc_suits(void)
{
	return !!__register_atfork;
}

/* Replaces the function that glibc links into each library. */
HIDDEN int pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void))
{
	if (!__register_atfork)
		return ENOSYS;
	return __register_atfork(prepare, parent, child, &self);
}

/* Calls libc's clone(), which has both names in glibc, for clone-*.c. May be
 * called before the constructor here has run. */
HIDDEN int __clone(int (*fn)(void *), void *stack, int flags, void *arg,
		   void *a, void *b, void *c)
{
	if (!real_clone)
		clone_find();
	if (real_clone)
		return real_clone(fn, stack, flags, arg, a, b, c);
	errno = ENOSYS;
	return -1;
}

/* Before libc's own constructors have set the name, no program has called
 * dlopen(): the dynamic linker never unloads what is loaded then. */
void library_pin(void)
{
	Dl_info info;

	if (program_invocation_short_name && *program_invocation_short_name &&
	    dladdr(&self, &info))
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

void modules_wait(void)
{
	void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);

	if (program)
		dlclose(program);
}

void leaves_setup(void)
{
	*(void **)&host_leaf = libc_find("__x86_get_cpuid_feature_leaf");
}

void *libc_calloc(void)
{
	return linked_learn(agent_begins_alone()) ? linked_first("calloc") :
						    dlsym(RTLD_DEFAULT, "calloc");
}

void modules_setup(void)
{
	void *found = libc_find("dl_iterate_phdr");

	if (found)
		*(void **)&modules_each = found;
}
