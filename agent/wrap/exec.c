/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions that replace the program by another. gdbserver would go on
 * with a trace of which nothing is there any more; so the trace ends before,
 * and keeps its frames. A command that is about to send its signal would end
 * the new program; so it is kept from that before (demand.c).
 *
 * In the shared library only: a static program's libc has no other names by
 * which its own functions could still be called.
 *
 * What must stay true: these are called between fork and exec, and by children
 * that share their parent's memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/base.h"
#include "control/service/demand.h"
#include "control/threads/filtered.h"
#include "gdbstub/ipa/ipa.h"

#define PUBLIC	__attribute__((weak, visibility("default"), cold))

static int (*real_execve)(const char *, char *const *, char *const *);
static int (*real_execvpe)(const char *, char *const *, char *const *);
static int (*real_fexecve)(int, char *const *, char *const *);
static int (*real_execveat)(int, const char *, char *const *, char *const *,
			    int);

__attribute__((constructor(102))) static void exec_shared_setup(void)
{
	*(void **)&real_execve = dlsym(RTLD_NEXT, "execve");
	*(void **)&real_execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&real_fexecve = dlsym(RTLD_NEXT, "fexecve");
	*(void **)&real_execveat = dlsym(RTLD_NEXT, "execveat");
}

static int missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* The trace of gdbserver's ends, and no command's signal may meet the new
 * program. Returns what demand_exec_failed() is given where the exec fails. */
static int leave_image(void)
{
	ipa_end(IPA_END_EXEC);
	filtered_exec();
	return demand_exec();
}

static int stayed(int withdrawn, int ret)
{
	int error = errno;

	demand_exec_failed(withdrawn);
	filtered_exec_failed();
	errno = error;
	return ret;
}

PUBLIC SIGSAFE int execve(const char *path, char *const argv[],
			  char *const envp[])
{
	int withdrawn = leave_image();

	return stayed(withdrawn, real_execve ? real_execve(path, argv, envp) :
					       missing());
}

PUBLIC SIGSAFE int execvpe(const char *file, char *const argv[],
			   char *const envp[])
{
	int withdrawn = leave_image();

	return stayed(withdrawn, real_execvpe ?
				 real_execvpe(file, argv, envp) : missing());
}

PUBLIC SIGSAFE int fexecve(int fd, char *const argv[], char *const envp[])
{
	int withdrawn = leave_image();

	return stayed(withdrawn, real_fexecve ? real_fexecve(fd, argv, envp) :
						missing());
}

/* Older libcs than glibc 2.34 have no such function. */
PUBLIC SIGSAFE int execveat(int fd, const char *path, char *const argv[],
			    char *const envp[], int flags)
{
	int withdrawn = leave_image();

	return stayed(withdrawn, real_execveat ?
		      real_execveat(fd, path, argv, envp, flags) : missing());
}

PUBLIC SIGSAFE int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

PUBLIC SIGSAFE int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* The words of execl() and its like as an array on the stack, the environment
 * behind them where one is given. */
static COLD int by_words(int (*exec)(const char *, char *const *,
				     char *const *),
			 const char *path, const char *first, va_list *words,
			 int has_environment)
{
	uint32_t n = 1;
	char **argv;
	va_list all;

	va_copy(all, *words);
	do
		n++;
	while (va_arg(all, char *));
	va_end(all);
	argv = __builtin_alloca(n * sizeof(*argv));
	argv[0] = (char *)first;
	for (n = 1; (argv[n] = va_arg(*words, char *)); n++)
		;
	return exec(path, argv,
		    has_environment ? va_arg(*words, char **) : environ);
}

#define BY_WORDS(exec, path, first, has_environment)                      \
	({                                                                \
		va_list words;                                            \
		int ret;                                                  \
		va_start(words, first);                                   \
		ret = by_words(exec, path, first, &words,                 \
			       has_environment);                          \
		va_end(words);                                            \
		ret;                                                      \
	})

PUBLIC SIGSAFE int execl(const char *path, const char *first, ...)
{
	return BY_WORDS(execve, path, first, 0);
}

PUBLIC SIGSAFE int execlp(const char *file, const char *first, ...)
{
	return BY_WORDS(execvpe, file, first, 0);
}

PUBLIC SIGSAFE int execle(const char *path, const char *first, ...)
{
	return BY_WORDS(execve, path, first, 1);
}
