/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Output for people, which may have names that other programs chose.
 */
#ifndef COMMAND_COMMON_PRINTABLE_H
#define COMMAND_COMMON_PRINTABLE_H

#include <stdarg.h>
#include <stdio.h>

/* Prints as vfprintf(3), with each argument and the whole line made printable.
 * A newline at the end of the format is kept. */
void printable_vprint(FILE *file, const char *format, va_list ap);

/* Does the same on stdout. */
void printable_print(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
