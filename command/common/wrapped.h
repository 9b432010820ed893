/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text that fits a terminal: lines of help, and tables with names.
 */
#ifndef COMMAND_COMMON_WRAPPED_H
#define COMMAND_COMMON_WRAPPED_H

/* Of a terminal whose width is not known, and of help. */
#define WRAPPED_COLUMNS	80

/* Prints a text on stdout, where the cursor is in column `at`, and breaks lines
 * at blanks so that none is longer than WRAPPED_COLUMNS. What follows a break,
 * or a newline in the text, begins in column `indent`. A longer word is not
 * broken. Prints no newline at the end. */
void wrapped_print(int at, int indent, const char *text);

/*
 * Print the last column of a table's row, made printable, and a newline. Both
 * break lines only where standard output is a terminal: a file or a pipe gets
 * the row in one line.
 *
 * wrapped_name() prints a name two blanks behind column `at`; a name that does
 * not fit stands below, so the numbers line up. wrapped_text() prints a
 * sentence from column `at` on, broken at blanks; its other lines begin in
 * column `indent`.
 */
void wrapped_name(int at, const char *name);
void wrapped_text(int at, int indent, const char *text);

/* Returns the columns of the terminal that standard output is, or INT_MAX. The
 * first call decides: a pager may follow, on the same terminal. */
int wrapped_columns(void);

#endif
