/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a file of a trace cannot be read, in words.
 */
#ifndef TRACES_UNREADABLE_H
#define TRACES_UNREADABLE_H

/* Returns a text for a negative errno of file_map_open() and the like; valid
 * until the next call. */
const char *trace_reason(int error);

#endif
