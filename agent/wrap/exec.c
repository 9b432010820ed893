/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libc's functions that replace the program by another. Before the call:
 *
 *  - gdbserver's trace ends and keeps its frames, because the new program has
 *    nothing of it;
 *  - commands are kept from sending their signal, which would end the new
 *    program (demand.c);
 *  - a program that will have no agent is noted (lacking.c), and the agent is
 *    taken out of LD_PRELOAD where the dynamic linker would only complain;
 *  - the sessions that commands have started in this process are handed on
 *    (control/sessions/inheritance.c);
 *  - a program that is over so soon, and had nothing for its session, is noted
 *    for that (control/sessions/quiet.c);
 *  - a program that has the agent is told if there is no filter, which it would
 *    have to read of /proc (control/threads/filtered.c).
 *
 * In the shared library only: a static program's libc has no other names for
 * the functions, by which they could still be called.
 *
 * Invariant: these functions are called between fork and exec, and by
 * children that share their parent's memory. No descriptor stays, and errno is
 * that of the call. When nothing can be found out, the call is passed on
 * unchanged.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/fork.h"
#include "agent/image/handover.h"
#include "agent/image/lacking.h"
#include "agent/wrap/private.h"
#include "base/base.h"
#include "base/preload.h"
#include "base/sys.h"
#include "control/service/demand.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "gdbstub/ipa/ipa.h"
#include "tracepoints/program/executable.h"

#define PUBLIC	__attribute__((weak, visibility("default"), cold))

/* The steps that leave_image() has done. */
struct leaving {
	struct demand_leave demand;
	enum lacking_why why;
	uint32_t mark;
	const char *handed;	/* the program's path, with LACKING_HANDED */
};

static int (*real_execve)(const char *, char *const *, char *const *);
static int (*real_execvpe)(const char *, char *const *, char *const *);
static int (*real_fexecve)(int, char *const *, char *const *);
static int (*real_execveat)(int, const char *, char *const *, char *const *,
			    int);

__attribute__((constructor(102))) static void exec_shared_setup(void)
{
	next_setup((void **)&real_execve, "execve");
	next_setup((void **)&real_execvpe, "execvpe");
	next_setup((void **)&real_fexecve, "fexecve");
	next_setup((void **)&real_execveat, "execveat");
}

static int call_missing(void)
{
	errno = ENOSYS;
	return -1;
}

/* Calls libc's function. glibc before 2.34 has no execveat(). */
static int exec_real(const struct exec *e, char *const *environment)
{
	switch (e->how) {
	case EXECVE:
		return NEXT_FOUND(real_execve, "execve") ?
			       real_execve(e->path, e->argv, environment) :
			       call_missing();
	case EXECVPE:
		return NEXT_FOUND(real_execvpe, "execvpe") ?
			       real_execvpe(e->path, e->argv, environment) :
			       call_missing();
	case FEXECVE:
		return NEXT_FOUND(real_fexecve, "fexecve") ?
			       real_fexecve(e->fd, e->argv, environment) :
			       call_missing();
	default:
		return NEXT_FOUND(real_execveat, "execveat") ?
			       real_execveat(e->fd, e->path, e->argv,
					     environment, e->flags) :
			       call_missing();
	}
}

/* Does the same. Makes the call again as the program made it where the
 * handed-on variables have no room beside the arguments. */
static int really_fitting(const struct exec *e, char *const *environment,
			  struct leaving *leaving)
{
	int ret = exec_real(e, environment);

	if (environment == e->environment || errno != E2BIG)
		return ret;
	if (leaving->handed) {
		leaving->why = LACKING_UNFIT;
		leaving->mark = lacking_note(LACKING_UNFIT, leaving->handed);
	}
	return exec_real(e, e->environment);
}

/* Returns true for a pointer that can be read. The others are left to the
 * kernel, which answers EFAULT. */
SIGSAFE static bool is_readable(const void *p)
{
	return (intptr_t)p >= 4096;
}

/* Without a note, the recorder does not look in the directory. */
SIGSAFE static enum lacking_why hand_over(void)
{
	char path[HANDOVER_PATH_BYTES];
	enum lacking_why why = handover_make(path);

	return why != LACKING_HANDED || lacking_note(why, path) ? why :
								  LACKING_USER;
}

SIGSAFE void exec_look(struct image *image, const struct exec *e)
{
	char *const *environment = is_readable(e->environment) ?
					   e->environment : NULL;

	image->fd = e->fd;
	image->path = e->path;
	image->search = e->how == EXECVPE ? environ : NULL;
	image->flags = e->flags;
	image->why = LACKING_NOT;
	image->withhold = 0;
	image->unfiltered = false;
	image->found[0] = '\0';
	if (agent_off)
		return;
	if (filtered_next())
		image->why = LACKING_FILTER;
	if (filtered_here() || thread_forbidden())
		return;
	if (preload_named(environment)) {
		image_look(image, environment);
		if (!image->why && image->found[0])
			image->why = lacking_place(environment);
		/* it is noted in the process page */
		if (image->why)
			fork_need_files();
		else if (image->preloads && load_relaxed(&settings.join))
			image->unfiltered =
				!sys2(SYS_prctl, PR_GET_SECCOMP, 0);
		if (image->why == LACKING_USER)
			image->why = hand_over();
	} else if (settings.preloaded || settings_bequeaths()) {
		image_look(image, environment);
		if (!image->why && image->found[0])
			image->why = settings.preloaded ? LACKING_UNSET :
							  LACKING_UNLINKED;
		image->withhold = 0;
		if (image->why)
			fork_need_files();
	}
}

SIGSAFE const char *exec_path(const struct image *image)
{
	return image->found[0] ? image->found :
	       is_readable(image->path) ? image->path : "";
}

SIGSAFE size_t exec_room(const struct image *image, char *const *environment)
{
	if (image->withhold)
		return preload_room(environment);
	if (image->why == LACKING_HANDED)
		return handover_room(environment);
	return agent_off || filtered_here() ||
	       (environment && !is_readable(environment)) ? 0 :
	       settings_hand_room(environment);
}

SIGSAFE char **exec_environment(const struct image *image,
				char *const *environment, void *room)
{
	return image->withhold ? preload_without(environment, room) :
	       image->why == LACKING_HANDED ?
				 handover_environment(environment, room) :
				 settings_hand_on(environment, room,
						  image->unfiltered);
}

SIGSAFE static void leave_image(struct leaving *leaving,
				const struct image *image)
{
	ipa_end(IPA_END_EXEC);
	/* which makes calls that a filter may not know */
	if (image->unfiltered)
		quiet_exec();
	leaving->handed = image->why == LACKING_HANDED ? exec_path(image) :
							 NULL;
	/* hand_over() has noted it, and the note stays: the recorder
	 * removes the files */
	leaving->why = leaving->handed ? LACKING_NOT : image->why;
	if (leaving->why)
		leaving->mark = lacking_note(leaving->why, exec_path(image));
	demand_exec(&leaving->demand);
}

/* Executes the program. If that fails, takes back the steps of leave_image(),
 * and returns -1 with errno as libc has set it. */
static int image_become(const struct exec *e)
{
	char *const *environment = e->environment;
	struct leaving leaving;
	struct image image;
	void *map = NULL;
	size_t room;
	int error, ret;

	exec_look(&image, e);
	room = exec_room(&image, environment);
	/* a program that is not told where to find the files would have none */
	if (image.why == LACKING_HANDED && room > PRELOAD_STACK_BYTES)
		map = sys_map_anonymous(room);
	if (map)
		environment = exec_environment(&image, environment, map);
	else if (room && room <= PRELOAD_STACK_BYTES)
		environment = exec_environment(&image, environment,
					       __builtin_alloca(room));
	else if (image.why == LACKING_HANDED)
		image.why = LACKING_USER;
	leave_image(&leaving, &image);
	ret = really_fitting(e, environment, &leaving);
	error = errno;
	demand_exec_failed(&leaving.demand);
	if (leaving.why)
		lacking_failed(leaving.why, leaving.mark);
	errno = error;
	if (map)
		sys_munmap(map, room);
	return ret;
}

/* The functions below call these two. By their public names they would call
 * libc's, where the agent has come late. */
SIGSAFE static int by_path(const char *path, char *const *argv,
			   char *const *envp)
{
	struct exec e = { EXECVE, AT_FDCWD, path, argv, envp, 0 };

	return image_become(&e);
}

SIGSAFE static int by_name(const char *file, char *const *argv,
			   char *const *envp)
{
	struct exec e = { EXECVPE, AT_FDCWD, file, argv, envp, 0 };

	return image_become(&e);
}

PUBLIC SIGSAFE int execve(const char *path, char *const argv[],
			  char *const envp[])
{
	return by_path(path, argv, envp);
}

PUBLIC SIGSAFE int execvpe(const char *file, char *const argv[],
			   char *const envp[])
{
	return by_name(file, argv, envp);
}

PUBLIC SIGSAFE int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct exec e = { FEXECVE, fd, NULL, argv, envp, 0 };

	return image_become(&e);
}

PUBLIC SIGSAFE int execveat(int fd, const char *path, char *const argv[],
			    char *const envp[], int flags)
{
	struct exec e = { EXECVEAT, fd, path, argv, envp, flags };

	return image_become(&e);
}

PUBLIC SIGSAFE int execv(const char *path, char *const argv[])
{
	return by_path(path, argv, environ);
}

PUBLIC SIGSAFE int execvp(const char *file, char *const argv[])
{
	return by_name(file, argv, environ);
}

/* Copies the arguments of execl() and the like into an array on the stack; an
 * environment may follow them. */
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
	return BY_WORDS(by_path, path, first, 0);
}

PUBLIC SIGSAFE int execlp(const char *file, const char *first, ...)
{
	return BY_WORDS(by_name, file, first, 0);
}

PUBLIC SIGSAFE int execle(const char *path, const char *first, ...)
{
	return BY_WORDS(by_path, path, first, 1);
}
