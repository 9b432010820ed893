/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library with a marker and two USDT probes, whose file goes while it is
 * loaded.
 */
#include <sys/sdt.h>

#include <taffrail/marker.h>

/* Another version has the same headers and the same layout. */
#ifndef VERSION
#define VERSION 5
#endif

static volatile int sink;

void pass_library(int i);

void pass_library(int i)
{
	TAFFRAIL_EVENT(app, inside, i);
	DTRACE_PROBE1(lib, tock, i);
	sink = i + VERSION;
	sink += 7;
	DTRACE_PROBE1(srv, also, i);
	sink = i * 7;
	sink += 9;
}
