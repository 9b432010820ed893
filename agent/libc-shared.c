/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that only glibc has, in the shared library. A preloaded library comes
 * to programs of other libcs, too: a name that musl's loader does not find ends
 * the program. So the library defines these names itself, hidden, and asks the
 * libc at hand.
 *
 * What must stay true: each undefined symbol of the library is weak, or musl
 * has it (the test agent/foreign looks). In the archive libc's own
 * definitions serve: a weak reference would not bring them in.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "agent/agent.h"
#include "base/base.h"

#define HIDDEN	__attribute__((visibility("hidden")))

typedef int clone_function(int (*)(void *), void *, int, void *, void *,
			   void *, void *);

int __register_atfork(void (*prepare)(void), void (*parent)(void),
		      void (*child)(void), void *dso) __attribute__((weak));

/* Stands for the library where handlers are registered. */
static char self;

static clone_function *real_clone;

HIDDEN int __clone(int (*fn)(void *), void *stack, int flags, void *arg,
		   void *a, void *b, void *c);

static void clone_find(void)
{
	*(void **)&real_clone = dlsym(RTLD_NEXT, "clone");
}

__attribute__((constructor(102))) static void libc_shared_setup(void)
{
	clone_find();
}

int libc_suits(void)
{
	return !!__register_atfork;
}

/* Instead of the one that glibc links into each library. */
HIDDEN int pthread_atfork(void (*prepare)(void), void (*parent)(void),
			  void (*child)(void))
{
	if (!__register_atfork)
		return ENOSYS;
	return __register_atfork(prepare, parent, child, &self);
}

/* For clone-*.c: libc's clone(), of which glibc has two names. Constructors
 * that run before ours may call clone(), too. */
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
