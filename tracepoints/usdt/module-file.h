/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of modules, which have what is not loaded: the notes of probes.
 */
#ifndef TRACEPOINTS_USDT_MODULE_FILE_H
#define TRACEPOINTS_USDT_MODULE_FILE_H

#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/plan/note.h"

/* Maps a file; the calling thread has its own descriptors. Returns 0 when it
 * cannot. The caller unmaps it by usdt_file_unmap(). */
int usdt_file_map(struct usdt_file *file, const char *path);
void usdt_file_unmap(struct usdt_file *file);

/* Returns 1 when the file is the one that the module was loaded from: its
 * headers are in memory. They then lie in the file as a whole. */
int usdt_file_loaded(const struct usdt_file *file, const struct module *module);

#endif
