/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes text printable. See clean.h.
 *
 * What must stay true here: a name can neither begin a new line nor send a
 * control sequence to a terminal. C1 controls, which are two bytes in UTF-8,
 * are control characters, too.
 */
#include "traces/text/clean.h"

#include <stdint.h>
#include <string.h>

int character_bytes(const unsigned char *s)
{
	uint32_t code;
	int n;

	if (s[0] < 0x80)
		return 1;
	n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	code = s[0] & (0x7f >> n);
	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && code < 0x800) || (n == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
		return 0;
	return n;
}

void printable(char *text)
{
	unsigned char *s = (unsigned char *)text;

	while (*s) {
		int n = character_bytes(s);

		if (!n) {
			*s = '?';
			n = 1;
		} else if (*s < ' ' || *s == 0x7f) {
			*s = '?';
		} else if (*s == 0xc2 && s[1] < 0xa0) {
			memset(s, '?', 2);
		}
		s += n;
	}
}
