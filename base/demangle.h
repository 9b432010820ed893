/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of C++ and Rust for symbols. C++ as the Itanium C++ ABI mangles it:
 * "shop::sell(int, char const*)" for "_ZN4shop4sellEiPKc". Written from the
 * grammar of the ABI (itanium-cxx-abi.github.io/cxx-abi/abi.html, "Mangling").
 *
 * Names whose types have expressions (decltype, and arguments of templates that
 * are computed) are not read, but for a parameter of the template alone; such a
 * function has a name without types. Allocates nothing, and needs no C library.
 */
#ifndef BASE_DEMANGLE_H
#define BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEMANGLE_TEXTS	256u	/* substitutions */
#define DEMANGLE_ARGS	64u	/* arguments of a template */
#define DEMANGLE_ROOM	61440u	/* bytes of all texts */
#define DEMANGLE_NAME	4096u	/* bytes that names have, with the NUL */

/* A piece of text; what a declarator adds stands at `mid`. */
struct piece {
	uint16_t at, n, mid;
};

/* Working memory of a call, 62 KiB, of which most names take few pages; need
 * not be initialised. */
struct demangle {
	const char *p;			/* the rest of the symbol */
	const char *end;
	uint32_t used;			/* of room */
	uint32_t depth;
	uint32_t nsubs;
	struct piece subs[DEMANGLE_TEXTS];
	uint8_t owners[DEMANGLE_TEXTS];	/* `owner`, of one with T_; or 0 */
	uint8_t params[DEMANGLE_TEXTS];	/* 1 + N, of one that is T_: 1 */
	uint8_t owner;			/* number of the last template with
					 * arguments */
	bool owned;			/* this type has T_ */
	uint32_t nargs;			/* of the last template */
	struct piece args[DEMANGLE_ARGS];	/* those of a pack in a row */
	uint8_t firsts[DEMANGLE_ARGS];	/* of an argument, in `args` */
	uint8_t counts[DEMANGLE_ARGS];	/* and how many there */
	uint64_t packs;			/* bit I: argument I is a pack */
	uint32_t pack_at;		/* 1 + number of the argument of a pack
					 * that is read; 0: no pack is */
	uint32_t pack_n;		/* 1 + arguments of it; 0: not known */
	uint32_t typing;		/* types that are being read */
	uint32_t lambdas;		/* whose parameters are being read */
	const char *tail;		/* behind the parameters: " const" */
	bool templated;			/* the last name ends in arguments */
	struct piece named;		/* the function's own name */
	bool typeless;			/* a constructor, destructor or
					 * conversion: has no result type */
	bool failed;
	char room[DEMANGLE_ROOM];
};

/*
 * Writes the C++ name of a symbol, `n` bytes, with the types of the parameters
 * and without that of the result, and a NUL. A part behind a '.', as in
 * "_Z1fv.part.0", stays. Returns the length without parameters and what follows
 * them; 0: the symbol is none of C++, or has a form that is not read, or the
 * name does not fit, and nothing is written. A name that does not fit with its
 * parameters is written without them, and cut, with "..." at the end, if that
 * does not fit, either. "FILE.cc:" before the symbol, as of
 * a static function, stays, too.
 */
size_t demangle(struct demangle *d, const char *symbol, size_t n, char *name,
		size_t room);

/* demangle-rust.c: does the same for Rust's names of the newer form, "_R...",
 * which have no parameters. */
size_t demangle_rust(struct demangle *d, const char *symbol, size_t n,
		     char *name, size_t room);

/* The same for names of the older form, "_ZN4shop4sell17h0123456789abcdefE". It
 * tells no numbers of closures: "shop::sell::{{closure}}". Returns 0 for names
 * of C++, and leaves all of *d but `room` and `used` as it was; these are then
 * as new. */
size_t demangle_rust_old(struct demangle *d, const char *symbol, size_t n,
			 char *name, size_t room);

#endif
