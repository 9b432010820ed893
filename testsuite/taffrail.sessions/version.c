/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Acts as a program whose agent is of another version:
 *	version RUNTIME [SESSION]
 * makes the directory and the page of one, with a session, and ends with
 * status 5.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

int main(int argc, char **argv)
{
	uint32_t page[1024] = { 0x50524654, 99, (uint32_t)getpid() };
	char making[300];
	char path[300];
	FILE *f;

	if (argc < 2 || argc > 3)
		return 1;
	snprintf(making, sizeof(making), "%s/making", argv[1]);
	snprintf(path, sizeof(path), "%s/making/0", argv[1]);
	if (mkdir(making, 0700) || mkdir(path, 0700))
		return 1;
	snprintf(path, sizeof(path), "%s/making/0/process", argv[1]);
	f = fopen(path, "w");
	if (!f || fwrite(page, sizeof(page), 1, f) != 1 || fclose(f))
		return 1;
	if (argc > 2 && make_session(argv[1], argv[2]))
		return 1;
	snprintf(path, sizeof(path), "%s/%d.%llu", argv[1], getpid(),
		 starttime());
	return rename(making, path) ? 1 : 5;
}
