/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C++ names as people write them.
 */
#ifndef COMMAND_ELF_CXX_PRIVATE_H
#define COMMAND_ELF_CXX_PRIVATE_H

/* Returns what a linker's name stands for, "store::get(int)" for
 * "_ZN5store3getEi": text of the heap. NULL: the name is none of C++, or
 * libstdc++ is not there. Not thread-safe. */
char *cxx_name(const char *name);

#endif
