/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that are installed instead of a program's signal handlers
 * (handlers.c). This file is for C and for assembly.
 */
#ifndef CALLBACKS_STUBS_PRIVATE_H
#define CALLBACKS_STUBS_PRIVATE_H

/* So many functions of a program can be handlers. Few programs have 30. */
#define STUBS		1024
#define STUB_BYTES	16

#endif
