/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library with a marker, for namespaces of the dynamic linker. */
#include <taffrail/marker.h>

__attribute__((visibility("default"))) void hit(int space, int n);

void hit(int space, int n)
{
	TAFFRAIL_EVENT(lib, hit, space, n);
}
