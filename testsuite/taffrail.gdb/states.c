/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks as often as it can whether the process argv[1] has a tracer or a
 * stopped thread, until that process or the input ends. Prints "ready", and at
 * the end "looked N traced N stopped N".
 */
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *pid;

static int is_traced(void)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/status", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		sscanf(line, "TracerPid: %d", &tracer);
	fclose(f);
	return tracer != 0;
}

static int is_stopped(const char *tid)
{
	char path[600], text[512] = "";
	const char *state;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", pid, tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = '\0';
	fclose(f);
	state = strrchr(text, ')');
	return state && (state[2] == 't' || state[2] == 'T');
}

static int count_stopped(void)
{
	struct dirent *entry;
	char path[64];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			n += is_stopped(entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	long looked = 0, traced = 0, stopped = 0;
	int is;

	if (argc != 2)
		return 2;
	pid = argv[1];
	puts("ready");
	fflush(stdout);
	while ((is = is_traced()) >= 0) {
		looked++;
		traced += is;
		stopped += count_stopped();
		if (poll(&input, 1, 1) > 0)
			break;
	}
	printf("looked %ld traced %ld stopped %ld\n", looked, traced, stopped);
	return 0;
}
