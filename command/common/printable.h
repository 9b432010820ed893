/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output for people, which may have names that other programs chose.
 */
#ifndef COMMAND_COMMON_PRINTABLE_H
#define COMMAND_COMMON_PRINTABLE_H

#include <stdarg.h>

/* Returns the text of vprintf(3), made printable, to be freed; or NULL. A
 * newline at the end of the format is kept. */
char *printable_text(const char *format, va_list ap);

/* Prints that. */
void printable_vprint(const char *format, va_list ap);
void printable_print(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
