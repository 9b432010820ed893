/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C++ names as people write them.
 */
#ifndef COMMAND_ELF_CXX_PRIVATE_H
#define COMMAND_ELF_CXX_PRIVATE_H

#include <stddef.h>

/* Returns what a linker's name stands for, "store::get(int)" for
 * "_ZN5store3getEi": the beginning of it, text of the heap, and the length of
 * all. NULL: the name is none of C++, or cannot be read. A child process reads
 * it, which cxx_end() ends. Not thread-safe. */
char *cxx_name(const char *name, size_t *length);
void cxx_end(void);

#endif
