/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first variable of the environment lies in memory that was unmapped. A
 * thread that reads the environment sees the same while another thread calls
 * setenv(3), which frees strings. Each line of standard input is a number of
 * hits; "end" ends the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <taffrail/marker.h>

extern char **environ;

int main(void)
{
	char *variable = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char **list = calloc(1024, sizeof(*list));
	char line[64];
	size_t n = 0;

	if (variable == MAP_FAILED || !list)
		return 1;
	strcpy(variable, "LOST=1");
	list[n++] = variable;
	for (char **from = environ; *from && n < 1023; from++)
		list[n++] = *from;
	environ = list;
	munmap(variable, 4096);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		for (int i = 0; i < atoi(line); i++)
			TAFFRAIL_EVENT(app, hit, TAFFRAIL_FIELD(i, i));
		puts("hits");
		fflush(stdout);
	}
	puts("right");
	return 0;
}
