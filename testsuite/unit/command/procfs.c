/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What /proc says of a process (command/procfs/), from a made-up /proc; the
 * forms of its files are those of proc(5) and Linux's
 * Documentation/filesystems/proc.rst.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/causes/cause.h"
#include "command/procfs/mapped-file.h"
#include "command/procfs/process.h"
#include "command/procfs/rlimits.h"
#include "command/sandbox/opener.h"
#include "testsuite/unit/command/proc.h"

#define PID	4711

static const char status_file[] =
	"Name:\tState: T (stopped)\n"
	"Umask:\t0022\n"
	"State:\tS (sleeping)\n"
	"Tgid:\t4711\n"
	"Ngid:\t0\n"
	"Pid:\t4711\n"
	"PPid:\t17\n"
	"TracerPid:\t0\n"
	"Uid:\t1000\t1001\t1002\t1003\n"
	"Gid:\t100\t101\t102\t103\n"
	"NSpid:\t4711\n"
	"VmPeak:\t   99999 kB\n"
	"VmSize:\t   20480 kB\n"
	"VmLck:\t       0 kB\n"
	"VmData:\t     512 kB\n"
	"CapInh:\tffffffffffffffff\n"
	"CapPrm:\tffffffffffffffff\n"
	"CapEff:\t8000010000200001\n"
	"CapBnd:\tffffffffffffffff\n";

static void check_status(void)
{
	static const struct {
		const char *word;
		long value;
	} rows[] = {
		{ "Tgid", 4711 }, { "Pid", 4711 }, { "PPid", 17 },
		{ "TracerPid", 0 }, { "Uid", 1000 }, { "VmSize", 20480 },
		{ "Vm", -1 }, { "Tracer", -1 }, { "Seccomp", -1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(process_status(PID, rows[i].word), rows[i].value,
			   "status %s", rows[i].word);
	unit_equal(process_status(PID + 1, "Pid"), -1, "status of none");
	unit_equal(process_euid(PID), 1001, "effective user");
	unit_equal(process_euid(PID + 1), -1, "effective user of none");
	unit_check(process_capable(PID, 0), "capability 0");
	unit_check(process_capable(PID, 21), "capability 21");
	unit_check(!process_capable(PID, 20), "no capability 20");
	unit_check(!process_capable(PID, 22), "no capability 22");
	unit_check(process_capable(PID, 40), "capability 40");
	unit_check(process_capable(PID, 63), "capability 63");
	unit_check(!process_capable(PID + 1, 0), "no capability of none");
	unit_check(process_status_has(PID, "State", "sleep"), "state");
	unit_check(!process_status_has(PID, "Ngid", "4711"),
		   "a text of another line");
}

static void check_stopped(void)
{
	static const struct {
		const char *state;
		int tracer;
		bool stopped;
		const char *text;
	} rows[] = {
		{ "R (running)", 0, false, NULL },
		{ "T (stopped)", 0, true, "process 4711 is stopped: continue "
		  "it first (kill -CONT 4711)" },
		{ "t (tracing stop)", 42, true, "process 4711 is stopped by "
		  "its tracer, process 42: continue it there first" },
		{ "t (tracing stop)", 0, true, "process 4711 is stopped by a "
		  "tracer in another PID namespace: continue it there first" },
		{ "R (running)", 42, false, NULL },
		{ "Z (zombie)", 0, false, NULL },
	};
	char line[CAUSE_LINE_BYTES], text[256];
	struct cause cause;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(text, sizeof(text), "Name:\tx\nState:\t%s\n"
			 "TracerPid:\t%d\n", rows[i].state, rows[i].tracer);
		made_file("proc/4711/status", text);
		unit_equal(process_stopped(PID), rows[i].stopped,
			   "state %s", rows[i].state);
		cause.id = CAUSE_NONE;
		unit_equal(process_stopped_why(PID, &cause), rows[i].stopped,
			   "state %s: a reason", rows[i].state);
		unit_equal(cause.id != CAUSE_NONE, rows[i].stopped,
			   "state %s: a cause", rows[i].state);
		if (!rows[i].stopped)
			continue;
		unit_equal_string(cause_line(&cause, line), rows[i].text,
				  "state %s: said", rows[i].state);
	}
	made_file("proc/4711/status", status_file);
	/* the process's name says so, its state does not */
	unit_check(!process_stopped(PID), "a process with a misleading name");
}

static const char maps_file[] =
	"00400000-00401000 r--p 00000000 08:01 11         /usr/bin/a program\n"
	"00401000-00402000 r-xp 00001000 08:01 11         /usr/bin/a program\n"
	"00402000-00403000 rw-p 00000000 00:00 0 \n"
	"01000000-01021000 rw-p 00000000 00:00 0          [heap]\n"
	"7f0000000000-7f0000001000 r-xp 00002000 fd:1f 18446744073709551615 "
	"/lib/libx.so.1 (deleted)\n"
	"7f0000001000-7f0000002000 rwxs 00000000 00:05 7  /memfd:y (deleted)\n"
	"7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0  [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 "
	"[vsyscall]\n"
	"damaged\n";

struct taken {
	struct process_mapping all[8];
	int n, end;
};

static int take(const struct process_mapping *m, void *arg)
{
	struct taken *taken = arg;

	taken->all[taken->n++] = *m;
	return taken->n == taken->end ? 77 : 0;
}

static void check_mappings(void)
{
	struct taken taken = { .end = 8 };
	struct process_mapping *m = taken.all;

	unit_equal(process_each_mapping(PID + 1, take, &taken), -ENOENT,
		   "mappings of none");
	unit_equal(process_each_mapping(PID, take, &taken), 0, "mappings");
	unit_equal(taken.n, 4, "mappings of files");
	unit_equal((long long)m[0].start, 0x400000, "mapping: start");
	unit_equal((long long)m[0].end, 0x401000, "mapping: end");
	unit_check(!m[0].executable && m[1].executable, "mapping: executable");
	unit_equal((long long)m[1].offset, 0x1000, "mapping: offset");
	unit_equal_string(m[0].path, "/usr/bin/a program", "mapping: path");
	unit_equal((long long)m[2].start, 0x7f0000000000, "mapping: high");
	unit_equal(m[2].major, 0xfd, "mapping: major");
	unit_equal(m[2].minor, 0x1f, "mapping: minor");
	unit_check(m[2].inode == UINT64_MAX, "mapping: inode");
	unit_equal_string(m[2].path, "/lib/libx.so.1 (deleted)",
			  "mapping: path of a removed file");
	taken = (struct taken){ .end = 2 };
	unit_equal(process_each_mapping(PID, take, &taken), 77,
		   "mappings until a call ends it");
	unit_equal(taken.n, 2, "mappings until then");
	unit_check(process_maps_file(PID, "a program"), "maps a file");
	unit_check(process_maps_file(PID, "libx.so.1"), "maps a removed file");
	unit_check(!process_maps_file(PID, "libx.so"), "maps no such file");
	unit_check(!process_maps_file(PID, "program"), "nor its end");
	unit_check(process_maps_beginning(PID, "libx.so"), "maps a beginning");
	unit_check(!process_maps_beginning(PID, "libx.so.2"),
		   "maps no such beginning");
	unit_check(!process_maps_beginning(PID, "lib/"), "nor a folder");
	unit_check(process_executes(PID, 0x401000), "first byte of code");
	unit_check(process_executes(PID, 0x401fff), "last byte of code");
	unit_check(!process_executes(PID, 0x402000), "byte behind the code");
	unit_check(!process_executes(PID, 0x400fff), "byte before the code");
	unit_check(process_executes(PID, 0x7f0000001000), "code of a memfd");
}

static void check_namespaces(void)
{
	made_file("proc/self/ns/user", "");
	made_file("proc/self/ns/pid", "");
	unit_check(!process_namespace_differs(PID, "user"),
		   "a namespace that cannot be seen");
	made_file("proc/4711/ns/user", "");
	unit_check(process_namespace_differs(PID, "user"),
		   "another namespace");
	if (link(made_path("proc/self/ns/pid"),
		 made_above("proc/4711/ns/pid")))
		abort();
	unit_check(!process_namespace_differs(PID, "pid"),
		   "the same namespace");
	unit_check(!process_namespace_differs(PID, "time"),
		   "a kind that there is not");
}

/* inside, outside, how many */
static void check_ids(void)
{
	static const struct {
		uint32_t id;
		bool there;
	} rows[] = {
		{ 0, false }, { 999, false }, { 1000, true }, { 1001, false },
		{ 99999, false }, { 100000, true }, { 165535, true },
		{ 165536, false }, { UINT32_MAX, false },
	};

	made_file("proc/4711/uid_map", "         0       1000          1\n"
		  "         1     100000      65536\n");
	made_file("proc/4711/gid_map", "0 0 4294967295\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(process_has_id(PID, "uid_map", rows[i].id),
			   rows[i].there, "user %u", rows[i].id);
	unit_check(process_has_id(PID, "gid_map", 0), "group 0");
	unit_check(process_has_id(PID, "gid_map", UINT32_MAX - 1),
		   "last group");
	unit_check(!process_has_id(PID, "projid_map", 0), "no such map");
}

/* Makes the two namespaces of a thread; `away`: different ones. */
static void make_thread(int tid, bool away)
{
	char own[64], children[80];

	snprintf(own, sizeof(own), "proc/4711/task/%d/ns/pid", tid);
	snprintf(children, sizeof(children), "%s_for_children", own);
	made_file(own, "");
	unlink(made_path(children));
	if (away)
		made_file(children, "");
	else if (link(made_path(own), made_path(children)))
		abort();
}

static void check_children(void)
{
	unit_check(!process_children_away(PID, "pid"), "no threads");
	make_thread(4711, true);
	unit_check(process_children_away(PID, "pid"), "one thread is away");
	make_thread(4712, false);
	unit_check(!process_children_away(PID, "pid"), "not each is away");
	make_thread(4712, true);
	unit_check(process_children_away(PID, "pid"), "each is away");
	unlink(made_path("proc/4711/task/4712/ns/pid_for_children"));
	unit_check(process_children_away(PID, "pid"),
		   "a namespace without a first process");
	unit_check(!process_children_away(PID, "time"),
		   "a kind that there is not");
}

/* Makes the stat file of a thread with these flags (PF_EXITING is 4). */
static void make_stat(int tid, const char *flags)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/4711/task/%d/stat", tid);
	snprintf(text, sizeof(text), "%d (a) b) R 1 4711 4711 0 -1 %s 0 0\n",
		 tid, flags);
	made_file(path, text);
}

static void check_ending(void)
{
	unit_check(!process_ending(4712), "no such process");
	make_stat(4711, "4194304");
	unit_check(!process_ending(PID), "a thread that runs");
	make_stat(4711, "4194308");
	make_stat(4712, "4194304");
	unit_check(!process_ending(PID), "the first thread has ended");
	make_stat(4712, "4194308");
	unit_check(process_ending(PID), "each thread is at its end");
}

static void check_paths(void)
{
	static const struct {
		const char *root, *path, *inside;
	} rows[] = {
		{ "/", "/lib/x", "/lib/x" },
		{ "/jail", "/jail/lib/x", "/lib/x" },
		{ "/jail", "/jailer/x", NULL },
		{ "/jail", "/lib/x", NULL },
		{ "/jail", "/jail", NULL },
		{ "(unreachable)/", "/lib/x", NULL },
	};

	unit_equal_string(process_path_inside(PID, "/lib/x"), NULL,
			  "path inside an unknown root");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unlink(made_path("proc/4711/root"));
		made_link("proc/4711/root", rows[i].root);
		unit_equal_string(process_path_inside(PID, rows[i].path),
				  rows[i].inside, "path %s inside %s",
				  rows[i].path, rows[i].root);
	}
	unlink(made_path("proc/4711/root"));
}

/* A file below the root directory of the process, by its name there, and by its
 * mapping alone. */
static void check_files(void)
{
	struct process_mapping m = { .start = 0x401000, .end = 0x402000,
				     .path = "/lib/x" };
	char path[PROCESS_FILE_BYTES];
	struct stat st;

	made_link("proc/4711/root", made_root);
	snprintf(m.path, sizeof(m.path), "%s", made_file("lib/x", "1"));
	stat(m.path, &st);
	m.inode = st.st_ino;
	unit_equal(process_file(path, PID, &m), PROCESS_WAY_NAME,
		   "a file by its name");
	unit_equal_string(path, "/proc/4711/root/lib/x",
			  "a file by its name: path");
	m.inode++;
	unit_equal(process_file(path, PID, &m), PROCESS_WAY_NONE,
		   "another file has its name");
	made_file("proc/4711/map_files/401000-402000", "1");
	stat("/proc/4711/map_files/401000-402000", &st);
	m.inode = st.st_ino;
	unit_equal(process_file(path, PID, &m), PROCESS_WAY_MAPPING,
		   "a file by its mapping");
	unit_equal_string(path, "/proc/4711/map_files/401000-402000",
			  "a file by its mapping: path");
}

/* What the child opens, and what it does not. */
static void check_opener(void)
{
	const char *path = made_file("opened", "text");
	struct opener_file file;
	char text[8] = "";
	struct stat st;

	unit_equal(opener_stat(path, &st), 0, "opener: facts");
	unit_equal(st.st_size, 4, "opener: size");
	unit_equal(opener_open(&file, path, st.st_ino), 0, "opener: open");
	unit_equal(pread(file.fd, text, sizeof(text) - 1, 0), 4,
		   "opener: bytes");
	unit_equal_string(text, "text", "opener: text");
	unit_equal(file.st.st_ino == st.st_ino, 1, "opener: number");
	opener_close(&file);
	unit_equal(opener_open(&file, path, st.st_ino + 1), -ESTALE,
		   "opener: another number");
	opener_end();
	unit_equal(opener_open(&file, made_path("nothing"), 0), -ENOENT,
		   "opener: no file, by another child");
	unit_equal(mkfifo(made_path("fifo"), 0600), 0, "a FIFO is made");
	unit_equal(opener_open(&file, made_path("fifo"), 0), -EINVAL,
		   "opener: a FIFO is not opened");
	unlink(made_path("fifo"));
	opener_end();
}

static void put_limits(const char *name, const char *soft, const char *unit)
{
	char text[1024];

	snprintf(text, sizeof(text), "%-26s%-21s%-21s%-10s\n"
		 "Max cpu time              1                    2           "
		 "         seconds   \n"
		 "%-26s%-21s%-21s%-10s\n", "Limit", "Soft Limit",
		 "Hard Limit", "Units", name, soft, "unlimited", unit);
	made_file("proc/4711/limits", text);
}

static void check_limits(void)
{
	static const struct {
		const char *name, *soft, *unit, *option;
		uint64_t left;
		int error;
		const char *text;
	} rows[] = {
		{ "Max open files", "15", "files", "-n", 15, EMFILE,
		  "its limits: ulimit -n is 15" },
		{ "Max open files", "15", "files", "-n", 15, ENOMEM, "" },
		{ "Max open files", "15", "files", "-n", 15, 0, "" },
		{ "Max open files", "16", "files", "-n", 16, EMFILE, "" },
		{ "Max open files", "unlimited", "files", "-n", UINT64_MAX,
		  EMFILE, "" },
		{ "Max file size", "16777215", "bytes", "-f", 16383 << 10,
		  EFBIG, "its limits: ulimit -f is 16383K" },
		{ "Max file size", "16777216", "bytes", "-f", 16777216,
		  EFBIG, "" },
		/* 20480 K are in use, and 65536 K may be needed */
		{ "Max address space", "88080384", "bytes", "-v",
		  65536ull << 10, ENOMEM, "" },
		{ "Max address space", "88079360", "bytes", "-v",
		  65535ull << 10, ENOMEM, "its limits: ulimit -v leaves 65535K" },
		/* clone(2) does not fail so for want of memory */
		{ "Max address space", "88079360", "bytes", "-v",
		  65535ull << 10, EAGAIN, "" },
		{ "Max address space", "1024", "bytes", "-v", 0, ENOMEM,
		  "its limits: ulimit -v leaves 0K" },
		{ "Max data size", "1048576", "bytes", "-d", 512 << 10,
		  ENOMEM, "its limits: ulimit -d leaves 512K" },
		/* it locks none */
		{ "Max locked memory", "65536", "bytes", "-l", 65536, EAGAIN,
		  "" },
		{ "Max processes", "100", "processes", "-u", 100, 0, "" },
		/* the user has fewer */
		{ "Max processes", "100", "processes", "-u", 100, EAGAIN, "" },
	};
	uint64_t limit = 0;
	char text[256];

	process_limits(PID, 0, text, sizeof(text));
	unit_equal_string(text, "", "limits that cannot be read");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_limits(rows[i].name, rows[i].soft, rows[i].unit);
		process_limits(PID, rows[i].error, text, sizeof(text));
		unit_equal_string(text, rows[i].text, "limit %zu, %s", i,
				  rows[i].name);
		unit_check(process_limit_left(PID, rows[i].option) ==
				   rows[i].left, "limit %zu, %s: what is left",
			   i, rows[i].name);
	}
	made_file("proc/4711/limits", "Max data size   1024  1024  bytes\n"
		  "Max processes   3  3  processes\n");
	/* the group's own limit does not matter, but that of the one above */
	made_file("proc/4711/cgroup", "7:cpu:/x\n8:pids:/a/b\n0::/u\n");
	made_file("sys/fs/cgroup/pids/a/b/pids.max", "5\n");
	made_file("sys/fs/cgroup/pids/a/b/pids.current", "4\n");
	made_file("sys/fs/cgroup/pids/a/pids.max", "max\n");
	made_file("sys/fs/cgroup/pids/a/pids.current", "4\n");
	unit_check(!process_group_limited(PID, &limit), "groups with room");
	made_file("sys/fs/cgroup/pids/a/pids.max", "4\n");
	unit_check(process_group_limited(PID, &limit) && limit == 4,
		   "a group without room");
	made_file("proc/4711/cgroup", "0::/u\n");
	made_file("sys/fs/cgroup/u/pids.max", "3\n");
	made_file("sys/fs/cgroup/u/pids.current", "3\n");
	process_limits(PID, EAGAIN, text, sizeof(text));
	unit_equal_string(text, "its limits: pids.max of its cgroup is 3",
			  "a limit of threads");
	made_file("proc/4711/limits", "Max data size   1024  1024  bytes\n"
		  "Max address space   1024  1024  bytes\n");
	process_limits(PID, ENOMEM, text, sizeof(text));
	unit_equal_string(text, "its limits: ulimit -d leaves 0K, ulimit -v "
			  "leaves 0K", "two limits");
	made_file("proc/4711/limits", "Max processes   3  3  processes\n");
	process_limits(PID, EAGAIN, text, 20);
	unit_equal_string(text, "its limits: pids.ma", "in little room");
}

int main(void)
{
	made_open();
	made_file("proc/4711/status", status_file);
	made_file("proc/4711/maps", maps_file);
	check_status();
	check_stopped();
	check_mappings();
	check_namespaces();
	check_ids();
	check_children();
	check_ending();
	check_paths();
	check_files();
	check_opener();
	check_limits();
	made_close();
	return unit_end();
}
