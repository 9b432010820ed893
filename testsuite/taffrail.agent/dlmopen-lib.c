/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library with a marker and a USDT probe, for namespaces of the linker. */
#include <sys/sdt.h>
#include <taffrail/marker.h>

__attribute__((visibility("default"))) void hit(int space, int n);

void hit(int space, int n)
{
	TAFFRAIL_EVENT(lib, hit, space, n);
	STAP_PROBE2(lib, raw, space, n);
}
