/* SPDX-License-Identifier: MIT */
/*
 * The applications' ABI: the data and code of a marker in a program, as the
 * agent finds them. Programs compiled today must work with any later agent:
 * nothing here changes without TAFFRAIL_SITE_VERSION.
 *
 * A marker is a static object (struct taffrail_site plus text) and, for every
 * copy of its code that the compiler makes, a site:
 *
 *	990:	nop			address of the .note.stapsdt probe
 *	991:	test $rel32, %eax	a9 rel32: off
 *	   or	jmp  rel32		e9 rel32: on; one byte differs
 *	...
 *	cold:	jmp  hit		the site's own stub (site-MACHINE.h)
 *
 * A note in .note.taffrail connects the two, by offsets relative to the note
 * itself. It needs no relocation and no constructor, and is found through
 * PT_NOTE.
 */
#ifndef TAFFRAIL_SITE_H
#define TAFFRAIL_SITE_H

#include <stdint.h>

#pragma pack(push, 8)

#define TAFFRAIL_SITE_VERSION	2
#define TAFFRAIL_NOTE_TYPE	1
#define TAFFRAIL_NOTE_SEMAPHORE	2
#define TAFFRAIL_FIELDS_MAX	16
#define TAFFRAIL_ARRAY_BYTES_MAX 3840	/* of one TAFFRAIL_T_ARRAY */

enum taffrail_kind {
	TAFFRAIL_KIND_EVENT = 1,	/* text 3 is the argument text */
	TAFFRAIL_KIND_MARK  = 2,	/* text 3 is a printf-like format */
	TAFFRAIL_KIND_GUARD = 3,	/* TAFFRAIL_ENABLED: on as its marker */
};

/* The type of a field: a scalar, a string, or a sequence of a scalar. */
enum taffrail_type {
	TAFFRAIL_T_S8	= 1,
	TAFFRAIL_T_U8	= 2,
	TAFFRAIL_T_S16	= 3,
	TAFFRAIL_T_U16	= 4,
	TAFFRAIL_T_S32	= 5,
	TAFFRAIL_T_U32	= 6,
	TAFFRAIL_T_S64	= 7,
	TAFFRAIL_T_U64	= 8,
	TAFFRAIL_T_F32	= 9,
	TAFFRAIL_T_F64	= 10,
	TAFFRAIL_T_PTR	= 11,
	TAFFRAIL_T_BOOL	= 12,
	TAFFRAIL_T_SCALAR_MASK = 0x0f,
	TAFFRAIL_T_STRING = 0x10,
	TAFFRAIL_T_TEXT	= 0x20,		/* a string that needs no NUL */
	TAFFRAIL_T_SEQUENCE = 0x40,	/* | scalar */
	TAFFRAIL_T_ARRAY = 0x80,	/* | scalar: always as many elements as
					 * TAFFRAIL_HOW_COUNT says */
};

/*
 * A field of variable length, passed by reference: a string (n is
 * TAFFRAIL_VAR_STRING, p never NULL), a text of n characters or up to its NUL,
 * or n elements at p. For a NULL string or text, p is "(null)", which no
 * precision cuts, and n is TAFFRAIL_VAR_NULL; older headers gave
 * TAFFRAIL_VAR_STRING. An agent that does not know texts, or arrays, leaves a
 * marker that has one off.
 */
struct taffrail_var {
	const void *p_;
	uint64_t n_;
};

#define TAFFRAIL_VAR_STRING	(~(uint64_t)0)
#define TAFFRAIL_VAR_NULL	(TAFFRAIL_VAR_STRING - 1)

/*
 * How a field is shown, for readers: packed behind the fourth text, for each
 * field that has more to say than a type. An older agent or reader does not
 * look there, or only at the first one of a field: TAFFRAIL_HOW_COUNT comes
 * first.
 */
struct taffrail_shown {
	uint8_t field_;		/* the number, from 1 on; 0: of the marker */
	uint8_t how_;		/* enum taffrail_how; skip unknown records */
	uint16_t count_;	/* of the names of an enumeration, else 0 */
	uint32_t bytes_;	/* behind this: `count` values of 64 bits, and
				 * the names, "first, scope::second" */
};

enum taffrail_how {
	TAFFRAIL_HOW_ENUM = 1,	/* by the name of the value */
	TAFFRAIL_HOW_HEX  = 2,	/* in base 16; of an array or a sequence: the
				 * elements */
	TAFFRAIL_HOW_OCT  = 3,	/* in base 8, likewise */
	TAFFRAIL_HOW_BOOL = 4,	/* false or true */
	TAFFRAIL_HOW_CHAR = 5,	/* a character: the type has one byte */
	TAFFRAIL_HOW_ERRNO = 6,	/* an error of Linux by name */
	TAFFRAIL_HOW_LEVEL = 7,	/* of the marker: the level, in one byte and a
				 * NUL; the last one counts */
	TAFFRAIL_HOW_VARIANT = 8, /* bytes that are one of several types, the
				 * one that the field before it numbers; the
				 * values are types: 0, a scalar, a string
				 * without a NUL */
	TAFFRAIL_HOW_COUNT = 9,	/* of an array: the only value is the number of
				 * elements; it has no names */
	TAFFRAIL_HOW_SYMBOL = 10, /* of a pointer: by the name of the function
				   * or variable there */
	TAFFRAIL_HOW_BIN = 11,	/* in base 2, as TAFFRAIL_HOW_HEX */
	TAFFRAIL_HOW_BIG_ENDIAN = 12, /* integers of an array or a sequence:
				       * their bytes, highest first */
	TAFFRAIL_HOW_CHARS = 13, /* an array or a sequence of one-byte integers:
				  * a text up to its NUL, or all of them */
	TAFFRAIL_HOW_RANGES = 14, /* an enumeration: a name for the values from
				   * one to another, which are two of `count`;
				   * a NUL ends each name, which may have any
				   * characters */
	TAFFRAIL_HOW_URI = 15,	/* of the marker: where its model is described;
				 * the names are the URI */
	TAFFRAIL_HOW_DURATION_NS = 16,	/* a duration, in this unit */
	TAFFRAIL_HOW_DURATION_US = 17,
	TAFFRAIL_HOW_DURATION_MS = 18,
	TAFFRAIL_HOW_DURATION_S	 = 19,
	TAFFRAIL_HOW_TIME_NS	 = 20,	/* a time since 1970, in this unit */
	TAFFRAIL_HOW_TIME_US	 = 21,
	TAFFRAIL_HOW_TIME_MS	 = 22,
	TAFFRAIL_HOW_TIME_S	 = 23,
	TAFFRAIL_HOW_UNWRITTEN = 24, /* of the marker: fields that conditions
				      * have and events do not, behind the
				      * others; the values are types, and a
				      * NUL ends each name */
};

/*
 * Fields of fixed size are packed without padding, in order, in host byte
 * order. When they take 8 bytes or less, `fixed` is their value (the first
 * field in the lowest byte); else it is their address, as an integer. `var`
 * points to one taffrail_var for each string or sequence, in order, or is NULL.
 * Without those, it may be an address of code: the context `ip` of the event,
 * in place of the site's.
 */
struct taffrail_site;
typedef void taffrail_hit_fn(struct taffrail_site *site_, uint64_t fixed_,
			     const struct taffrail_var *var_);

/* In C++, functions that a module may export in functions of the module. */
#ifdef __cplusplus
#define TAFFRAIL_SITE_HIDDEN_ __attribute__((__visibility__("hidden")))
#define TAFFRAIL_STATIC_ TAFFRAIL_SITE_HIDDEN_
#else
#define TAFFRAIL_SITE_HIDDEN_
#define TAFFRAIL_STATIC_ static
#endif

#define TAFFRAIL_ALWAYS_INLINE_	__inline__ __attribute__((__always_inline__))

struct TAFFRAIL_SITE_HIDDEN_ taffrail_site {
	/* Written by the agent, zero in the program. One cache line has all
	 * fields that a hit reads. */
	taffrail_hit_fn *hit_;		/* never called while it is off */
	const void *rings_[2];		/* for compact and wide headers */
	uint64_t id_;			/* event id as the header wants it */
	void *agent_;
	uint64_t agent2_;
	volatile uint32_t enabled_;	/* flag sites test it */
	uint32_t agent3_;
	/* Filled in by the compiler, constant. */
	uint16_t version_;		/* TAFFRAIL_SITE_VERSION */
	uint8_t kind_;			/* enum taffrail_kind */
	uint8_t nfields_;
	uint16_t fixed_bytes_;		/* sum of the fixed-size fields */
	uint8_t nvar_;			/* strings and sequences */
	uint8_t flags_;
	uint32_t line_;
	uint32_t text_bytes_;		/* of the text behind this struct */
	uint8_t types_[TAFFRAIL_FIELDS_MAX];
	/* Written by the agent: called by the stub while snapshots are taken */
	void (*snapshot_)(void);
	/* char text[] at sizeof: channel, name, format or arguments, file;
	 * NUL behind each; then how fields are shown (struct taffrail_shown).
	 * The whole object is aligned to 64. */
};

#define TAFFRAIL_SITE_FLAG_TESTED	1	/* it tests `enabled` */

/* The note's descriptor (owner "taffrail", type TAFFRAIL_NOTE_TYPE). */
struct taffrail_note {
	int32_t code_;		/* address of label 990 less this word's */
	int32_t object_;	/* address of the object less this word's */
	int32_t stub_;		/* the stub's less this word's; 0: tested */
	uint32_t flags_;	/* TAFFRAIL_SITE_FLAG_ */
};

/* The descriptor of type TAFFRAIL_NOTE_SEMAPHORE, behind the note of the same
 * code. The semaphore is a 16-bit count of the tools that want the probe; the
 * program reads it. */
struct taffrail_semaphore {
	int32_t code_;		/* as above */
	int32_t semaphore_;	/* the address less this word's */
};

#pragma pack(pop)

#endif
