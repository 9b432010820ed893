/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hits what described.c hits, by LTTng-UST. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "described-lttng.h"

int main(void)
{
	static const int v[] = { 1, -2, 300 };
	static const uint8_t n[] = { 0, 1, 0x34, 0x12, 0xff, 0xfe, 1, 2 };
	static const int e[] = { 0, 5, -5, -4, 3, 20, 35, 77 };
	static const uint64_t wide[] = { 0, 9, 10, INT64_MAX, 1ull << 63,
					 UINT64_MAX, 4, 11 };

	lttng_ust_tracepoint(foreign, arrays, v, n, "abc\0\0\0\0");
	lttng_ust_tracepoint(foreign, sequences, v, n, "hello", "hi\0\0");
	for (int i = 0; i < 8; i++)
		lttng_ust_tracepoint(foreign, enums, e[i], wide[i]);
	return 0;
}
