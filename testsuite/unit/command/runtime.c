/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and files of the runtime directory (command/runtime/), and the
 * processes that they name, from a made-up /proc.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include "command/runtime/private.h"
#include "control/protocol.h"
#include "testsuite/unit/command/proc.h"

#define PID	4711

/* Directories below a made-up /run and /dev/shm are on tmpfs, no other is. */
int __wrap_statfs(const char *path, struct statfs *fs);
int __wrap_statfs(const char *path, struct statfs *fs)
{
	fs->f_type = strstr(path, "/run/") || strstr(path, "/dev/shm") ?
			     TMPFS_MAGIC : 0;
	return 0;
}

static void check_session_names(void)
{
	static const struct {
		const char *name;
		bool valid;
	} rows[] = {
		{ "a", true },
		{ "A-Z_0.9", true },
		{ "-a", true },
		{ "_", true },
		{ "a.", true },
		{ "012345678901234567890123456789012345678901234567890123456789"
		  "012", true },
		{ "012345678901234567890123456789012345678901234567890123456789"
		  "0123", false },
		{ "", false },
		{ ".", false },
		{ ".a", false },
		{ "a b", false },
		{ "a/b", false },
		{ "a@1.2", false },
		{ "caf\303\251", false },
		{ "a\n", false },
		{ "[", false }, { "`", false }, { "{", false }, { ":", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		unit_equal(rundir_valid_name(rows[i].name), rows[i].valid,
			   "session's name %zu", i);
}

static void check_process_names(void)
{
	static const struct {
		const char *name;
		pid_t pid;		/* 0: no process's */
		uint64_t starttime;
	} rows[] = {
		{ "1.2", 1, 2 },
		{ "4711.0", 4711, 0 },
		{ "2147483647.18446744073709551615", 2147483647, UINT64_MAX },
		{ "2147483648.1", 0, 0 },
		{ "4294967297.1", 0, 0 },
		{ "1.18446744073709551616", 0, 0 },
		{ "0.1", 0, 0 }, { "-1.1", 0, 0 }, { "+1.1", 0, 0 },
		{ "01.1", 0, 0 }, { "1.01", 0, 0 }, { "1.1 ", 0, 0 },
		{ " 1.1", 0, 0 }, { "1.1.1", 0, 0 }, { "1", 0, 0 },
		{ "1.", 0, 0 }, { ".1", 0, 0 }, { "", 0, 0 },
		{ "sessions", 0, 0 }, { "1.-1", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t starttime = 0;
		pid_t pid = 0;
		bool valid = rundir_parse_name(rows[i].name, &pid, &starttime);

		unit_equal(valid, rows[i].pid != 0, "process '%s'",
			   rows[i].name);
		if (valid)
			unit_check(pid == rows[i].pid &&
				   starttime == rows[i].starttime,
				   "process '%s': numbers", rows[i].name);
	}
}

static void check_files(void)
{
	static const struct {
		const char *path;
		const char *top;	/* NULL: no agent's file */
		uint32_t image;
		const char *name;
	} rows[] = {
		{ "/r/12.345/0/process", "/r/12.345", 0, "process" },
		{ "/r/12.345/7/session.3", "/r/12.345", 7, "session.3" },
		{ "/r/12.345/10/ring.0.11", "/r/12.345", 10, "ring.0.11" },
		{ "/r/12.345/0/ring.0.L2", "/r/12.345", 0, "ring.0.L2" },
		{ "/r/12.345/0/processes", NULL, 0, NULL },
		{ "/r/12.345/0/ring.0.x", NULL, 0, NULL },
		{ "/r/12.345/0/ring", NULL, 0, NULL },
		{ "/r/12.345/0/control.sock", NULL, 0, NULL },
		{ "/r/12.345/process", NULL, 0, NULL },
		{ "/r/12.345/0x/process", NULL, 0, NULL },
		{ "/r/12.345/-1/process", NULL, 0, NULL },
		{ "/r/12.345//process", NULL, 0, NULL },
		{ "/r/12/0/process", NULL, 0, NULL },
		{ "/0/process", NULL, 0, NULL },
		{ "process", NULL, 0, NULL },
		{ "", NULL, 0, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[PATH_MAX], name[NAME_MAX + 1];
		uint64_t starttime;
		uint32_t image;
		pid_t pid;
		bool found;

		strcpy(path, rows[i].path);
		found = rundir_parse_file(path, &pid, &starttime, &image, name);
		unit_equal(found, rows[i].top != NULL, "file '%s'",
			   rows[i].path);
		if (!found)
			continue;
		unit_equal_string(path, rows[i].top, "file '%s': process",
				  rows[i].path);
		unit_equal_string(name, rows[i].name, "file '%s': name",
				  rows[i].path);
		unit_check(image == rows[i].image && pid == 12 &&
			   starttime == 345, "file '%s': numbers",
			   rows[i].path);
	}
	unit_check(rundir_names_ring("ring.1.0", 1), "ring of session 1");
	unit_check(rundir_names_ring("ring.1.L0", 1), "locked ring");
	unit_check(!rundir_names_ring("ring.10.0", 1), "ring of session 10");
	unit_check(!rundir_names_ring("ring.1", 1), "no ring");
}

/* Writes a stat file with a state, threads, and a start time. */
static void put_stat(const char *file, const char *name, char state,
		     int threads, const char *starttime)
{
	char text[512];

	snprintf(text, sizeof(text), "4711 (%s) %c 17 4711 4711 34816 -1 "
		 "4194304 100 200 300 400 11 12 13 14 20 -5 %d 0 %s 1000000 "
		 "250 18446744073709551615 1 2 3\n", name, state, threads,
		 starttime);
	made_file(file, text);
}

static void check_living(void)
{
	static const struct {
		const char *name, *starttime;
		char state;
		int threads, ret;
	} rows[] = {
		{ "sh", "98765", 'S', 1, 0 },
		{ "a) R 1 2 3 4 (b", "98765", 'R', 1, 0 },
		{ "a\nb", "98765", 'D', 1, 0 },
		{ "", "18446744073709551615", 'T', 1, 0 },
		{ "sh", "98765", 'Z', 1, -ESRCH },
		{ "sh", "98765", 'Z', 2, 0 },	/* its threads go on */
		{ "sh", "98765", 'X', 2, -ESRCH },
		{ "sh", "x", 'S', 1, -ESRCH },
	};
	uint64_t starttime;
	char state;

	unit_equal(rundir_starttime(&starttime, PID), -ESRCH, "no process");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_stat("proc/4711/stat", rows[i].name, rows[i].state,
			 rows[i].threads, rows[i].starttime);
		unit_equal(rundir_stat_living(PID, &state, &starttime),
			   rows[i].ret, "stat %zu", i);
		if (rows[i].ret)
			continue;
		unit_equal(state, rows[i].state, "stat %zu: state", i);
		unit_check(starttime == strtoull(rows[i].starttime, NULL, 10),
			   "stat %zu: start time", i);
	}
	put_stat("proc/4711/stat", "sh", 'S', 1, "5");
	unit_check(rundir_alive(PID, 5), "alive");
	unit_check(!rundir_alive(PID, 6), "another process has the number");
	made_file("proc/4711/stat", "");
	unit_equal(rundir_starttime(&starttime, PID), -ESRCH, "an empty file");
	put_stat("proc/4711/task/4711/stat", "sh", 'Z', 2, "5");
	put_stat("proc/4711/task/4713/stat", "sh", 'S', 2, "5");
	unit_equal(rundir_living_thread(PID), 4713, "the thread that lives");
}

/* A process is found by the path that /proc/PID/maps gives: a newline stands
 * there as \012, and a backslash as it is. */
static void check_escapes(void)
{
	static const struct {
		const char *name, *shown;
	} rows[] = {
		{ "plain", "plain" },
		{ "new\nline", "new\\012line" },
		{ "back\\101slash", "back\\101slash" },
	};
	struct process_page page = { .magic = PROCESS_MAGIC,
				     .version = LAYOUT_VERSION, .pid = PID };
	struct rundir_process process;
	char file[128], map[PATH_MAX];
	struct cause cause;
	int ret;

	put_stat("proc/4711/stat", "sh", 'S', 1, "5");
	made_file("proc/4711/status", "Tgid:\t4711\n");
	made_link("proc/4711/root", "/");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(file, sizeof(file), "%s/4711.5/0/process",
			 rows[i].name);
		made_bytes(file, &page, sizeof(page));
		snprintf(map, sizeof(map), "7f0000000000-7f0000001000 rw-s "
			 "00000000 00:01 7 %s/%s/4711.5/0/process\n", made_root,
			 rows[i].shown);
		made_file("proc/4711/task/4711/maps", map);
		ret = rundir_find(&process, PID, &cause);
		unit_equal(ret, 0, "found below '%s'", rows[i].shown);
		if (!ret)
			rundir_process_close(&process);
	}
}

static void check_namespaces(void)
{
	struct stat st;

	unit_equal((long long)rundir_namespace(PID), 0, "no namespace");
	made_file("proc/4711/ns/pid", "");
	stat("/proc/4711/ns/pid", &st);
	unit_check(rundir_namespace(PID) == (uint64_t)st.st_ino << 40,
		   "namespace");
	unit_equal((long long)place_namespace(PLACE_NAMESPACE_FIRST), 0,
		   "the first namespace");
}

/* The directory that an agent chooses (taffrail-environment(7)). */
static void check_chosen(void)
{
	static const struct {
		const char *environ;	/* lines instead of NULs */
		const char *path;
	} rows[] = {
		{ "TAFFRAIL_DIR=/x/y\nXDG_RUNTIME_DIR=/run/user/1", "/x/y" },
		{ "XDG_RUNTIME_DIR=/run/user/1\nTAFFRAIL_DIR=",
		  "/run/user/1/taffrail" },
		{ "NO_TAFFRAIL_DIR=/x\nTAFFRAIL_DIRS=/y\n"
		  "XDG_RUNTIME_DIR=/disk/1", "/dev/shm/taffrail-1001" },
		{ "", "/dev/shm/taffrail-1001" },
	};
	char path[PATH_MAX], text[256];

	unit_equal(rundir_chosen(path, PID), -ENOENT, "no environment");
	made_file("proc/4711/status", "Uid:\t1000\t1001\t1002\t1003\n");
	made_file("proc/4711/root/run/user/1/bus", "");
	made_file("proc/4711/root/dev/shm/sem", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].environ);

		for (size_t k = 0; k <= n; k++)
			text[k] = rows[i].environ[k] == '\n' ?
					  '\0' : rows[i].environ[k];
		made_bytes("proc/4711/environ", text, n + 1);
		unit_equal(rundir_chosen(path, PID), 0, "environment %zu", i);
		unit_equal_string(path, rows[i].path, "environment %zu: path",
				  i);
	}
}

static void check_rights(void)
{
	static const struct {
		uid_t uid;
		mode_t mode;
		bool may;
	} rows[] = {
		{ 1001, 0700, true }, { 1001, 0300, true },
		{ 1001, 0500, false }, { 1001, 0600, false },
		/* the user's own bits decide, not those of others */
		{ 1001, 0077, false },
		{ 1000, 0707, true }, { 1000, 0773, true },
		{ 1000, 0702, false }, { 1000, 0701, false },
		{ 1000, 0700, false }, { 1000, 0770, true },
	};
	static const char root[] = "Uid:\t0\t0\t0\t0\nCapEff:\t%s\n";
	struct stat st = { .st_uid = 1000, .st_mode = S_IFDIR | 0700 };
	char text[128];

	made_file("proc/4711/status", "Uid:\t1000\t1001\t1002\t1003\n");
	made_file("proc/4711/root/run/user/1/bus", "");
	made_file("proc/4711/root/dev/shm/sem", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stat row = { .st_uid = rows[i].uid,
				    .st_mode = S_IFDIR | rows[i].mode };

		unit_equal(rundir_may_write(PID, made_root, &row),
			   rows[i].may, "mode %04o of user %u", rows[i].mode,
			   rows[i].uid);
	}
	snprintf(text, sizeof(text), root, "0000000000000002");
	made_file("proc/4711/status", text);
	made_file("proc/4711/uid_map", "0 1000 1\n");
	made_file("proc/4711/gid_map", "0 0 1\n");
	made_file("proc/self/ns/user", "");
	made_file("proc/4711/ns/user", "");
	unit_check(rundir_may_write(PID, made_root, &st),
		   "CAP_DAC_OVERRIDE over a user of the namespace");
	st.st_gid = 1;
	unit_check(!rundir_may_write(PID, made_root, &st),
		   "CAP_DAC_OVERRIDE over another group");
	st.st_gid = 0;
	snprintf(text, sizeof(text), root, "0000000000000001");
	made_file("proc/4711/status", text);
	unit_check(!rundir_may_write(PID, made_root, &st),
		   "another capability");
}

/* Why an agent would stay off, in a directory of its user. */
static void check_refused(void)
{
	static const struct {
		const char *path;
		mode_t mode;		/* 0: it is not made */
		const char *why;
	} rows[] = {
		{ "/fine", 0700, NULL },
		{ "/searched", 0711, NULL },
		{ "/open", 0750, "it is open to others" },
		{ "/closed", 0500, "the process may not write there" },
		{ "/new", 0, NULL },
		{ "/no/where", 0, "a directory above it does not exist" },
		{ "/file/x", 0, "a part of the path is not a directory" },
		{ "/file", 0, "it is not a directory" },
		{ "relative", 0, "TAFFRAIL_DIR is not an absolute path" },
		{ "/01234567890123456789012345678901234567890123456789"
		  "01234567890123456789012345678901234567890123456789"
		  "01234567890123456789012345678901234567890123456789"
		  "0123456789012345678901234567890123456789012345678", 0,
		  "the path has 200 bytes or more" },
	};
	char text[PATH_MAX], path[PATH_MAX];
	const char *why;

	snprintf(text, sizeof(text), "Uid:\t%d\t%d\nCapEff:\t0\n", geteuid(),
		 geteuid());
	made_file("proc/4711/status", text);
	made_file("proc/4711/root/file", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int n = sprintf(text, "TAFFRAIL_DIR=%s", rows[i].path);
		int fd;

		made_bytes("proc/4711/environ", text, (size_t)n + 1);
		sprintf(path, "proc/4711/root%s", rows[i].path);
		if (rows[i].mode) {
			mkdir(made_above(path), 0700);
			chmod(made_path(path), rows[i].mode);
		}
		fd = rundir_chosen_open(PID, path, &why);
		unit_equal_string(why, rows[i].why, "refused %zu", i);
		if (rows[i].why)
			unit_equal(fd, -EPERM, "refused %zu: result", i);
		if (fd >= 0)
			close(fd);
	}
}

static void count_row(const struct keep_row *row, void *priv)
{
	char *text = priv;

	sprintf(text + strlen(text), "%s:%llu ", row->session,
		(unsigned long long)row->events);
}

static void check_removed(void)
{
	static const struct keep_row rows[] = {
		{ "a", 1, 10 }, { "b", 1, 20 }, { "c", 2, 30 }, { "", 0, 0 },
		{ "d", 1, 40 },
	};
	struct rundir dir = { .uid = geteuid() };
	char text[128] = "";
	struct stat st;

	made_bytes("ledger/" KEEP_LEDGER, rows, sizeof(rows));
	dir.fd = open(made_path("ledger"), O_RDONLY | O_DIRECTORY);
	rundir_each_removed(&dir, NULL, count_row, text);
	unit_equal_string(text, "a:10 b:20 c:30 ", "rows");
	*text = '\0';
	rundir_each_removed(&dir, "a", count_row, text);
	unit_equal_string(text, "a:10 b:20 c:30 ", "rows, one is cleared");
	*text = '\0';
	rundir_each_removed(&dir, "c", count_row, text);
	unit_equal_string(text, "c:30 b:20 ", "the last took its place");
	*text = '\0';
	rundir_each_removed(&dir, "none", count_row, text);
	unit_equal_string(text, "b:20 ", "rows, none is cleared");
	rundir_each_removed(&dir, "b", NULL, NULL);
	unit_check(stat(made_path("ledger/" KEEP_LEDGER), &st),
		   "the file goes with its last row");
	close(dir.fd);
}

/* Pages of another version name a session of this name, or not. */
static void check_foreign(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool named;
	} rows[] = {
		{ "\0\0rec", 6, true },
		{ "rec", 4, true },
		{ "\0recs", 6, false },
		{ "\0myrec", 7, false },
		{ "\0my-rec\0rec", 12, true },
		{ "\0.rec", 6, false },
		{ "\0/rec", 6, true },
		{ "\0re\0c", 6, false },
	};
	struct rundir_process process = { .uid = geteuid() };
	uint32_t head[2] = { PROCESS_MAGIC, LAYOUT_VERSION + 1 };

	made_bytes("old/0/process", head, sizeof(head));
	process.fd = open(made_path("old"), O_RDONLY | O_DIRECTORY);
	unit_equal(rundir_foreign(&process, NULL), LAYOUT_VERSION + 1,
		   "another version");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char page[4096] = { 1 };

		memcpy(page + 100, rows[i].bytes, rows[i].n);
		made_bytes("old/0/session.0", page, sizeof(page));
		unit_equal(rundir_foreign(&process, "rec"),
			   rows[i].named ? LAYOUT_VERSION + 1 : 0,
			   "another version's session %zu", i);
	}
	head[1] = LAYOUT_VERSION;
	made_bytes("old/0/process", head, sizeof(head));
	unit_equal(rundir_foreign(&process, NULL), 0, "this version");
	close(process.fd);
}

/* TAFFRAIL_DIR as this command takes it. */
static void check_opened(void)
{
	char long_path[PROTOCOL_DIR_BYTES + 1];
	struct rundir dir;
	char path[PATH_MAX];

	setenv("TAFFRAIL_DIR", "relative", 1);
	unit_equal(rundir_open(&dir, false), -EINVAL, "relative path");
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[0] = '/';
	long_path[sizeof(long_path) - 1] = '\0';
	setenv("TAFFRAIL_DIR", long_path, 1);
	unit_equal(rundir_open(&dir, false), -ENAMETOOLONG, "200 bytes");
	long_path[sizeof(long_path) - 2] = '\0';
	setenv("TAFFRAIL_DIR", long_path, 1);
	unit_equal(rundir_open(&dir, false), -ENOENT, "199 bytes");
	strcpy(path, made_above("mine/x"));
	*strrchr(path, '/') = '\0';
	setenv("TAFFRAIL_DIR", path, 1);
	for (int mode = 0; mode < 0100; mode++) {
		int want = mode & 066 ? -EPERM : 0, ret;

		chmod(path, 0700 | (mode_t)mode);
		ret = rundir_open(&dir, false);
		unit_equal(ret, want, "mode %04o", 0700 | mode);
		if (!ret)
			rundir_close(&dir);
	}
	setenv("TAFFRAIL_DIR", "", 1);
	setenv("XDG_RUNTIME_DIR", "/run/user/4711x", 1);
	rundir_open(&dir, false);
	unit_equal_string(dir.path, "/run/user/4711x/taffrail",
			  "XDG_RUNTIME_DIR");
	setenv("XDG_RUNTIME_DIR", "/disk", 1);
	if (!rundir_open(&dir, false))
		rundir_close(&dir);
	snprintf(path, sizeof(path), "/dev/shm/taffrail-%u", geteuid());
	unit_equal_string(dir.path, path, "a directory of the user's");
}

int main(void)
{
	made_open();
	check_session_names();
	check_process_names();
	check_files();
	check_living();
	check_escapes();
	check_namespaces();
	check_chosen();
	check_rights();
	check_refused();
	check_removed();
	check_foreign();
	check_opened();
	made_close();
	return unit_end();
}
