/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the agent finds in the environment, in /proc and in the runtime
 * directory: settings, the sessions that a process hands on, the files of rings
 * that quotas and the limit of dead processes' files add up.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/statfs.h>

#include "base/base.h"
#include "base/file.h"
#include "base/text.h"
#include "base/tunables.h"
#include "buffers/rings/channel.h"
#include "control/sessions/budget.h"
#include "control/sessions/inheritance.h"
#include "control/sessions/place.h"
#include "control/sessions/quota.h"
#include "control/threads/settings.h"
#include "testsuite/unit/command/made.h"

/* Returns the names of TAFFRAIL_JOIN's list, each in brackets. */
static const char *names_of(const char *list)
{
	static char bytes[2048];
	char name[PROTOCOL_JOIN_NAME_BYTES];
	struct text text;

	text_open(&text, bytes, sizeof(bytes));
	while (settings_join_next(&list, name, sizeof(name))) {
		text_add_char(&text, '[');
		text_add(&text, name);
		text_add_char(&text, ']');
	}
	return bytes;
}

#define FORTY	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"

static void check_join(void)
{
	static const struct {
		const char *list, *names;
	} rows[] = {
		{ NULL, "" }, { "", "" }, { ":", "" }, { "a", "[a]" },
		{ "a:b@1.2:", "[a][b@1.2]" }, { "::a::b", "[a][b]" },
		{ "a/b:c:..:.:d", "[c][d]" },
		{ FORTY FORTY FORTY "1234567:b",
		  "[" FORTY FORTY FORTY "1234567][b]" },
		{ FORTY FORTY FORTY "12345678:b", "[b]" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		unit_equal_string(names_of(rows[i].list), rows[i].names,
				  "join list %zu", i);
	unit_check(settings_joins("ab:b:c", "b"), "the list has it");
	unit_check(!settings_joins("ab:bc", "b"), "the list has longer ones");
	unit_check(!settings_joins(NULL, "b"), "no list");
	unit_check(settings_inheritance("s@1.2"), "an inheritance file");
	unit_check(!settings_inheritance("s.1.2"), "none");
	settings.join = "a:b";
	unit_check(!settings_bequeaths(), "nothing is handed on");
	settings.join = "a:b@1.2";
	unit_check(settings_bequeaths(), "a file is handed on");
}

static void check_hand_on(void)
{
	static const char *const lacks[] = { "A=1", "TAFFRAIL_JOIN=x:s@1.2",
				 "TAFFRAIL_JOINT=y", NULL };
	static const char *const has[] = { "TAFFRAIL_JOIN=t@3.4:s@1.2", NULL };
	static const char *const none[] = { "A=1", NULL };
	static const char *const empty[] = { "TAFFRAIL_JOIN=", NULL };
	static char room[4096];
	char **next;

#define HAND(environment) \
	settings_hand_on((char *const *)(environment), room, false)

	settings.join = NULL;
	unit_equal(settings_hand_room((char *const *)lacks), 0,
		   "nothing to hand on");
	settings.join = "s@1.2:plain:t@3.4";
	unit_check(settings_hand_room((char *const *)lacks) >=
		   5 * sizeof(char *) + PROTOCOL_JOIN_BYTES +
		   sizeof("TAFFRAIL_JOIN="), "room");
	next = HAND(lacks);
	unit_equal_string(next[0], "A=1", "the others stay");
	unit_equal_string(next[1], "TAFFRAIL_JOINT=y", "and their order");
	unit_equal_string(next[2], "TAFFRAIL_JOIN=x:s@1.2:t@3.4",
			  "files that the list lacks");
	unit_check(!next[3], "the end");
	unit_check(HAND(has) == (char **)has, "it has all");
	next = HAND(none);
	unit_equal_string(next[1], "TAFFRAIL_JOIN=s@1.2:t@3.4", "no list");
	next = HAND(empty);
	unit_equal_string(next[0], "TAFFRAIL_JOIN=s@1.2:t@3.4",
			  "an empty list");
	next = HAND(NULL);
	unit_equal_string(next[0], "TAFFRAIL_JOIN=s@1.2:t@3.4",
			  "no environment");
	settings.join = "plain";
	unit_check(HAND(none) == (char **)none,
		   "other files are not handed on");
}

static void check_settings(void)
{
	static const struct {
		const char *service, *signal;
		uint32_t want;
	} rows[] = {
		{ "TAFFRAIL_SERVICE=signal", "TAFFRAIL_SIGNAL=34", 34 },
		{ "TAFFRAIL_SERVICE=signal", "TAFFRAIL_SIGNAL=64", 64 },
		{ "TAFFRAIL_SERVICE=signal", "TAFFRAIL_SIGNAL=33", 61 },
		{ "TAFFRAIL_SERVICE=signal", "TAFFRAIL_SIGNAL=65", 61 },
		{ "TAFFRAIL_SERVICE=signal", "TAFFRAIL_SIGNAL=40x", 61 },
		{ "TAFFRAIL_SERVICE=signal", "A=", 61 },
		{ "TAFFRAIL_SERVICE=thread", "TAFFRAIL_SIGNAL=40", 0 },
		{ "TAFFRAIL_SERVICE=signals", "TAFFRAIL_SIGNAL=40", 0 },
	};
	char directory[300] = "TAFFRAIL_DIR=";
	const char *path[] = {
		directory, "XDG_RUNTIME_DIR=/run", "TAFFRAIL_GDB=on",
		"TAFFRAIL_ENABLE=a/*", "NTAFFRAIL_KEEP=1s", "TAFFRAIL_QUOTA=1M",
		NULL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *environment[] = { (char *)rows[i].signal,
					(char *)rows[i].service, NULL };

		settings = (struct settings){ 0 };
		settings_read(environment);
		unit_equal(agent_signal, rows[i].want, "%s %s",
			   rows[i].service, rows[i].signal);
	}
	settings = (struct settings){ 0 };
	memset(directory + 13, '/', 250);
	settings_read((char **)path);
	unit_equal((long long)strlen(settings.directory), 200,
		   "a long path is cut");
	unit_check(settings.directory != directory + 13, "it is a copy");
	unit_equal_string(settings.runtime, "/run", "XDG_RUNTIME_DIR");
	unit_check(settings.runtime != path[1] + 16, "that is a copy, too");
	unit_equal_string(settings.gdb, "on", "TAFFRAIL_GDB");
	unit_equal_string(settings.enable, "a/*", "TAFFRAIL_ENABLE");
	unit_equal_string(settings.quota, "1M", "TAFFRAIL_QUOTA");
	unit_equal_string(settings.keep, NULL, "another's name");
	unit_check(setting_is("on", "on") && !setting_is("on", "o") &&
		   !setting_is(NULL, "on"), "the value of a setting");
}

static void check_inheritance(void)
{
	char file[96], parent[96];
	uint64_t own = place_number(0);

	settings = (struct settings){ 0 };
	inheritance_begin("name=s\n");
	unit_equal_string(settings.join, NULL, "no file is named");
	inheritance_begin("name=s\nheirs=s\n");
	unit_equal_string(settings.join, NULL, "it is no inheritance file");
	inheritance_begin("name=s\nheirs=s@1.2\n");
	unit_equal_string(settings.join, "s@1.2", "a file");
	inheritance_begin("heirs=t@1.2\n");
	inheritance_begin("heirs=s@1.2\n");
	unit_equal_string(names_of(settings.join), "[t@1.2][s@1.2]",
			  "the same file again");
	inheritance_end("t@");
	inheritance_end("");
	unit_equal_string(names_of(settings.join), "[t@1.2][s@1.2]",
			  "other sessions");
	inheritance_end("s");
	unit_equal_string(names_of(settings.join), "[t@1.2]", "a session ends");
	sprintf(file, "s@%d.%llu", getpid(), (unsigned long long)own);
	sprintf(parent, "u@%d.%llu", getppid(),
		(unsigned long long)place_number(getppid()));
	unit_check(inheritance_claim(file), "this process's file");
	unit_check(inheritance_claim(parent), "the parent's file");
	unit_check(settings_joins(settings.join, file) &&
		   settings_joins(settings.join, parent) &&
		   settings_joins(settings.join, "t@1.2"), "handed on");
	strcat(file, "0");
	unit_check(!inheritance_claim(file), "another process's file");
	unit_check(!settings_joins(settings.join, file), "not handed on");
}

static void check_place(void)
{
	char buffer[PLACE_STAT_BYTES];
	uint64_t own = place_number(0);
	struct statfs fs;

	prctl(PR_SET_NAME, "a) Z 1 (");
	unit_check(place_stat(0, 3, buffer) && *place_stat(0, 3, buffer) == 'R',
		   "the state, behind a name with brackets");
	unit_equal(place_parent(0), getppid(), "the parent");
	unit_equal(place_parent(getpid()), getppid(), "by number");
	unit_check(!place_stat(1 << 30, 3, buffer), "no such process");
	unit_check(place_alive(getpid(), own), "this process lives");
	unit_check(!place_alive(getpid(), own + 1), "began later");
	unit_check(!place_alive(getpid(),
				own ^ 1ull << PLACE_NAMESPACE_SHIFT),
		   "of another namespace");
	settings = (struct settings){ .directory = "/d/x", .runtime = "/run" };
	unit_equal(place_choose(), 0, "TAFFRAIL_DIR");
	unit_equal_string(place_runtime, "/d/x", "it comes first");
	settings.directory = "d";
	unit_equal(place_choose(), -ENAMETOOLONG, "a relative path");
	unit_equal_string(place_failure, "TAFFRAIL_DIR is not an absolute path",
			  "the reason");
	settings.directory = memset(buffer, '/', 200);
	buffer[200] = '\0';
	unit_equal(place_choose(), -ENAMETOOLONG, "a path of 200 bytes");
	buffer[199] = '\0';
	unit_equal(place_choose(), 0, "a path of 199 bytes");
	settings.directory = "";
	settings.runtime = "/proc";
	place_choose();
	snprintf(buffer, sizeof(buffer), "%s%u", statfs("/dev/shm", &fs) ||
		 fs.f_type != 0x01021994 ? PLACE_DEFAULT_TMP :
					   PLACE_DEFAULT_SHM, geteuid());
	unit_equal_string(place_runtime, buffer, "the default");
	settings.runtime = "/dev/shm";
	place_choose();
	if (strstr(buffer, "/dev/shm"))
		unit_equal_string(place_runtime, "/dev/shm/taffrail",
				  "XDG_RUNTIME_DIR");
	text_copy(place_process, sizeof(place_process), "/d/1.2");
	place_socket_path(buffer, PLACE_STAT_BYTES, "control.sock");
	unit_equal_string(buffer, "/d/1.2/control.sock", "a path of a socket");
}

/* Makes a page of a session; returns the bytes on disk. */
static void make_session(const char *name, const char *session, uint64_t lost)
{
	static struct session_page page;

	memset(&page, 0, sizeof(page));
	strcpy(page.name, session);
	page.lost_unplaced = lost;
	made_bytes(name, &page, sizeof(page));
}

/* Makes a ring of 4 sub-buffers of 4096 bytes that wants so many bytes more on
 * disk; returns what it takes there. */
static uint64_t make_ring(const char *name, const struct ring *ring,
			  uint32_t before, off_t more)
{
	static char bytes[RING_DATA_OFFSET + (16 << 10)];
	struct packet_head *head = (void *)(bytes + RING_DATA_OFFSET);
	const char *path;
	struct stat st;
	int fd;

	memcpy(bytes, ring, sizeof(*ring));
	/* each packet says how many events were before it: 1000 for the first
	 * of them, and `before` more for each that follows */
	for (uint32_t i = 0; i < 4; i++) {
		head->events_before = 1000 + (uint64_t)i * before;
		head = (void *)((char *)head + 4096);
	}
	path = made_bytes(name, bytes, sizeof(bytes));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (more && fallocate(fd, 0, 0, more))
		more = -1;
	close(fd);
	return more < 0 || stat(path, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

static int do_admit(struct channel *channel, uint64_t bytes)
{
	int ret = channel_admit(channel, bytes);

	if (ret >= 0)
		channel_made(ret);
	return ret < 0 || ret == CHANNEL_ADMITTED ? ret : 0;
}

static void check_quota(void)
{
	static struct session_page page = { .name = "s" };
	struct channel channel = { .page = &page };
	const struct ring ring = { 0 };
	uint64_t same, all;
	char value[32];
	struct statfs fs;
	int fd;

	text_copy(place_runtime, sizeof(place_runtime), made_path("quota"));
	make_session("quota/1.5/0/session.0", "s", 0);
	make_session("quota/1.5/0/session.1", "t", 0);
	same = make_ring("quota/1.5/0/ring.0.0", &ring, 0, 0);
	same += make_ring("quota/1.5/0/ring.0.1", &ring, 0, 64 << 10);
	all = make_ring("quota/1.5/0/ring.1.0", &ring, 0, 0);
	make_session("quota/2.7/3/session.0", "s", 0);
	same += make_ring("quota/2.7/3/ring.0.0", &ring, 0, 32 << 10);
	all += same + make_ring("quota/2.7/3/ring.1.0", &ring, 0, 0);
	/* what is no ring of a process */
	make_ring("quota/2.7/3/string.0.0", &ring, 0, 0);
	make_ring("quota/2.7/x/ring.0.0", &ring, 0, 0);
	make_ring("quota/x/3/ring.0.0", &ring, 0, 0);
	made_link("quota/2.7/3/ring.0.9", "ring.0.0");
	unit_equal(quota_setup("1x"), -EINVAL, "a quota that is no number");
	unit_equal(quota_setup(NULL), 0, "no quota");
	unit_equal(do_admit(&channel, 1 << 20), CHANNEL_ADMITTED,
		   "admitted without a look");
	channel.quota = same + 4096;
	unit_equal(do_admit(&channel, 4096), 0, "up to the session's quota");
	unit_equal(do_admit(&channel, 4097), -EDQUOT, "and not more");
	strcpy(page.name, "u");
	unit_equal(do_admit(&channel, same + 4096), 0,
		   "a session without rings");
	channel.quota = 0;
	sprintf(value, "%llu", (unsigned long long)all + 4096);
	unit_equal(quota_setup(value), 0, "the user's quota");
	unit_equal(do_admit(&channel, 4096), 0, "up to it");
	unit_equal(do_admit(&channel, 4097), -EDQUOT, "and not more");
	fd = quota_lock();
	unit_check(fd >= 0, "the directory is locked");
	unit_equal(do_admit(&channel, 1), -EAGAIN,
		   "who has no lock gets no ring");
	close(fd);
	unit_equal(do_admit(&channel, 1), 0, "unlocked");
	if (!statfs(made_root, &fs) && fs.f_blocks)
		unit_equal(do_admit(&channel, 1ull << 60), -ENOSPC, "no room");
	text_copy(place_runtime, sizeof(place_runtime), "/nowhere");
	unit_equal(quota_lock(), -ENOENT, "no directory");
}

static void check_collectors(void)
{
	int fd;

	text_copy(place_runtime, sizeof(place_runtime), made_path("run"));
	made_file("run/sessions/.off.s", "");
	unit_check(!budget_collected("s"), "a recorder was killed");
	unit_check(!budget_ended("s"), "it has not ended in order");
	fd = open(made_path("run/sessions/.off.s"), O_RDONLY | O_CLOEXEC);
	flock(fd, LOCK_EX);
	unit_check(budget_collected("s"), "a recorder is at work");
	close(fd);
	unit_check(!budget_collected("t"), "no recorder");
	unit_check(budget_ended("t"), "a recorder has ended");
	text_copy(place_runtime, sizeof(place_runtime), "/nowhere");
	unit_check(!budget_collected("s") && !budget_ended("s"),
		   "no directory");
}

#define HEAD(events, position)	((uint64_t)(events) << 32 | (position))
#define PART	(100 << 20)

/* Rings that processes shared go as well, but where a process has them, or
 * later ones will join. */
static void check_budget_shared(const struct ring *ring)
{
	static const char *const names[] = { "held", "ruled", "over" };
	static const struct timespec old[2] = { { .tv_sec = 1 },
						{ .tv_sec = 1 } };
	char name[64];
	int held;

	for (int i = 0; i < 3; i++) {
		sprintf(name, "run/sessions/.shared.%s/0/members", names[i]);
		made_file(name, "");
		utimensat(AT_FDCWD, made_path(name), old, 0);
		sprintf(name, "run/sessions/.shared.%s/0/session.0", names[i]);
		make_session(name, names[i], 3);
		sprintf(name, "run/sessions/.shared.%s/0/ring.0.0", names[i]);
		if (!make_ring(name, ring, 0, i < 2 ? 0 : PART)) {
			unit_skip("the limit of shared rings", "no room");
			return;
		}
	}
	made_file("run/sessions/ruled", "");
	held = open(made_path("run/sessions/.shared.held/0/members"),
		    O_RDONLY | O_CLOEXEC);
	flock(held, LOCK_SH);
	budget_keep();
	unit_check(access(made_path("run/sessions/.shared.over"), F_OK),
		   "shared rings of ended processes go");
	unit_check(!access(made_path("run/sessions/.shared.held/0/ring.0.0"),
			   F_OK) &&
		   !access(made_path("run/sessions/.shared.ruled/0/ring.0.0"),
			   F_OK) &&
		   !access(made_path("run/999999.8/0/ring.0.0"), F_OK),
		   "others stay");
	close(held);
}

/* Fills the runtime directory beyond KEEP_BYTES: the oldest files go, and their
 * events are counted. */
static void check_budget(void)
{
	static const struct {
		struct ring ring;	/* 10 events a packet, the first 1000 */
		uint32_t events;	/* that are counted */
	} rows[] = {
		/* nothing was overwritten; 5000 is in the second packet */
		{ { .head = HEAD(1015, 5000) }, 15 },
		/* position 16384 + 5000: the first that is left is the third */
		{ { .head = HEAD(1045, 16384 + 5000) }, 25 },
		/* all are read, or all but those behind the first packet */
		{ { .head = HEAD(1015, 5000), .tail = 5000,
		    .flags = SESSION_CONSUMED }, 0 },
		{ { .head = HEAD(1015, 5000), .tail = 4096,
		    .flags = SESSION_CONSUMED }, 5 },
		{ { .head = HEAD(1015, 5000), .magic = 1 }, 0 },
		{ { .head = HEAD(1015, 5000), .sub_bytes = 5000 }, 0 },
		{ { .head = HEAD(1015, 5000), .ring_bytes = 5000 }, 0 },
	};
	struct keep_row ledger[4] = { 0 };
	uint64_t events = 7;
	char name[64];
	bool room = true;
	int fd;

	text_copy(place_runtime, sizeof(place_runtime), made_path("run"));
	text_copy(place_process, sizeof(place_process), made_path("run/1.1"));
	make_session("run/999999.7/0/session.0", "s", 7);
	make_session("run/999999.7/0/session.1", "t", 0);
	made_file("run/999999.7/0/process", "");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ring ring = rows[i].ring;

		ring.magic = ring.magic ? ring.magic : RING_MAGIC;
		ring.sub_bytes = ring.sub_bytes ? ring.sub_bytes : 4096;
		ring.ring_bytes = ring.ring_bytes ? ring.ring_bytes : 16384;
		sprintf(name, "run/999999.7/0/ring.0.%zu", i);
		room &= !!make_ring(name, &ring, 10, i ? 0 : PART);
		events += rows[i].events;
	}
	room &= !!make_ring("run/999999.8/0/ring.0.0", &rows[0].ring, 0, PART);
	room &= !!make_ring("run/999999.9/0/ring.0.0", &rows[0].ring, 0, PART);
	/* the caller's own, and one that has no file at all */
	made_file("run/1.1/0/process", "");
	made_above("run/999999.1/0/x");
	if (!room) {
		unit_skip("the limit of dead processes' files", "no room");
		return;
	}
	budget_keep();
	unit_check(access(made_path("run/999999.7"), F_OK), "the oldest goes");
	unit_check(!access(made_path("run/999999.8/0/ring.0.0"), F_OK) &&
		   !access(made_path("run/999999.9/0/ring.0.0"), F_OK),
		   "later ones stay");
	unit_check(!access(made_path("run/1.1/0"), F_OK) &&
		   !access(made_path("run/999999.1/0"), F_OK),
		   "so do processes without files");
	fd = open(made_path("run/" KEEP_LEDGER), O_RDONLY | O_CLOEXEC);
	unit_check(read(fd, ledger, sizeof(ledger)) ==
		   2 * (ssize_t)sizeof(*ledger), "two rows are written");
	close(fd);
	for (int i = 0; i < 2; i++) {
		bool first = !strcmp(ledger[i].session, "s");

		unit_check(first || !strcmp(ledger[i].session, "t"),
			   "row of a session %d", i);
		unit_equal(ledger[i].processes, 1, "one process %d", i);
		unit_equal(ledger[i].events, first ? events : 0,
			   "its events %d", i);
	}
	budget_keep();
	unit_check(!access(made_path("run/999999.8/0/ring.0.0"), F_OK),
		   "no more than need be");
	check_budget_shared(&rows[0].ring);
}

int main(void)
{
	made_open();
	file_owner = geteuid();
	check_join();
	check_hand_on();
	check_settings();
	check_inheritance();
	check_place();
	agent_signal = 0;
	check_quota();
	check_collectors();
	check_budget();
	made_close();
	return unit_end();
}
