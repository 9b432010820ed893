/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Acts as a program whose agent is of another version:
 *	version RUNTIME [SESSION]
 * makes the directory and the page of one, and ends with status 5. With a
 * session they are of a child that has ended before.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Field 22 of /proc/self/stat; this program's name has no blank. */
static unsigned long long starttime(void)
{
	FILE *f = fopen("/proc/self/stat", "r");
	unsigned long long start = 0;
	int field;

	for (field = 1; f && field < 22; field++)
		if (fscanf(f, "%*s") == EOF)
			break;
	if (!f || fscanf(f, "%llu", &start) != 1)
		start = 0;
	if (f)
		fclose(f);
	return start;
}

/* Returns what the directory's name has behind its PID: the start time, and the
 * PID namespace where it is not the machine's. */
static unsigned long long number(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == 0xeffffffc)
		return starttime();
	return starttime() | (unsigned long long)st.st_ino << 40;
}

/* In this version the name has another place in a session's page. */
static int make_session(const char *runtime, const char *name)
{
	char page[4096] = "";
	char path[300];
	FILE *f;

	snprintf(page + 200, 64, "%s", name);
	snprintf(path, sizeof(path), "%s/making/0/session.0", runtime);
	f = fopen(path, "w");
	return !f || fwrite(page, sizeof(page), 1, f) != 1 || fclose(f);
}

/* Makes what belongs into this process's directory, below "making". */
static int make(const char *runtime, const char *session)
{
	uint32_t page[1024] = { 0x50524654, 99, (uint32_t)getpid() };
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/making", runtime);
	if (mkdir(path, 0700))
		return 1;
	snprintf(path, sizeof(path), "%s/making/0", runtime);
	if (mkdir(path, 0700))
		return 1;
	snprintf(path, sizeof(path), "%s/making/0/process", runtime);
	f = fopen(path, "w");
	if (!f || fwrite(page, sizeof(page), 1, f) != 1 || fclose(f))
		return 1;
	return session && make_session(runtime, session);
}

/* Does so in a child that ends. Returns its pid, or -1, and its number. */
static pid_t make_in_child(const char *runtime, const char *session,
			   unsigned long long *behind)
{
	int ends[2], status = 1;
	pid_t pid;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		*behind = number();
		_exit(write(ends[1], behind, sizeof(*behind)) < 0 ||
		      make(runtime, session));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status ||
	    read(ends[0], behind, sizeof(*behind)) < 0)
		return -1;
	return pid;
}

int main(int argc, char **argv)
{
	unsigned long long behind = number();
	char making[300], path[300];
	pid_t pid = getpid();

	if (argc < 2 || argc > 3)
		return 1;
	if (argc > 2)
		pid = make_in_child(argv[1], argv[2], &behind);
	else if (make(argv[1], NULL))
		return 1;
	if (pid < 0)
		return 1;
	snprintf(making, sizeof(making), "%s/making", argv[1]);
	snprintf(path, sizeof(path), "%s/%d.%llu", argv[1], pid, behind);
	return rename(making, path) ? 1 : 5;
}
