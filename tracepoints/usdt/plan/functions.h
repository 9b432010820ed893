/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions as an ELF file's symbols declare them, and files whose functions
 * cannot be sites.
 *
 * Invariant: the file is not trusted. Nothing outside it is read.
 */
#ifndef TRACEPOINTS_USDT_PLAN_FUNCTIONS_H
#define TRACEPOINTS_USDT_PLAN_FUNCTIONS_H

#include <stdint.h>

#include "tracepoints/usdt/plan/note.h"

/* Addresses are those of the file. */
struct usdt_symbol_found {
	uint64_t address;	/* of the first instruction */
	uint64_t site;		/* the same, or behind an endbr64 */
	uint64_t bytes;
	const char *name;	/* in the file; as the linker knows it */
	const char *source;	/* of a static function: the last part of the
				 * source file's name; NULL: not known */
};

/* Tells whether a name is that of a part put apart: it ends in ".cold", or goes
 * on with a '.' behind it. */
bool usdt_function_is_part(const char *name);

/* A result other than 0 stops the reading, which then returns it. */
typedef int usdt_function_fn(const struct usdt_symbol_found *found, void *priv);

/*
 * Calls fn for each function that .symtab names. If the file has none: for each
 * that .symtab of another file of the same build names, unless `more` is NULL
 * (debug.h), and that .dynsym names: several times for one that has several
 * names. Leaves out parts that compilers
 * put apart (NAME.cold), resolvers, functions without a length, and names that
 * do not end in the file. Returns 0, the result of fn, or -ENOEXEC when the
 * file is no such ELF file. Allocates nothing.
 */
int usdt_functions_read(const struct usdt_file *file,
			const struct usdt_file *more, usdt_function_fn *fn,
			void *priv);

/* Does the same for each IFUNC that .dynsym names, by the name alone. */
void usdt_choices_read(const struct usdt_file *file, usdt_function_fn *fn,
		       void *priv);

/* Returns the name of the import to whose function a stub of the linker's jumps
 * (.plt), as it is in the file; NULL: there is none at the address. */
const char *usdt_functions_import(const struct usdt_file *file,
				  uint64_t address);

/* Why no function of a file can be a site. */
enum usdt_refusal {
	USDT_FILE_FINE,
	USDT_FILE_GO,		/* Go moves stacks, and has them small */
	USDT_FILE_RSEQ,		/* restartable sequences, whose code may not
				 * run elsewhere */
};

enum usdt_refusal usdt_functions_refused(const struct usdt_file *file);

#endif
