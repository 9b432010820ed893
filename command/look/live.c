/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opens the rings of sessions, of living and ended processes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/common/limits.h"
#include "command/common/reason.h"
#include "command/look/look.h"
#include "command/processes/layouts.h"
#include "command/processes/targets.h"
#include "command/rundir/rundir.h"
#include "traces/read/rings.h"

#define NAMES_BYTES	512

/* Calls `call` for each image of each process. */
static int each_image(const struct rundir_list *list,
		      int (*call)(const struct rundir_process *process,
				  uint32_t image, void *priv), void *priv)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	int ret = 0;

	for (size_t i = 0; i < list->count && !ret; i++) {
		int n = rundir_images(&list->processes[i], images,
				      RUNDIR_IMAGES_MAX);

		for (int k = 0; k < n && !ret; k++)
			ret = call(&list->processes[i], images[k], priv);
	}
	return ret;
}

struct live {
	struct look *look;
	const char *name;
	struct trace_set set;		/* anchors only */
	int found;			/* images that have the session */
};

static int take_anchors(const struct rundir_process *process, uint32_t image,
			void *priv)
{
	struct live *live = priv;
	struct process_page page;

	if (!rundir_read_process(process, image, &page))
		trace_set_anchors(&live->set, &page);
	return 0;
}

static int take_rings(const struct rundir_process *process, uint32_t image,
		      void *priv)
{
	struct live *live = priv;
	char shown[128];
	int fd = rundir_open_image(process, image);
	int ret;

	if (fd < 0)
		return fd == -EMFILE || fd == -ENFILE ? fd : 0;
	snprintf(shown, sizeof(shown), "session '%s' of process %d",
		 live->name, process->pid);
	ret = reader_add_rings(live->look->reader, &live->set, fd, live->name,
			       shown, live->look->peek ? &live->look->totals :
							 NULL);
	close(fd);
	live->found += ret >= 0;
	live->look->ended += ret >= 0 && !process->alive;
	if (ret == -EPROTO || ret == -EBADMSG) {
		if (!live->look->quiet_problems)
			command_warn("process %d: not read: %s", process->pid,
				     reason_of_files(ret));
		live->look->unread = true;
	}
	return ret == -ENOMEM || ret == -EMFILE || ret == -ENFILE ? ret : 0;
}

/* Sessions by name, each once. */
struct names {
	pid_t only;			/* of this process, or 0: of all */
	int n;
	char first[SESSION_NAME_BYTES];
	char text[NAMES_BYTES];		/* "a, b" */
};

static void add_name(struct names *names, const char *name)
{
	size_t bytes = strlen(name);
	const char *at = names->text;

	while ((at = strstr(at, name))) {
		if ((at == names->text || at[-1] == ' ') &&
		    (!at[bytes] || at[bytes] == ','))
			return;
		at += bytes;
	}
	if (!names->n++)
		snprintf(names->first, sizeof(names->first), "%s", name);
	snprintf(names->text + strlen(names->text),
		 sizeof(names->text) - strlen(names->text), "%s%s",
		 names->n > 1 ? ", " : "", name);
}

static int take_names(const struct rundir_process *process, uint32_t image,
		      void *priv)
{
	struct process_page page;
	struct session_page session;

	struct names *names = priv;

	if ((names->only && process->pid != names->only) ||
	    rundir_read_process(process, image, &page))
		return 0;
	for (uint32_t i = 0; i < page.sessions; i++)
		if (!rundir_read_session(process, image, i, &session) &&
		    session.state != SESSION_DESTROYED)
			add_name(names, session.name);
	return 0;
}

/* Takes the name of the only session. */
static int choose(struct look *look, const struct rundir_list *list)
{
	static struct names names;
	char who[32] = "no process";

	memset(&names, 0, sizeof(names));
	each_image(list, take_names, &names);
	look->session = names.first;
	if (names.n == 1)
		return COMMAND_DONE;
	if (look->again) {
		look->gone = true;
		return COMMAND_FAILED;
	}
	if (names.n)
		return command_failed("there are %d sessions, %s: say which "
				      "with -s", names.n, names.text);
	if (layouts_tell(list, NULL, "not read"))
		return COMMAND_FAILED;
	if (look->pid)
		snprintf(who, sizeof(who), "process %d", look->pid);
	return command_failed("%s has %s session; 'taffrail start NAME -p PID' "
			      "starts one", who, look->pid ? "no" : "a");
}

/* Says that a process cannot be looked at; and, if it has ended, which sessions
 * still have its events. */
static int no_process(struct look *look, int why, const char *error)
{
	struct names names = { .only = look->pid };
	struct rundir dir = { .fd = -1 };
	struct rundir_list list = { 0 };

	look->gone = look->again;
	if (look->again)
		return COMMAND_FAILED;
	if (why == -ESRCH && rundir_open(&dir, false) != -ENOENT &&
	    !rundir_scan_user(&dir, &list))
		each_image(&list, take_names, &names);
	rundir_list_free(&list);
	rundir_close(&dir);
	if (names.n)
		return command_failed("%s; its events are still in the buffers "
				      "of %s: give -s NAME without -p", error,
				      names.text);
	return command_failed("%s", error);
}

static int open_process(struct rundir_list *list, struct look *look)
{
	char error[RUNDIR_ERROR_BYTES];
	struct rundir_process process;
	int ret = rundir_find(&process, look->pid, error);

	if (ret)
		return no_process(look, ret, error);
	if (rundir_append(list, &process)) {
		rundir_process_close(&process);
		return command_failed("out of memory");
	}
	return COMMAND_DONE;
}

static int open_processes(struct rundir *dir, struct rundir_list *list,
			  struct look *look)
{
	int ret;

	if (look->session && (ret = targets_check_name(look->session)))
		return ret;
	if (look->pid)
		return open_process(list, look);
	if (rundir_open(dir, false) == -ENOENT)
		dir->error[0] = '\0';
	if ((dir->fd < 0 && dir->error[0]) || rundir_scan_user(dir, list))
		return command_failed("%s", dir->error);
	return COMMAND_DONE;
}

int look_open_rings(struct look *look)
{
	struct rundir dir = { .fd = -1 };
	struct rundir_list list = { 0 };
	char nearest[TARGETS_NEAREST_BYTES];
	struct live *live = calloc(1, sizeof(*live));
	int ret;

	if (!live)
		return command_failed("out of memory");
	ret = limits_check_files();
	if (ret == COMMAND_DONE)
		ret = open_processes(&dir, &list, look);
	if (ret == COMMAND_DONE && !look->session)
		ret = choose(look, &list);
	if (ret == COMMAND_DONE) {
		live->look = look;
		live->name = look->session;
		trace_set_anchor_now(&live->set);
		each_image(&list, take_anchors, live);
		ret = each_image(&list, take_rings, live);
		if (ret) {
			ret = command_failed("%s", limits_raise(-ret));
		} else if (!live->found && look->again) {
			look->gone = true;
			ret = COMMAND_FAILED;
		} else if (!live->found) {
			targets_nearest(&list, live->name, nearest,
					sizeof(nearest));
			ret = command_failed("no process has a session '%s'%s",
					     live->name, nearest);
		}
	}
	free(live);
	rundir_list_free(&list);
	rundir_close(&dir);
	return ret;
}
