/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program for gdbserver: markers whose fields are characters, members of
 * structures, and strings, for each character that means something to a reader
 * of their text.
 */
#include <taffrail/marker.h>

struct at {
	int x;
	char side;
	double weight;
};

enum { ZERO, ONE };

static const char letters[] = "([{)]},\"'\\ =\n\t\x01\x7f\xe4.z";

static __attribute__((noinline)) void show(int i, char c, const struct at *at)
{
	char word[3] = { c, ',', 0 };
	char d = c;

	TAFFRAIL_EVENT(app, letter, i, TAFFRAIL_CHAR(c), d, TAFFRAIL_STR(word),
		       TAFFRAIL_CHAR(d), TAFFRAIL_ENUM(i, ZERO, ONE));
	TAFFRAIL_EVENT(app, member, i, TAFFRAIL_STRUCT(*at, x, side, weight),
		       TAFFRAIL_CHAR(c));
}

static __attribute__((noinline)) void finish(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	struct at at;
	int i;

	for (i = 0; i < (int)sizeof(letters); i++) {
		at = (struct at){ 3 * i, letters[i], i / 4.0 };
		show(i, letters[i], &at);
	}
	finish();
	return 0;
}
