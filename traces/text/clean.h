/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that other programs chose, for people.
 */
#ifndef TRACES_TEXT_CLEAN_H
#define TRACES_TEXT_CLEAN_H

/* Returns the bytes of the UTF-8 character at s, 0 when it is invalid. */
int character_bytes(const unsigned char *s);

/* Replaces each byte of a control character, and each byte that is not UTF-8,
 * by '?', as ps(1) does. */
void printable(char *text);

#endif
