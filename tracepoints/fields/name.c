/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes the name of a field; see name-private.h.
 */
#include "tracepoints/fields/name-private.h"

#include <stddef.h>
#include <stdint.h>

/* Returns whether another field than number `own` has a name, or is a member of
 * what has it. */
static bool is_taken(const char *name, const struct field_name *out, int n,
		     int own)
{
	int i;

	for (i = 0; i < n; i++) {
		const char *p = name, *other = out[i].name;

		for (; *p && *p == *other; p++, other++)
			;
		if (i != own && (*p == *other || (!*p && *other == '.')))
			return true;
	}
	return false;
}

/* Writes n in decimal and a NUL at p. Returns the NUL's place. n < 1000. */
static char *put_number(char *p, int n)
{
	if (n >= 100)
		*p++ = (char)('0' + n / 100);
	if (n >= 10)
		*p++ = (char)('0' + n / 10 % 10);
	*p++ = (char)('0' + n % 10);
	*p = '\0';
	return p;
}

/* Takes a character from *from, and writes its escape. Returns its end. */
static char *put_unicode(char *p, const char **from, const char *end)
{
	uint32_t c = (unsigned char)*(*from)++;
	int digits = 4;

	if (c >= 0xc0 && c < 0xf8)
		c &= c >= 0xf0 ? 0x07 : c >= 0xe0 ? 0x0f : 0x1f;
	while (*from < end && (**from & 0xc0) == 0x80 && c < 0x8000)
		c = c << 6 | (*(*from)++ & 0x3f);
	while (digits < 6 && c >> 4 * digits)
		digits++;
	*p++ = '_';
	*p++ = 'u';
	while (digits--)
		*p++ = "0123456789abcdef"[c >> 4 * digits & 15];
	return p;
}

void name_set(struct field_name *out, int nfields, int i, const char *p,
	      const char *end)
{
	char *name = out[i].name;
	size_t room = FIELD_NAME_BYTES - sizeof("_999"), n = 0;
	int k;

	while (p < end && (is_letter(*p) || is_digit(*p)) &&
	       n + (*p & 0x80 ? sizeof("_u10ffff") - 1 : 1) <= room) {
		if (*p & 0x80)
			n = (size_t)(put_unicode(name + n, &p, end) - name);
		else
			name[n++] = *p++;
	}
	name[n] = '\0';
	if (!n || is_digit(name[0])) {
		name[0] = 'a';
		name[1] = 'r';
		name[2] = 'g';
		n = (size_t)(put_number(name + 3, i + 1) - name);
	}
	for (k = 2; is_taken(name, out, nfields, i); k++) {
		name[n] = '_';
		put_number(name + n + 1, k);
	}
}
