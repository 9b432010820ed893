/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * posix_spawn() and posix_spawnp(): libc's child executes the program itself,
 * past the wrappers in exec.c. A program that will have no agent is noted
 * (lacking.c), and does not get the agent in LD_PRELOAD where the dynamic
 * linker would complain of it.
 *
 * Only where a recorder or a session would want to know: then alone the look at
 * the program's file may cost system calls.
 *
 * glibc's system() and popen() start /bin/sh by a function of libc's own that
 * has no name. The shell is a program that can have the agent; a program that
 * the child executes passes through exec.c.
 *
 * In the shared library only, as exec.c.
 *
 * Invariant: the child and the result are those of libc's function. Where the
 * path is relative and file actions may change the directory, nothing is known.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>

#include "agent/image/lacking.h"
#include "agent/wrap/private.h"
#include "base/preload.h"
#include "base/sys.h"
#include "buffers/rings/channel.h"
#include "control/service/demand.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"

#define PUBLIC	__attribute__((weak, visibility("default"), cold))

typedef int spawn_fn(pid_t *pid, const char *path,
		     const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attributes, char *const argv[],
		     char *const envp[]);

struct spawn {
	spawn_fn *really;
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	struct exec exec;
};

static spawn_fn *real_spawn, *real_spawnp;

__attribute__((constructor(102))) static void spawn_shared_setup(void)
{
	next_setup((void **)&real_spawn, "posix_spawn");
	next_setup((void **)&real_spawnp, "posix_spawnp");
}

static int spawn_real(const struct spawn *spawn, char *const *environment)
{
	if (!spawn->really)
		return ENOSYS;
	return spawn->really(spawn->pid, spawn->exec.path, spawn->actions,
			     spawn->attributes, spawn->exec.argv, environment);
}

/* Does the same. Makes the call again as the program made it where the
 * handed-on variables have no room beside the arguments. */
static int really_fitting(const struct spawn *spawn, const struct image *image,
			  char *const *environment)
{
	int ret = spawn_real(spawn, environment);
	uint32_t mark;

	if (ret != E2BIG || environment == spawn->exec.environment)
		return ret;
	if (image->why != LACKING_HANDED)
		return spawn_real(spawn, spawn->exec.environment);
	mark = lacking_note(LACKING_UNFIT, exec_path(image));
	ret = spawn_real(spawn, spawn->exec.environment);
	if (ret)
		lacking_failed(LACKING_UNFIT, mark);
	return ret;
}

/* Looks at the program before this function reads the path, which may be no
 * valid address. */
static void spawn_look(struct image *image, const struct spawn *spawn)
{
	exec_look(image, &spawn->exec);
	if (!spawn->actions || !image->found[0] || image->found[0] == '/')
		return;
	/* nothing is known */
	image->why = LACKING_NOT;
	image->withhold = 0;
	image->unfiltered = false;
}

static int spawn_noted(const struct spawn *spawn, const struct image *image,
		       char *const *environment)
{
	uint32_t mark = lacking_note(image->why, exec_path(image));
	int ret = really_fitting(spawn, image, environment);

	if (ret)
		lacking_failed(image->why, mark);
	return ret;
}

/* For a recorder or a session. */
static int start_known(const struct spawn *spawn)
{
	char *const *environment = spawn->exec.environment;
	struct image image;
	size_t bytes = 0;
	void *room = NULL;
	int ret;

	spawn_look(&image, spawn);
	bytes = exec_room(&image, environment);
	if (bytes > PRELOAD_STACK_BYTES && !thread_forbidden())
		room = sys_map_anonymous(bytes);
	if (room)
		environment = exec_environment(&image, environment, room);
	else if (bytes && bytes <= PRELOAD_STACK_BYTES)
		environment = exec_environment(&image, environment,
					       __builtin_alloca(bytes));
	else if (image.why == LACKING_HANDED)
		image.why = LACKING_USER;
	/* exec_look() has noted it */
	ret = image.why && image.why != LACKING_HANDED ?
		      spawn_noted(spawn, &image, environment) :
		      really_fitting(spawn, &image, environment);
	if (room)
		sys_munmap(room, bytes);
	return ret;
}

static int spawn_start(const struct spawn *spawn)
{
	bool begun = demand_spawn();
	int ret;

	ret = settings.join || channels_run() ?
		      start_known(spawn) :
		      spawn_real(spawn, spawn->exec.environment);
	demand_spawned(begun);
	return ret;
}

PUBLIC int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *restrict actions,
		       const posix_spawnattr_t *restrict attributes,
		       char *const argv[restrict], char *const envp[restrict])
{
	struct spawn spawn = { NEXT_FOUND(real_spawn, "posix_spawn"), pid,
			       actions, attributes,
			       { EXECVE, AT_FDCWD, path, argv, envp, 0 } };

	return spawn_start(&spawn);
}

PUBLIC int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *restrict actions,
			const posix_spawnattr_t *restrict attributes,
			char *const argv[restrict], char *const envp[restrict])
{
	struct spawn spawn = { NEXT_FOUND(real_spawnp, "posix_spawnp"), pid,
			       actions, attributes,
			       { EXECVPE, AT_FDCWD, file, argv, envp, 0 } };

	return spawn_start(&spawn);
}
