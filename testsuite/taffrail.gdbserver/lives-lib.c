/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A library that comes and goes while gdbserver traces. */
#include <taffrail/marker.h>

int visit(int n);

int visit(int n)
{
	TAFFRAIL_EVENT(app, visit, n);
	return n + 1;
}
