/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of 64 types, more than a compact header can name, each with its
 * number.
 *
 * wide ROUNDS
 */
#include <stdint.h>
#include <stdlib.h>

#include <taffrail/marker.h>

#define ONE(n)		TAFFRAIL_EVENT(wide, type##n,			\
				       TAFFRAIL_FIELD(v, (uint64_t)n))
#define FOUR(n)		ONE(n##0); ONE(n##1); ONE(n##2); ONE(n##3)
#define SIXTEEN(n)	FOUR(n##0); FOUR(n##1); FOUR(n##2); FOUR(n##3)

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;

	while (rounds--) {
		/* the digit 1 in front keeps numbers from being octal */
		SIXTEEN(13);
		SIXTEEN(12);
		SIXTEEN(11);
		SIXTEEN(10);
	}
	return 0;
}
