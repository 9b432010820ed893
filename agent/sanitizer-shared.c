/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options for a sanitizer's runtime in the program.
 *
 * AddressSanitizer ends a program in which a library precedes the shared
 * runtime (gcc's default), as a preloaded one does: such a library could hide
 * functions that the runtime replaces. The agent hides none: it defines no
 * allocator, and each definition of a libc function here calls the next
 * definition or makes the system call itself. So the check can be off.
 *
 * In the shared library only. The runtime finds this definition before the
 * empty one of the runtime; a definition in the program comes before this one.
 * ASAN_OPTIONS is read later and overrides them.
 *
 * Invariant: it is called before any constructor, so it calls no
 * function.
 */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
