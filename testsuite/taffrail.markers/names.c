/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A marker whose fields are constants and literals, in C and C++, with the
 * names that taffrail_marker(3) promises.
 */
#include <errno.h>
#include <stdbool.h>
#include <taffrail/marker.h>

#define FLAG true
enum { FEW = 3 };

/* expands its arguments before the marker does */
#define LOG(...) TAFFRAIL_EVENT(app, logged, __VA_ARGS__)

int main(void)
{
	static const bool yes = true;
	int n = 3;

	TAFFRAIL_EVENT(app, sent, TAFFRAIL_FIELD(last, (bool)true),
		       TAFFRAIL_FIELD(more, (bool)(n > 2)), yes, FLAG, FEW,
		       true, 5, "text", (bool)true);
	LOG(n, errno, TAFFRAIL_FIELD(more, n));
#ifdef __cplusplus
	TAFFRAIL_EVENT(app, raw, n, R"x(one", (
two)" \)x", yes, R"()", u8R"(,)"[0], errno);
#endif
	return 0;
}
