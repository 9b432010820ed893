/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sequences of every element size and of 0 to 300 elements, from addresses of
 * every alignment, alone and behind a fixed field. sequences.py checks the
 * events.
 */
#include <stdint.h>
#include <taffrail/marker.h>

enum { ELEMENTS = 400, LONGEST = 300, SHIFTS = 13 };

int main(void)
{
	static unsigned char bytes[ELEMENTS];
	static uint16_t halves[ELEMENTS];
	static int32_t words[ELEMENTS];
	static uint64_t quads[ELEMENTS];

	for (int i = 0; i < ELEMENTS; i++) {
		bytes[i] = (unsigned char)(i * 7);
		halves[i] = (uint16_t)(i * 77);
		words[i] = -i * 777;
		quads[i] = (uint64_t)i * 77777777777u;
	}
	for (int n = 0; n <= LONGEST; n++) {
		int from = n % SHIFTS;

		TAFFRAIL_EVENT(app, bytes, TAFFRAIL_BYTES(bytes + from, n));
		TAFFRAIL_EVENT(app, halves, TAFFRAIL_ARRAY(halves + from, n));
		TAFFRAIL_EVENT(app, words, TAFFRAIL_ARRAY(words + from, n));
		TAFFRAIL_EVENT(app, quads, TAFFRAIL_ARRAY(quads + from, n));
		TAFFRAIL_EVENT(app, after, n, TAFFRAIL_ARRAY(words + from, n));
	}
	return 0;
}
