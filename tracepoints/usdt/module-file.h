/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files of modules, which have what is not loaded: the notes of probes.
 */
#ifndef TRACEPOINTS_USDT_MODULE_FILE_H
#define TRACEPOINTS_USDT_MODULE_FILE_H

#include "tracepoints/sites/registry.h"
#include "tracepoints/usdt/plan/note.h"

/*
 * Maps the file that a module was loaded from: by the dynamic linker's name of
 * it if that is absolute, else by the kernel's. The calling thread has its own
 * descriptors; the registry's lock is held. Returns 0; -ENOENT: the module has
 * no file (the vDSO); -ESTALE: another file has its name now; or another
 * negative errno: the file cannot be opened. The caller unmaps it by
 * usdt_module_unmap().
 */
int usdt_module_map(struct usdt_file *file, const struct module *module);
void usdt_module_unmap(struct usdt_file *file);

#endif
