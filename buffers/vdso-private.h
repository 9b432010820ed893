/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's vDSO without libc: the functions found here may be called from a
 * signal handler, and need no symbol that is resolved at the first call.
 */
#ifndef BUFFERS_VDSO_PRIVATE_H
#define BUFFERS_VDSO_PRIVATE_H

/*
 * Returns the address of a function of the vDSO, or NULL when there is no vDSO
 * or no such function. Reads memory only; any thread.
 */
void *vdso_find(const char *name);

/* Does the same in the image at `image`, which must be a mapped ELF file. */
void *vdso_find_in(const void *image, const char *name);

#endif
