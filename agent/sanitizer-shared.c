/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the agent says to a sanitizer's runtime in the program.
 *
 * AddressSanitizer ends a program in which a library precedes its shared
 * runtime (gcc's default), as a preloaded one does: such a library could hide
 * functions that the runtime replaces. The agent's hides none of them: it
 * defines no allocator, and each function of libc's that it defines calls the
 * next definition, or makes the system call itself. So the check is off.
 *
 * In the shared library only: it is found before the runtime's own, empty
 * definition, and after the program's, which then decides. ASAN_OPTIONS is
 * read later and goes before both.
 *
 * What must stay true: called before any constructor, so it calls nothing.
 */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
