/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pages that processes publish, as the command reads them
 * (command/runtime/pages.c), and the sessions that are found in them
 * (command/agents/targets.c). The pages are files that are made here.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>

#include "command/agents/targets.h"
#include "command/common/command.h"
#include "testsuite/unit/command/made.h"
#include "testsuite/unit/command/said.h"

#define SUB_LEAST	256u		/* bytes of a sub-buffer, at least */

static struct rundir_process process = { .name = "7.8", .pid = 7 };
static struct process_page head;
static struct session_page page;

/* Makes the page of a process with so many sessions. */
static void put_head(uint32_t image, uint32_t sessions)
{
	char name[32];

	head = (struct process_page){
		.magic = PROCESS_MAGIC, .version = LAYOUT_VERSION,
		.image = image, .sessions = sessions,
	};
	snprintf(name, sizeof(name), "7.8/%u/process", image);
	made_bytes(name, &head, sizeof(head));
}

static void set_page(uint32_t index, const char *name, uint32_t state)
{
	page = (struct session_page){
		.magic = SESSION_MAGIC, .version = LAYOUT_VERSION,
		.index = index, .state = state, .sub_bytes = SUB_LEAST,
		.ring_bytes = 4 * SUB_LEAST,
	};
	snprintf(page.name, sizeof(page.name), "%s", name);
}

static void put_page(uint32_t index)
{
	char name[32];

	snprintf(name, sizeof(name), "7.8/0/session.%u", index);
	made_bytes(name, &page, sizeof(page));
}

static void read_head(int want, const char *name)
{
	struct process_page copy;

	made_bytes("7.8/0/process", &head, sizeof(head));
	unit_equal(rundir_read_process(&process, 0, &copy), want, "%s", name);
}

static void check_heads(void)
{
	struct process_page copy;

	unit_equal(rundir_read_process(&process, 0, &copy), -ENOENT,
		   "no page");
	put_head(0, 2);
	memset(head.procname, 'x', sizeof(head.procname));
	read_head(0, "a page");
	rundir_read_process(&process, 0, &copy);
	unit_equal((long long)strlen(copy.procname),
		   sizeof(copy.procname) - 1, "a name that has no end");
	head.sessions = SESSION_FILES_MAX;
	read_head(0, "the most sessions");
	head.sessions++;
	read_head(-EBADMSG, "more sessions");
	put_head(0, 2);
	head.image = 1;
	read_head(-EBADMSG, "the page of another image");
	put_head(0, 2);
	head.version++;
	read_head(-EPROTO, "a later version");
	head.magic++;
	read_head(-EBADMSG, "no page of a process");
	head.magic = 0;
	read_head(-ENOENT, "a page that is being made");
	made_bytes("7.8/0/process", &head, sizeof(head) - 1);
	unit_equal(rundir_read_process(&process, 0, &copy), -ENOENT,
		   "a page that is cut");
	unlink(made_path("7.8/0/process"));
	made_link("7.8/0/process", "../../file");
	made_bytes("file", &head, sizeof(head));
	unit_check(rundir_read_process(&process, 0, &copy) < 0,
		   "a link to a page");
	unlink(made_path("7.8/0/process"));
}

static void read_session(int want, const char *name)
{
	struct session_page copy;

	put_page(0);
	unit_equal(rundir_read_session(&process, 0, 0, &copy), want, "%s",
		   name);
}

static void check_pages(void)
{
	set_page(0, "rec", SESSION_ACTIVE);
	read_session(0, "a session");
	page.ring_bytes = page.sub_bytes;
	read_session(0, "a ring of one part");
	page.ring_bytes = page.sub_bytes / 2;
	read_session(-EBADMSG, "a ring smaller than its part");
	page.ring_bytes = 3 * page.sub_bytes;
	read_session(-EBADMSG, "a size that is no power of two");
	page.ring_bytes = 0;
	read_session(-EBADMSG, "no size");
	set_page(0, "rec", SESSION_ACTIVE);
	page.sub_bytes = SUB_LEAST / 2;
	read_session(-EBADMSG, "too small a part");
	set_page(1, "rec", SESSION_ACTIVE);
	read_session(-EBADMSG, "another number");
	set_page(0, "../rec", SESSION_ACTIVE);
	read_session(-EBADMSG, "no name");
	set_page(0, "rec", SESSION_ACTIVE);
	page.version--;
	read_session(-EPROTO, "an earlier version");
}

/* Of several sessions of a name, the newest that is not destroyed. */
static void check_found(void)
{
	struct target target = { .process = &process };
	struct session_page copy;

	put_head(0, 5);
	set_page(0, "rec", SESSION_STOPPED);
	put_page(0);
	set_page(1, "rec", SESSION_ACTIVE);
	put_page(1);
	set_page(2, "rec", SESSION_DESTROYED);
	put_page(2);
	/* number 3 is a hole */
	set_page(4, "record", SESSION_ACTIVE);
	put_page(4);
	set_page(5, "behind", SESSION_ACTIVE);
	put_page(5);
	unit_equal(rundir_find_session(&process, 0, "rec", &copy), 0,
		   "a session is found");
	unit_equal(copy.index, 1, "the newest that is there");
	unit_check(target_has(&target, "record"), "the last session");
	unit_check(!target_has(&target, "reco"), "none of a part of the name");
	unit_check(!target_has(&target, "behind"), "none behind the number");
	unit_equal(rundir_find_session(&process, 0, "", &copy), -ENOENT,
		   "none without a name");
	rundir_note_saved(&process, 0, 1, 77, 5);
	rundir_find_session(&process, 0, "rec", &copy);
	unit_equal((long long)copy.saved, 77, "what a snapshot has saved");
	unit_equal((long long)copy.saved_lost, 5, "and what it has told");
}

static void check_nearest(void)
{
	struct rundir_list list = { &process, 1 }, none = { NULL, 0 };
	struct targets targets = { .list = list };
	char text[TARGETS_NEAREST_BYTES];
	int status;

	targets_nearest(&list, "recordx", text, sizeof(text));
	unit_equal_string(text, "; the nearest: record or rec",
			  "names that are near");
	targets_nearest(&none, "recordx", text, sizeof(text));
	unit_equal_string(text, "", "no session at all");
	command_name("stop");
	said_begin(STDERR_FILENO);
	status = targets_no_session(&targets, "4711");
	unit_equal_string(said_end(), "taffrail: stop: no session '4711': a "
			  "session's name stands here, -p before the number "
			  "of a process\n", "a number in place of a name");
	unit_equal(status, COMMAND_FAILED, "a number in place of a name: "
		   "status");
}

/* Images, by number; other names are none. */
static void check_images(void)
{
	uint32_t images[4];

	put_head(10, 0);
	put_head(2, 0);
	made_above("7.8/x/y");
	made_above("7.8/02/y");
	unit_equal(rundir_images(&process, images, 4), 3, "images");
	unit_check(images[0] == 0 && images[1] == 2 && images[2] == 10,
		   "in their order");
	unit_equal(rundir_images(&process, images, 2), 2,
		   "as many as there is room for");
	unit_check(images[0] == 2 && images[1] == 10, "the last ones");
	unit_equal(rundir_images(&process, images, 1), 1, "room for one");
	unit_equal(images[0], 10, "the last one");
}

int main(void)
{
	made_open();
	made_above("7.8/0/x");
	process.uid = geteuid();
	process.fd = open(made_path("7.8"), O_RDONLY | O_DIRECTORY);
	check_heads();
	check_pages();
	check_found();
	check_nearest();
	check_images();
	close(process.fd);
	made_close();
	return unit_end();
}
