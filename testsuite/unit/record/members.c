/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes of a recording (command/record/members.c, joiners.c), from a
 * made-up /proc and a made-up runtime directory.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "command/common/monotonic.h"
#include "command/record/members-private.h"
#include "command/record/probes-private.h"
#include "control/protocol.h"
#include "testsuite/unit/command/proc.h"
#include "testsuite/unit/command/said.h"
#include "testsuite/unit/rings.h"

/* No process has this number: it is above the kernel's greatest. */
#define PID		2000000000
#define PID_NAME	"2000000000"

static const char number_text[] = "app\0number\0n\0app.c";
static const uint8_t number_types[] = { TAFFRAIL_T_U64, 0 };

/* A recording with a process in its runtime directory. */
struct bed {
	struct fake fake;
	struct fake_ring ring;
	struct record_options options;
	struct outcome outcome;
	struct claim claim;
	struct drain drain;
	struct probes probes;
	struct members members;
};

/* Makes the process live, or not. */
static void process_lives(bool lives)
{
	if (lives)
		made_file("proc/" PID_NAME "/stat", PID_NAME " (x) S 1 1 1 0 "
			  "-1 0 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0\n");
	else
		unlink(made_path("proc/" PID_NAME "/stat"));
}

static void bed_open(struct bed *bed, const char *name)
{
	char path[64];

	memset(bed, 0, sizeof(*bed));
	process_lives(true);
	fake_open(&bed->fake, SESSION_CONSUMED, 0);
	strcpy(bed->fake.session->name, "record-1");
	bed->fake.process->pid = PID;
	fake_event(&bed->fake, 1, TAFFRAIL_KIND_EVENT, number_text,
		   sizeof(number_text), number_types);
	fake_ring_open(&bed->ring, &bed->fake, "0", 0, 4096, 8, 0);
	snprintf(path, sizeof(path), "%s/run/" PID_NAME ".777", name);
	made_above(path);
	unit_equal(rename(bed->fake.path, made_path(path)), 0,
		   "%s: the process's directory", name);
	snprintf(bed->fake.path, sizeof(bed->fake.path), "%s",
		 made_path(path));
	bed->claim.dir.fd = bed->claim.off = -1;
	strcpy(bed->claim.name, "record-1");
	snprintf(path, sizeof(path), "%s/run", name);
	unit_equal(rundir_open_at(&bed->claim.dir, made_path(path)), 0,
		   "%s: the runtime directory", name);
	snprintf(path, sizeof(path), "%s/out", name);
	unit_equal(drain_open(&bed->drain, &bed->outcome, made_path(path), 0),
		   COMMAND_DONE, "%s: output", name);
	bed->probes.options = &bed->options;
	bed->probes.outcome = &bed->outcome;
	members_init(&bed->members, &bed->claim, &bed->drain, &bed->probes,
		     &bed->outcome);
}

/* Ends the recording. Returns the exit status, and what is told. */
static int bed_close(struct bed *bed, const char **said)
{
	int status;

	said_begin(STDERR_FILENO);
	drain_end(&bed->drain);
	members_note(&bed->members, NULL, LACKING_NOT, false);
	drain_note(&bed->drain, bed->claim.name, "run", bed->members.crowded,
		   false);
	status = outcome_end(&bed->outcome, COMMAND_DONE);
	members_close(&bed->members);
	drain_close(&bed->drain);
	rundir_close(&bed->claim.dir);
	*said = said_end();
	fake_ring_close(&bed->ring);
	fake_close(&bed->fake);
	return status;
}

/* A process joins, writes, and ends: its files go, its events stay. */
static void check_life(void)
{
	static struct bed bed;
	struct members *members = &bed.members;
	const char *said;

	bed_open(&bed, "life");
	unit_equal((long long)members->n, 0, "life: nobody");
	members_scan(members, UINT64_MAX);
	unit_equal((long long)members->n, 1, "life: a member");
	unit_check(members->list[0]->alive && members->list[0]->pid == PID &&
		   members->list[0]->nimages == 1, "life: the process");
	members_scan(members, UINT64_MAX);
	unit_equal((long long)members->n, 1, "life: not twice");
	for (uint64_t i = 0; i < 3; i++)
		fake_write(&bed.ring, 1, 100, &i, sizeof(i));
	unit_check(!members_over(members, false), "life: it lives");
	unit_equal(access(bed.fake.path, F_OK), 0, "life: its files");
	process_lives(false);
	unit_check(!members_over(members, true), "life: the program runs");
	unit_check(members->list[0]->done, "life: it is collected");
	unit_check(access(bed.fake.path, F_OK) && errno == ENOENT,
		   "life: its files are gone");
	unit_check(members_over(members, false), "life: it is over");
	unit_equal((long long)members_traced(members), 1, "life: its trace");
	unit_equal(bed_close(&bed, &said), COMMAND_DONE, "life: status");
	unit_equal_string(said, "", "life: nothing to tell");
}

/* Another process gets the directory of one that was collected. */
static void check_again(void)
{
	static struct bed bed;
	struct members *members = &bed.members;
	const char *said;

	bed_open(&bed, "again");
	members_scan(members, UINT64_MAX);
	unit_check(members_over(members, true) == false &&
		   !members->list[0]->done, "again: it lives");
	/* its files stay where an event is left in the buffers */
	bed.drain.failed = -EIO;
	process_lives(false);
	members_over(members, true);
	unit_check(members->list[0]->done && !access(bed.fake.path, F_OK),
		   "again: a failure keeps the files");
	members_scan(members, UINT64_MAX);
	unit_equal((long long)members->n, 1, "again: the same page");
	bed.fake.process->uuid[3] ^= 1;
	process_lives(true);
	members_scan(members, UINT64_MAX);
	unit_equal((long long)members->n, 2, "again: another page");
	members_over(members, true);
	process_lives(false);
	members_over(members, true);
	unit_equal(bed_close(&bed, &said), COMMAND_FAILED, "again: status");
	unit_check(strstr(said, "again/out: "), "again: the failure is told");
}

static void check_cut_off(void)
{
	static struct bed bed;
	struct members *members = &bed.members;
	const char *said;

	bed_open(&bed, "cut off");
	members_scan(members, UINT64_MAX);
	members_over(members, true);
	bed.fake.session->state = SESSION_STOPPED;
	said_begin(STDERR_FILENO);
	members_over(members, true);
	unit_check(strstr(said_end(), "process " PID_NAME ": another command "
			  "has ended the session"), "cut off: told");
	unit_check(members->list[0]->done && members->list[0]->alive &&
		   !access(bed.fake.path, F_OK), "cut off: its files stay");
	unit_equal(bed_close(&bed, &said), COMMAND_FAILED, "cut off: status");
	unit_equal_string(said, "", "cut off: told once");
	process_lives(false);
}

static void check_version(void)
{
	static struct bed bed;
	struct members *members = &bed.members;
	const char *said;

	bed_open(&bed, "version");
	bed.fake.process->version = LAYOUT_VERSION + 1;
	strcpy(bed.fake.session->name, "another");
	said_begin(STDERR_FILENO);
	members_scan(members, UINT64_MAX);
	said = said_end();
	unit_check(!members->n && !*said, "version: none of ours");
	made_file("proc/" PID_NAME "/environ", "TAFFRAIL_JOIN=record-1");
	said_begin(STDERR_FILENO);
	members_scan(members, UINT64_MAX);
	members_scan(members, UINT64_MAX);
	said = said_end();
	unit_check(strstr(said, "process " PID_NAME ": not recorded: ") &&
		   strchr(said, '\n')[1] == '\0', "version: told once");
	unlink(made_path("proc/" PID_NAME "/environ"));
	process_lives(false);
	unit_equal(bed_close(&bed, &said), COMMAND_FAILED, "version: status");
}

/* Without descriptors a scan sees no process, and the trace is incomplete; a
 * later scan that sees all processes takes the failure back. */
static void check_crowded(void)
{
	static struct bed bed;
	struct members *members = &bed.members;
	const char *said;
	struct rlimit limit, few = { 64, 0 };
	int fds[64], n = 0;

	bed_open(&bed, "crowded");
	getrlimit(RLIMIT_NOFILE, &limit);
	few.rlim_max = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &few);
	while (n < 64 && (fds[n] = dup(0)) >= 0)
		n++;
	members_scan(members, UINT64_MAX);
	while (n > 0)
		close(fds[--n]);
	setrlimit(RLIMIT_NOFILE, &limit);
	unit_equal(members->crowded, -EMFILE, "crowded: no descriptor");
	unit_equal((long long)members->n, 0, "crowded: nobody is seen");
	members_scan(members, UINT64_MAX);
	unit_equal(members->crowded, 0, "crowded: the next scan");
	unit_equal((long long)members->n, 1, "crowded: sees it");
	process_lives(false);
	members_over(members, true);
	unit_equal(bed_close(&bed, &said), COMMAND_DONE, "crowded: status");
}

/* Events that stay in the buffers, for want of descriptors: the recorder does
 * not ask the agent to end the session, which would remove them. */
static void check_missed(void)
{
	static struct bed bed;
	struct members *members = &bed.members;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *said;
	int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	bed_open(&bed, "missed");
	snprintf(address.sun_path, sizeof(address.sun_path),
		 "/proc/self/fd/%d/" CONTROL_SOCKET, bed.fake.fd);
	unit_check(!bind(agent, (struct sockaddr *)&address, sizeof(address)) &&
		   !listen(agent, 1), "missed: an agent that answers nothing");
	members_scan(members, UINT64_MAX);
	members->list[0]->images[0]->missed = -EMFILE;
	members_finish(members);
	unit_check(accept(agent, NULL, NULL) < 0 && errno == EAGAIN,
		   "missed: the agent is not asked");
	unit_check(!access(bed.fake.path, F_OK), "missed: the files stay");
	bed_close(&bed, &said);
	close(agent);
	process_lives(false);
}

static void check_joiners(void)
{
	static const struct {
		const char *environ;	/* with blanks for NULs */
		bool joins;
	} rows[] = {
		{ "A=b TAFFRAIL_JOIN=record-1 C=d", true },
		{ "TAFFRAIL_JOIN=record-1", true },
		{ "TAFFRAIL_JOIN=other:record-1", true },
		{ "TAFFRAIL_JOIN=record-1:other", true },
		{ "TAFFRAIL_JOIN=record-1@5.6", true },
		{ "TAFFRAIL_JOIN=record-11", false },
		{ "TAFFRAIL_JOIN=record-", false },
		{ "TAFFRAIL_JOIN=xrecord-1", false },
		{ "TAFFRAIL_JOIN=", false },
		{ "XTAFFRAIL_JOIN=record-1", false },
		{ "A=record-1", false },
		{ "", false },
	};
	char text[128];

	unit_check(!joiner_named(4711, "record-1"), "no process");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].environ) + 1;

		memcpy(text, rows[i].environ, n);
		for (char *p = text; (p = strchr(p, ' '));)
			*p++ = '\0';
		made_bytes("proc/4711/environ", text, n);
		unit_equal(joiner_named(4711, "record-1"), rows[i].joins,
			   "environment '%s'", rows[i].environ);
	}
}

/* A process that was forked maps the page of a member. */
static void check_forked(void)
{
	static struct members members;
	static struct drain drain;
	struct claim claim = { .name = "record-1" };
	struct consumer sharing = { .shares = true }, alone = { .fd = -1 };
	struct consumer *images[] = { &sharing, &alone };
	struct member member = { .name = "42.99", .pid = 42, .images = images,
				 .nimages = 2 };
	static const struct {
		const char *maps;
		bool joins;
	} rows[] = {
		{ "1-2 rw-s 0 00:1 7 /run/x/42.99/0/session.3\n", true },
		{ "3-4 r-xp 0 00:1 8 /a\n"
		  "1-2 rw-s 0 00:1 7 /run/x/42.99/12/session.0\n", true },
		{ "1-2 r--s 0 00:1 7 /run/x/42.99/0/session.3\n", false },
		{ "1-2 rw-s 0 00:1 7 /run/x/42.998/0/session.3\n", false },
		{ "1-2 rw-s 0 00:1 7 /run/x/142.99/0/session.3\n", false },
		{ "1-2 rw-s 0 00:1 7 /run/x/42.99/0/process\n", false },
		{ "", false },
	};

	members_init(&members, &claim, &drain, NULL, NULL);
	unit_check(member_list(&members, &member), "a member");
	strcpy(claim.dir.path, "/run/x");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		made_file("proc/4711/maps", rows[i].maps);
		unit_equal(joiners_exist(&members), rows[i].joins,
			   "mappings %zu", i);
	}
	made_file("proc/4711/environ", "TAFFRAIL_JOIN=record-1");
	made_file("proc/4711/maps", "1-2 r-xp 0 00:1 7 /lib/libc.so.6\n");
	unit_check(!joiners_exist(&members), "without an agent");
	made_file("proc/4711/maps", "1-2 r-xp 0 00:1 7 /lib/libtaffrail.so\n");
	unit_check(joiners_exist(&members), "with an agent");
	free(members.list);
	free(members.open);
	index_clear(&members.names);
}

/* With shared rings that have memory, a directory that a program makes does not
 * end the pause: the next round sees it. Otherwise it does. */
static void check_pause(void)
{
	struct drain drain = { .shared = (void *)&drain };
	struct members members = { .drain = &drain, .unfilled = -1 };
	const uint64_t minute = 60000000000ull;
	uint64_t later;

	made_above("pause/run/x");
	members.inotify = inotify_init1(IN_NONBLOCK);
	unit_equal(inotify_add_watch(members.inotify, made_path("pause/run"),
				     IN_CREATE) >= 0, true, "pause: a watch");
	members.next_scan_ns = later = monotonic_ns() + minute;
	made_file("pause/run/1", "");
	members_pause(&members, -1, 20);
	unit_equal(monotonic_ns() + minute >= later + 20000000, true,
		   "pause: the round is not cut short");
	unit_equal(members.next_scan_ns <= monotonic_ns(), true,
		   "pause: then a scan comes at once");
	members.next_scan_ns = later;
	drain.shared = NULL;
	made_file("pause/run/2", "");
	members_pause(&members, -1, 600000);
	unit_equal(members.next_scan_ns < later, true,
		   "pause: it is cut short where processes have rings");
	close(members.inotify);
}

int main(void)
{
	made_open();
	command_name("record");
	check_life();
	check_again();
	check_cut_off();
	check_version();
	check_crowded();
	check_missed();
	check_joiners();
	check_forked();
	check_pause();
	made_close();
	return unit_end();
}
