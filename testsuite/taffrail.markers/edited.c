/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program and, with -DLIBRARY, its library: their files are linked and edited
 * in many ways. Each marker is hit three times, the probe while its semaphore
 * says so.
 */
#define _SDT_HAS_SEMAPHORES
#include <taffrail/sdt.h>

#ifdef LIBRARY
#define RUN	library_run
#else
#define RUN	program_run
#endif

void library_run(int n, const char *text);
void program_run(int n, const char *text);
__attribute__((section(".probes"))) unsigned short app_asked_semaphore;

void RUN(int n, const char *text)
{
	TAFFRAIL_EVENT(app, first, n, text);
	TAFFRAIL_EVENT(app, second, text, n);
	TAFFRAIL_MARK(app, third, "n %d", n);
	if (app_asked_semaphore)
		DTRACE_PROBE1(app, asked, n);
}

#ifndef LIBRARY
int main(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		program_run(i, "program");
		library_run(i, "library");
	}
	return 0;
}
#endif
