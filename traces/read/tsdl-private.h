/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tokens of TSDL, and the types that the files of the parser share:
 * tsdl-lexer.c, tsdl-types.c, tsdl.c, each of which calls only those named
 * before it.
 */
#ifndef TRACES_READ_TSDL_PRIVATE_H
#define TRACES_READ_TSDL_PRIVATE_H

#include "traces/read/schema.h"

/* The kind of the current token. */
enum token_kind {
	TOKEN_END,
	TOKEN_WORD,			/* identifier or keyword */
	TOKEN_NUMBER,
	TOKEN_STRING,			/* text is without escapes */
	TOKEN_SIGN,			/* one character, or := or ... */
	TOKEN_BAD,
};

#define SIGN_ASSIGN	0x100		/* := */
#define SIGN_RANGE	0x101		/* ... */

#define TSDL_DEPTH_MAX	16		/* of types in types */

/* A type with a name: struct NAME, enum NAME, or typealias. */
struct tsdl_alias {
	struct tsdl_alias *next;
	const char *name;
	struct tsdl_type *type;
};

/*
 * A type as the text has it: a field_class, and facts that only the parser
 * needs. `bits` and `align` are of a number; `text` says that an encoding makes
 * it a character; `names` are members as they are written; `length` is the name
 * of a sequence's length, or of a variant's tag.
 */
struct tsdl_type {
	struct field_class class;
	unsigned int bits;
	unsigned int align;
	bool text;
	bool variant;
	bool clock;			/* has `map` */
	struct tsdl_type **members;
	const char **names;
	size_t n;
	const char *length;
};

/* A parser: the text, the current token, and all that was made so far. */
struct tsdl {
	const char *at;
	unsigned int line;
	enum token_kind kind;		/* of the current token */
	int sign;
	bool rows;			/* in the comment METADATA_ROWS */
	uint64_t number;
	bool negative;
	char *text;			/* of a word or string */
	size_t text_room;
	int depth;
	int error;			/* first one, or 0 */
	struct tsdl_alias *aliases;
	struct event_class *events;	/* the last one first */
	struct trace_class *trace;
	struct trace_schema *schema;
	struct class_memory **memory;	/* of new classes: the schema's, or the
					 * trace's */
	const char *kept;		/* up to here the text is the trace's
					 * own, or in schema->text */
	bool shared;			/* all of it is there from here on */
	bool alone;			/* no other trace shares the schema */
	struct class_memory *scratch;	/* until the text is parsed */
};

/* Moves to the next token. After an error, the token is TOKEN_BAD. */
void tsdl_next(struct tsdl *t);

/* Notes an error; returns it. */
int tsdl_fail(struct tsdl *t, int error);

/* Return whether the current token is this; tsdl_take_..() move on if it is. */
bool tsdl_is_sign(const struct tsdl *t, int sign);
bool tsdl_is_word(const struct tsdl *t, const char *word);
bool tsdl_take_sign(struct tsdl *t, int sign);
bool tsdl_take_word(struct tsdl *t, const char *word);

/* Move on if it is this, else note -EBADMSG. Return 0 or the error. */
int tsdl_need_sign(struct tsdl *t, int sign);

/* Takes a word or string; returns the text in *t->memory, or NULL. */
const char *tsdl_take_text(struct tsdl *t);

/* Returns zeroed memory of t->memory, or of &t->scratch, which lasts until the
 * text is parsed; or NULL with the error noted. */
void *tsdl_memory(struct tsdl *t, struct class_memory **memory, size_t bytes);

/* Parses a type, up to the declarator. Returns NULL after an error. */
struct tsdl_type *tsdl_parse_type(struct tsdl *t);

/* Parses "typealias TYPE := NAME" behind the first word, and the semicolon. */
int tsdl_parse_alias(struct tsdl *t);

/* Skips a value, up to the semicolon, braces and all. */
void tsdl_skip_value(struct tsdl *t);

#endif
