/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What checks of taffrail doctor find (command/doctor/): by a made-up /proc, by
 * lists of markers, and by limits.
 */
#include "testsuite/unit/unit.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/tunables.h"
#include "command/common/command.h"
#include "command/doctor/private.h"
#include "command/procfs/rlimits.h"
#include "command/record/shortage.h"
#include "testsuite/unit/command/proc.h"

#define PID	4711

static struct doctor doctor = { .pid = PID, .dir = { .fd = -1 } };
static struct finding found;

/* Runs a check; a part of what it finds is given, and its remedy ("": none). */
static void check(void (*look)(struct doctor *d, struct finding *f),
		  enum doctor_state state, const char *part,
		  const char *remedy, const char *name)
{
	memset(&found, 0, sizeof(found));
	look(&doctor, &found);
	if (!strstr(found.found, part))
		printf("# found '%s'\n", found.found);
	unit_equal(found.state, state, "%s", name);
	unit_check(strstr(found.found, part), "%s: found", name);
	unit_check(*remedy ? !!strstr(found.remedy, remedy) : !*found.remedy,
		   "%s: remedy", name);
}

/* Puts a file of this process's. */
static void put_own(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/%s", getpid(), name);
	made_file(path, text);
}

static void check_texts(void)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "a fact", "a fact" },
		{ "a fact" COMMAND_SEE_DOCTOR, "a fact" },
		{ "a fact" COMMAND_SEE_DOCTOR "; more", "a fact; more" },
		{ "a fact" COMMAND_SEE_DOCTOR " -p 7", "a fact" },
		{ "a fact" COMMAND_SEE_DOCTOR " -- ./x; more", "a fact; more" },
		{ "a" COMMAND_SEE_DOCTOR "; b" COMMAND_SEE_DOCTOR, "a; b" },
	};
	char text[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		found_as(&found, DOCTOR_OK, "%s", rows[i].from);
		unit_equal_string(found.found, rows[i].to, "text %zu", i);
	}
	found_as(&found, DOCTOR_NO, "%s", "a\033b");
	unit_check(!strchr(found.found, '\033'), "nothing a terminal obeys");
	found_more(&found, "; c");
	unit_check(strstr(found.found, "; c"), "more text");
	made_file("line", "first\nsecond\n");
	unit_equal_string(first_line(text, sizeof(text), made_path("line")),
			  "first", "a first line");
	unit_equal_string(first_line(text, 4, made_path("line")), "fir",
			  "in little room");
	unit_equal_string(first_line(text, sizeof(text), made_path("none")),
			  "", "without a file");
}

static void judge_markers(const struct marker_list *list, bool probes,
			  enum doctor_state state, const char *text,
			  const char *name)
{
	static const struct doctor asked = { .pid = 12 };

	memset(&found, 0, sizeof(found));
	if (probes)
		found_probes(&asked, &found, list);
	else
		found_markers(&found, list);
	unit_equal(found.state, state, "%s", name);
	unit_equal_string(found.found, text, "%s: found", name);
	unit_equal(*found.remedy != '\0', state != DOCTOR_OK, "%s: remedy",
		   name);
	if (probes && state != DOCTOR_OK)
		unit_equal_string(found.remedy, "taffrail list -p 12 says "
				  "which, and why", "%s: of the process", name);
}

static void check_markers(void)
{
	struct marker markers[] = {
		{ .kind = MARKER_EVENT }, { .kind = MARKER_MARK },
		{ .kind = MARKER_USDT, .placement = PLACED_BYTE },
		{ .kind = MARKER_USDT, .placement = PLACED_INT3 },
		{ .kind = MARKER_USDT, .placement = PLACED_NOT },
		{ .kind = MARKER_EVENT, .placement = PLACED_NOT,
		  .why = "it was moved" },
	};
	struct marker_list list = { markers, 0 };

	judge_markers(&list, false, DOCTOR_LIMITED, "no marker", "no marker");
	judge_markers(&list, true, DOCTOR_OK, "no USDT probe", "no probe");
	list.count = 1;
	judge_markers(&list, false, DOCTOR_OK, "1 marker", "a marker");
	list.count = 3;
	judge_markers(&list, false, DOCTOR_OK, "2 markers", "two markers");
	judge_markers(&list, true, DOCTOR_OK, "1 USDT probe", "a probe");
	list.count = 5;
	judge_markers(&list, true, DOCTOR_LIMITED, "3 USDT probes, of which 1 "
		      "need a trap (--int3), and 1 cannot be placed",
		      "three probes");
	list.count = 6;
	judge_markers(&list, false, DOCTOR_NO, "1 of 3 markers cannot be "
		      "traced: it was moved", "three markers");
}

static void check_file_sizes(void)
{
	const uint64_t least = RING_LEAST_BYTES + RING_DATA_OFFSET;
	const uint64_t most = default_ring() + RING_DATA_OFFSET;
	const struct {
		uint64_t limit;
		enum doctor_state state;
	} rows[] = {
		{ UINT64_MAX, DOCTOR_OK }, { most, DOCTOR_OK },
		{ most - 1, DOCTOR_LIMITED }, { least, DOCTOR_LIMITED },
		{ least - 1, DOCTOR_NO }, { 0, DOCTOR_NO },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&found, 0, sizeof(found));
		judge_file_size(&found, rows[i].limit);
		unit_equal(found.state, rows[i].state, "size of a file %zu",
			   i);
	}
}

/* Sets the limit of memory for one check: the process itself takes less. */
static void check_memory_size(void)
{
	const uint64_t eighth = RECORDS_MAX_BYTES + shortage_needed(0);
	struct rlimit before, limit;

	getrlimit(RLIMIT_AS, &before);
	limit = before;
	limit.rlim_cur = 8 * (eighth + 1);
	setrlimit(RLIMIT_AS, &limit);
	check(look_memory_size, DOCTOR_OK, "ulimit -v is ", "",
	      "more than eight sessions' memory");
	limit.rlim_cur = 8 * eighth;
	setrlimit(RLIMIT_AS, &limit);
	check(look_memory_size, DOCTOR_LIMITED, "and a session takes up to ",
	      "ulimit -v", "eight sessions' memory");
	setrlimit(RLIMIT_AS, &before);
}

static void put_limits(const char *format, const char *number)
{
	char text[256];

	snprintf(text, sizeof(text), format, number);
	made_file("proc/4711/limits", text);
}

static void check_its_limits(void)
{
	made_file("proc/4711/status", "Uid:\t4711\t4711\t4711\t4711\n"
		  "VmSize:\t 1024 kB\nVmData:\t 1024 kB\nThreads:\t7\n");
	put_limits("Max open files  %s  unlimited  files\n", "16");
	check(look_its_limits, DOCTOR_OK, "none that matters", "",
	      "16 descriptors");
	put_limits("Max open files  %s  unlimited  files\n", "15");
	check(look_its_limits, DOCTOR_LIMITED, "ulimit -n is 15: it may be too "
	      "few", "--nofile=1024", "15 descriptors");
	put_limits("Max open files  %s  unlimited  files\n", "4");
	check(look_its_limits, DOCTOR_LIMITED, "ulimit -n is 4", "--pid 4711",
	      "4 descriptors");
	put_limits("Max open files  %s  unlimited  files\n", "3");
	check(look_its_limits, DOCTOR_NO, "no session's files can be made",
	      "--nofile", "3 descriptors");
	put_limits("Max file size  %s  unlimited  bytes\n", "1024");
	check(look_its_limits, DOCTOR_NO, "ulimit -f is 1K", "raise ulimit -f",
	      "files of 1K");
	put_limits("Max data size  %s  unlimited  bytes\n", "2097152");
	check(look_its_limits, DOCTOR_NO, "ulimit -d leaves it 1024K, and a "
	      "command's call takes up to 4224K", "--data=unlimited",
	      "1M of data");
	put_limits("Max address space  %s  unlimited  bytes\n", "unlimited");
	check(look_its_limits, DOCTOR_OK, "none that matters", "",
	      "no limit of memory");
	put_limits("Max address space  %s  unlimited  bytes\n", "22000000");
	check(look_its_limits, DOCTOR_NO, "ulimit -v leaves it 20M, and a "
	      "session takes up to", "--as=unlimited", "20M of memory");
	doctor.gone = true;
	check(look_its_limits, DOCTOR_APART, "", "", "no process");
	doctor.gone = false;
}

static void check_seccomp(void)
{
	unsetenv("TAFFRAIL_SECCOMP");
	put_own("status", "Seccomp:\t0\nSeccomp_filters:\t0\n");
	check(look_seccomp, DOCTOR_OK, "under no filter", "", "no filter");
	put_own("status", "Seccomp:\t2\nSeccomp_filters:\t1\n");
	check(look_seccomp, DOCTOR_LIMITED, "under 1 filter; record and "
	      "gdbserver try", "TAFFRAIL_SECCOMP=trust", "a filter");
	put_own("status", "Seccomp:\t2\nSeccomp_filters:\t2\n");
	check(look_seccomp, DOCTOR_LIMITED, "under 2 filters; ", "trust",
	      "two filters");
	/* before Linux 5.9 */
	put_own("status", "Seccomp:\t2\n");
	check(look_seccomp, DOCTOR_LIMITED, "under filters; agents stay off",
	      "trust", "filters that are not counted");
	setenv("TAFFRAIL_SECCOMP", "off", 1);
	check(look_seccomp, DOCTOR_LIMITED, "TAFFRAIL_SECCOMP decides", "",
	      "a word about filters");
	unsetenv("TAFFRAIL_SECCOMP");
}

static void check_namespaces(void)
{
	made_file("proc/self/uid_map", "0 0 4294967295\n");
	made_file("proc/self/timens_offsets", "monotonic 0 0\nboottime 0 0\n");
	unit_check(!own_user_namespace(), "the first user namespace");
	made_file("proc/self/uid_map", "0 1000 1\n");
	unit_check(own_user_namespace(), "another user namespace");
	made_file("proc/self/uid_map", "0 0 65536\n");
	unit_check(own_user_namespace(), "one with fewer users");
	check(look_namespaces, DOCTOR_OK, "own user", "", "namespaces");
	made_file("proc/self/timens_offsets", "monotonic 5 0\n");
	check(look_namespaces, DOCTOR_OK, "own user, time", "",
	      "two namespaces");
	unlink(made_path("proc/self/uid_map"));
	unlink(made_path("proc/self/timens_offsets"));
	check(look_namespaces, DOCTOR_OK, "those of the machine", "",
	      "no namespace of its own");
	/* the first process's are compared by their inodes */
	made_file("proc/self/ns/net", "");
	made_above("proc/1/ns/x");
	link(made_path("proc/self/ns/net"), made_path("proc/1/ns/net"));
	check(look_namespaces, DOCTOR_OK, "those of the machine", "",
	      "the first process's network");
	made_file("proc/self/ns/mnt", "");
	check(look_namespaces, DOCTOR_OK, "those of the machine", "",
	      "mounts of the first process that are not seen");
	made_file("proc/1/ns/mnt", "");
	check(look_namespaces, DOCTOR_OK, "own mount", "", "other mounts");
	made_file("proc/self/ns/uts", "");
	check(look_namespaces, DOCTOR_OK, "own mount, UTS", "",
	      "another number than the machine's own");
	unlink(made_path("proc/self/ns/net"));
	unlink(made_path("proc/self/ns/mnt"));
	unlink(made_path("proc/self/ns/uts"));
}

static void check_proc(void)
{
	char number[16];

	remove_tree(made_path("proc/self"));
	check(look_proc, DOCTOR_NO, "/proc is not mounted", "mount -t proc",
	      "no /proc");
	doctor.pid = 0;
	check(look_proc, DOCTOR_LIMITED, "/proc is not mounted",
	      "mount -t proc", "no /proc, and no process");
	made_file("proc/uptime", "1.0 2.0\n");
	made_link("proc/self", "1");
	check(look_proc, DOCTOR_LIMITED, "/proc belongs to another PID "
	      "namespace", "mount -t proc", "another namespace's /proc");
	unlink(made_path("proc/self"));
	snprintf(number, sizeof(number), "%d", getpid());
	made_link("proc/self", number);
	check(look_proc, DOCTOR_OK, "/proc is mounted", "", "/proc");
	doctor.pid = PID;
}

static void check_core(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_CORE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_CORE, &limit);
	unsetenv("TAFFRAIL_CORE");
	made_file("proc/sys/kernel/core_pattern", "core.%p\n");
	check(look_core, DOCTOR_OK, "no core dumps (ulimit -c is 0)", "",
	      "no core dumps");
	setenv("TAFFRAIL_CORE", "on", 1);
	check(look_core, DOCTOR_LIMITED, "no core dumps", "ulimit -c "
	      "unlimited", "no core dumps, that are wanted");
	made_file("proc/sys/kernel/core_pattern", "|/usr/bin/x %p\n");
	check(look_core, DOCTOR_OK, "core dumps go to a program (/usr/bin/x "
	      "%p)", "", "core dumps to a program");
	unsetenv("TAFFRAIL_CORE");
}

static void check_threads(void)
{
	struct stat st;
	uint64_t before;

	stat(made_root, &st);
	before = process_user_threads(st.st_uid);
	made_file("proc/5001/status", "Threads:\t7\n");
	made_file("proc/5002/status", "Threads:\t3\n");
	made_file("proc/5003/status", "Name:\tx\n");
	made_file("proc/x5004/status", "Threads:\t100\n");
	unit_equal((long long)(process_user_threads(st.st_uid) - before), 10,
		   "threads of a user");
	unit_equal((long long)process_user_threads(st.st_uid + 1), 0,
		   "threads of another user");
}

int main(void)
{
	made_open();
	check_texts();
	check_markers();
	check_file_sizes();
	check_memory_size();
	check_its_limits();
	check_seccomp();
	check_namespaces();
	check_core();
	check_threads();
	check_proc();
	made_close();
	return unit_end();
}
