/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that load something into one process take turns, and end what a load
 * of a command that was killed still does there.
 *
 * The turn is a lock on /proc/PID/mem. Only a command that may trace the
 * process can open this file, no file is left behind, and the kernel releases
 * the lock when a command is killed. Commands that see the process in another
 * /proc, that of another container, have another lock.
 *
 * Invariant: a command that has the turn is the only one that loads, so a
 * loader that it meets was left by a command that was killed. A loader that
 * only runs a request takes no turn: a request may last.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

#include "command/attach/steps.h"
#include "command/common/monotonic.h"
#include "command/procfs/process.h"

#define LEFT_WAIT_MS	3000	/* a loader that calls libc may take longer */
#define FINISH_WAIT_MS	3000
#define GONE_LOOKS	20	/* a new thread has no name at first */

static const struct timespec moment = { .tv_nsec = 1000000 };

/* Ends the loader of a stub that a command has left, and waits for its end.
 * Returns 0; or -EAGAIN: it is in a call of libc that takes long. */
static int loader_end(const struct attach_target *t, uint64_t base)
{
	const uint32_t go = ATTACH_GO_END;
	uint64_t end = monotonic_ns() + LEFT_WAIT_MS * 1000000ull;
	struct attach_block block;
	int gone = 0;

	while (gone < GONE_LOOKS &&
	       !attach_read(t, base + ATTACH_CODE_BYTES, &block,
			    sizeof(block)) &&
	       !block.over && block.state != ATTACH_NO_THREAD) {
		/* that loader runs a request, under its own command */
		if (block.attach && !strcmp(block.entry, REQUEST_FUNCTION))
			return 0;
		if (monotonic_ns() > end)
			return -EAGAIN;
		attach_write(t, base + ATTACH_CODE_BYTES + ATTACH_GO, &go,
			     sizeof(go));
		/* a forked child has the memory, and no loader */
		gone = block.helper ||
				       attach_thread_named(t->pid,
							   "taffrail attach") ||
				       attach_thread_named(t->pid,
							   UNLOAD_THREAD) ?
			       0 : gone + 1;
		nanosleep(&moment, NULL);
	}
	return 0;
}

/* Ends the loaders that killed commands have left. A stub is found by its
 * bytes, at the beginning of memory that can be executed and has no file.
 * Returns 0; or a negative errno: one does not end. */
static int loaders_end(const struct attach_target *t)
{
	const size_t bytes = (size_t)(attach_stub_end - attach_stub_start);
	FILE *maps = process_stream(t->pid, 0, "maps");
	uint8_t code[ATTACH_CODE_BYTES];
	unsigned long start;
	char *line = NULL;
	size_t room = 0;
	char rights[8];
	int ret = 0;

	while (maps && !ret && getline(&line, &room, maps) > 0) {
		if (sscanf(line, "%lx-%*x %7s", &start, rights) != 2 ||
		    rights[2] != 'x' || strchr(line, '/') ||
		    attach_read(t, start, code, bytes) ||
		    memcmp(code, attach_stub_start, bytes))
			continue;
		ret = loader_end(t, start);
	}
	free(line);
	if (maps)
		fclose(maps);
	return ret;
}

int attach_turn(struct attach_target *t, unsigned int wait_ms)
{
	uint64_t end = monotonic_ns() + wait_ms * 1000000ull;

	while (flock(t->image, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return 0;
		if (monotonic_ns() > end)
			return attach_cause(t, -ETIMEDOUT, LOAD_BESIDE,
					    .n = wait_ms / 1000);
		nanosleep(&moment, NULL);
	}
	return loaders_end(t) ? attach_cause(t, -EAGAIN, LOAD_WAITS) : 0;
}

void attach_turn_end(struct attach_target *t)
{
	flock(t->image, LOCK_UN);
}

int attach_finish(pid_t pid)
{
	struct cause cause;
	struct attach_target target = { .pid = pid, .cause = &cause };
	int ret = attach_image_open(&target);

	/* this command may not look into the process, or it has ended */
	if (!ret)
		ret = attach_turn(&target, FINISH_WAIT_MS);
	attach_image_close(&target);
	return ret;
}
