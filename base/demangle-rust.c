/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rust's names of the newer form, "_RNvCs1_4shop4work" (Rust RFC 2603, "Symbol
 * name mangling v0"), as other tools write them, without hashes; and of the
 * older form, which looks like C++ and ends in a hash.
 *
 * A text is written once it is read, so the room for it bounds the time, also
 * of references back. What is read and not written follows none.
 */
#include "base/demangle.h"

#include "base/base.h"
#include "base/text.h"

#define DEPTH_MAX	96u

struct rust {
	struct demangle *d;
	const char *start;		/* references back count from here */
	uint32_t depth;
	bool silent;			/* nothing is written */
};

static void path_read(struct rust *r, bool value);
static void type_read(struct rust *r);

static void put_bytes(struct rust *r, const char *s, size_t n)
{
	struct demangle *d = r->d;

	if (r->silent || d->failed)
		return;
	if (n > DEMANGLE_ROOM - 1 - d->used) {
		d->failed = true;
		return;
	}
	__builtin_memcpy(d->room + d->used, s, n);
	d->used += (uint32_t)n;
}

static void put_text(struct rust *r, const char *s)
{
	put_bytes(r, s, text_length(s));
}

/* Writes a number in base 10. */
static void put_number(struct rust *r, uint64_t value)
{
	char digits[24];
	struct text text;

	text_open(&text, digits, sizeof(digits));
	text_add_unsigned(&text, value);
	put_text(r, digits);
}

static char rust_next(const struct rust *r)
{
	return r->d->p < r->d->end ? *r->d->p : '\0';
}

static bool rust_take(struct rust *r, char c)
{
	if (rust_next(r) != c)
		return false;
	r->d->p++;
	return true;
}

/* Reads a number in base 62 before '_': "_" is 0, "0_" is 1. That of a
 * library is a hash, and may have more than 64 bits. */
static uint64_t wide_read(struct rust *r)
{
	uint64_t value = 0;
	char c;

	if (rust_take(r, '_'))
		return 0;
	for (; (c = rust_next(r)) != '_'; r->d->p++) {
		if (c >= '0' && c <= '9')
			value = value * 62 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'z')
			value = value * 62 + (uint64_t)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			value = value * 62 + (uint64_t)(c - 'A') + 36;
		else
			break;
	}
	if (!rust_take(r, '_'))
		r->d->failed = true;
	return value + 1;
}

/* Reads a number behind a letter, or 0. */
static uint64_t marked_read(struct rust *r, char letter)
{
	return rust_take(r, letter) ? wide_read(r) + 1 : 0;
}

/* Writes an identifier, and the texts before and behind it unless it is empty.
 * Names with other characters than ASCII are given up. */
static bool name_read(struct rust *r, const char *before)
{
	struct demangle *d = r->d;
	uint64_t n = 0;

	if (rust_next(r) < '0' || rust_next(r) > '9') {
		d->failed = true;
		return false;
	}
	while (rust_next(r) >= '0' && rust_next(r) <= '9' && n < 100000)
		n = n * 10 + (uint64_t)(*d->p++ - '0');
	rust_take(r, '_');
	if (n > (uint64_t)(d->end - d->p)) {
		d->failed = true;
		return false;
	}
	if (n)
		put_text(r, before);
	put_bytes(r, d->p, n);
	d->p += n;
	return n;
}

/* Reads by `read` at a place before this one. */
static void back_read(struct rust *r, void (*read)(struct rust *r, bool value),
		      bool value)
{
	const char *here = r->d->p - 1, *behind, *at = r->start;
	uint64_t n = wide_read(r);

	if (r->silent || r->d->failed)
		return;
	if (n >= (uint64_t)(here - at) || ++r->depth > DEPTH_MAX) {
		r->d->failed = true;
		return;
	}
	behind = r->d->p;
	r->d->p = at + n;
	read(r, value);
	r->d->p = behind;
	r->depth--;
}

static void type_back(struct rust *r, bool unused)
{
	type_read(r);
}

/* Reads types up to an E, with commas between them. Returns how many. */
static uint32_t types_read(struct rust *r)
{
	uint32_t n = 0;

	for (; !r->d->failed && !rust_take(r, 'E'); n++) {
		put_text(r, n ? ", " : "");
		type_read(r);
	}
	return n;
}

/* Reads a constant: of integers, truth and characters the number. */
static void const_read(struct rust *r, bool unused)
{
	char type = rust_next(r);
	uint64_t value = 0;
	char c;

	if (rust_take(r, 'B')) {
		back_read(r, const_read, false);
		return;
	}
	if (rust_take(r, 'p')) {
		put_text(r, "_");
		return;
	}
	if (!type || !r->d->p++)
		return;
	put_text(r, rust_take(r, 'n') ? "-" : "");
	for (; (c = rust_next(r)) != '_' && !r->d->failed; r->d->p++) {
		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			r->d->failed = true;
		if (value >> 60)
			r->d->failed = true;
		value = value << 4 | (uint64_t)(c <= '9' ? c - '0' :
							   c - 'a' + 10);
	}
	rust_take(r, '_');
	if (type == 'b')
		put_text(r, value ? "true" : "false");
	else
		put_number(r, value);
}

/* Reads a lifetime, behind the L: one that has a name is given up. */
static void lifetime_read(struct rust *r)
{
	if (wide_read(r))
		r->d->failed = true;
}

/* Reads the lifetimes that a type binds. */
static void binder_read(struct rust *r)
{
	if (marked_read(r, 'G'))
		r->d->failed = true;
}

/* Reads the arguments of a generic path, behind the I: "<i32, 3>". */
static void generics_read(struct rust *r)
{
	uint32_t n = 0;

	put_text(r, "<");
	for (; !r->d->failed && !rust_take(r, 'E'); n++) {
		put_text(r, n ? ", " : "");
		if (rust_take(r, 'L')) {
			put_text(r, "'_");
			lifetime_read(r);
		} else if (rust_take(r, 'K')) {
			const_read(r, false);
		} else {
			type_read(r);
		}
	}
	put_text(r, ">");
}

/* Reads the path of an impl, which is not written. */
static void impl_read(struct rust *r)
{
	bool before = r->silent;

	r->silent = true;
	marked_read(r, 's');
	path_read(r, false);
	r->silent = before;
}

/* Reads a name in a path, behind its N. */
static void nested_read(struct rust *r, bool value)
{
	char space = rust_next(r);
	uint64_t number;

	r->d->p += !!space;
	path_read(r, value);
	number = marked_read(r, 's');
	if (space < 'A' || space > 'Z') {
		name_read(r, "::");
		return;
	}
	put_text(r, space == 'C' ? "::{closure" : space == 'S' ? "::{shim" :
								 "::{");
	name_read(r, ":");
	put_text(r, "#");
	put_number(r, number);
	put_text(r, "}");
}

static void path_read(struct rust *r, bool value)
{
	char c = rust_next(r);

	if (!c || r->d->failed || ++r->depth > DEPTH_MAX) {
		r->d->failed = true;
		return;
	}
	r->d->p++;
	switch (c) {
	case 'C':
		marked_read(r, 's');
		name_read(r, "");
		break;
	case 'M':
	case 'X':
	case 'Y':
		if (c != 'Y')
			impl_read(r);
		put_text(r, "<");
		type_read(r);
		if (c != 'M') {
			put_text(r, " as ");
			path_read(r, false);
		}
		put_text(r, ">");
		break;
	case 'N':
		nested_read(r, value);
		break;
	case 'I':
		path_read(r, value);
		put_text(r, value ? "::" : "");
		generics_read(r);
		break;
	case 'B':
		back_read(r, path_read, value);
		break;
	default:
		r->d->failed = true;
	}
	r->depth--;
}

/* Reads a function's type, behind the F. */
static void function_read(struct rust *r)
{
	binder_read(r);
	put_text(r, rust_take(r, 'U') ? "unsafe " : "");
	if (rust_take(r, 'K')) {
		put_text(r, "extern \"");
		if (rust_take(r, 'C'))
			put_text(r, "C");
		else
			name_read(r, "");
		put_text(r, "\" ");
	}
	put_text(r, "fn(");
	types_read(r);
	put_text(r, ")");
	if (rust_take(r, 'u'))
		return;
	put_text(r, " -> ");
	type_read(r);
}

/* Reads types that a trait is bound to, which stand among the arguments:
 * "FnOnce<(), Output = i32>". */
static void bindings_read(struct rust *r)
{
	struct demangle *d = r->d;
	bool open = !r->silent && d->used && d->room[d->used - 1] == '>';
	bool any = false;

	for (; !d->failed && rust_take(r, 'p'); any = true) {
		d->used -= open && !any;
		put_text(r, open || any ? ", " : "<");
		name_read(r, "");
		put_text(r, " = ");
		type_read(r);
	}
	put_text(r, any ? ">" : "");
}

/* Reads traits, behind the D: "dyn A + B". */
static void dyn_read(struct rust *r)
{
	uint32_t n = 0;

	put_text(r, "dyn ");
	binder_read(r);
	for (; !r->d->failed && !rust_take(r, 'E'); n++) {
		put_text(r, n ? " + " : "");
		path_read(r, false);
		bindings_read(r);
	}
	if (!rust_take(r, 'L'))
		r->d->failed = true;
	lifetime_read(r);
}

static const char basic[26][6] = {
	['a' - 'a'] = "i8",    ['b' - 'a'] = "bool",  ['c' - 'a'] = "char",
	['d' - 'a'] = "f64",   ['e' - 'a'] = "str",   ['f' - 'a'] = "f32",
	['h' - 'a'] = "u8",    ['i' - 'a'] = "isize", ['j' - 'a'] = "usize",
	['l' - 'a'] = "i32",   ['m' - 'a'] = "u32",   ['n' - 'a'] = "i128",
	['o' - 'a'] = "u128",  ['p' - 'a'] = "_",     ['s' - 'a'] = "i16",
	['t' - 'a'] = "u16",   ['u' - 'a'] = "()",    ['v' - 'a'] = "...",
	['x' - 'a'] = "i64",   ['y' - 'a'] = "u64",   ['z' - 'a'] = "!",
};

static void type_read(struct rust *r)
{
	char c = rust_next(r);

	if (!c || r->d->failed || ++r->depth > DEPTH_MAX) {
		r->d->failed = true;
		return;
	}
	r->d->p++;
	if (c >= 'a' && c <= 'z') {
		put_text(r, basic[c - 'a']);
		r->d->failed |= !basic[c - 'a'][0];
	} else if (c == 'R' || c == 'Q') {
		put_text(r, "&");
		if (rust_take(r, 'L'))
			lifetime_read(r);
		put_text(r, c == 'Q' ? "mut " : "");
		type_read(r);
	} else if (c == 'P' || c == 'O') {
		put_text(r, c == 'P' ? "*const " : "*mut ");
		type_read(r);
	} else if (c == 'A' || c == 'S') {
		put_text(r, "[");
		type_read(r);
		put_text(r, c == 'A' ? "; " : "");
		if (c == 'A')
			const_read(r, false);
		put_text(r, "]");
	} else if (c == 'T') {
		put_text(r, "(");
		put_text(r, types_read(r) == 1 ? ",)" : ")");
	} else if (c == 'F') {
		function_read(r);
	} else if (c == 'D') {
		dyn_read(r);
	} else if (c == 'B') {
		back_read(r, type_back, false);
	} else {
		r->d->p--;
		path_read(r, false);
	}
	r->depth--;
}

/* Writes what was read, and the rest of the symbol. Returns the length without
 * that, or 0. */
static size_t name_finish(const struct demangle *d, char *name, size_t room)
{
	size_t rest = (size_t)(d->end - d->p);

	if (d->failed || (rest && *d->p != '.') || d->used + rest >= room)
		return 0;
	__builtin_memcpy(name, d->room, d->used);
	__builtin_memcpy(name + d->used, d->p, rest);
	name[d->used + rest] = '\0';
	return d->used;
}

size_t demangle_rust(struct demangle *d, const char *symbol, size_t n,
		     char *name, size_t room)
{
	struct rust r = { .d = d, .start = symbol + 2 };

	d->p = symbol + 2;
	d->end = symbol + n;
	d->used = 0;
	d->failed = n < 3;
	path_read(&r, true);
	/* the library that made the instance */
	r.silent = true;
	if (d->p < d->end && *d->p != '.')
		path_read(&r, false);
	return name_finish(d, name, room);
}

/* Tells a hash: h and 16 digits. */
static bool is_hash(const char *s, size_t n)
{
	size_t i = 1;

	while (i < n && ((s[i] >= '0' && s[i] <= '9') ||
			 (s[i] >= 'a' && s[i] <= 'f')))
		i++;
	return n == 17 && i == n && *s == 'h';
}

/* Reads a character that is no part of symbols, "$LT$" for '<' or "$u5b$" for
 * '[', behind the first '$'. Fails on others than ASCII. */
static void escape_read(struct rust *r, const char **p, const char *end)
{
	static const struct {
		const char *word, *text;
	} rows[] = {
		{ "LT$", "<" }, { "GT$", ">" }, { "LP$", "(" }, { "RP$", ")" },
		{ "RF$", "&" }, { "BP$", "*" }, { "SP$", "@" },
		/* as the newer form has it */
		{ "C$", ", " },
	};
	uint32_t value = 0, i;
	const char *rest;
	char c;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rest = text_after(*p, rows[i].word);
		if (!rest || rest > end)
			continue;
		put_text(r, rows[i].text);
		*p = rest;
		return;
	}
	if (*p < end && **p == 'u')
		for (++*p; *p < end && **p != '$' && value < 128; ++*p)
			value = value << 4 | (uint32_t)(**p <= '9' ?
							**p - '0' :
							**p - 'a' + 10);
	c = (char)value;
	r->d->failed |= value < ' ' || value > '~' || *p == end;
	*p += !r->d->failed;
	put_bytes(r, &c, 1);
}

/* Writes a part of a path: ".." is "::". */
static void part_read(struct rust *r, const char *p, const char *end)
{
	/* a name does not begin with a '$' */
	p += end - p > 1 && p[0] == '_' && p[1] == '$';
	while (p < end && !r->d->failed) {
		if (*p == '$') {
			p++;
			escape_read(r, &p, end);
		} else if (*p == '.' && p + 1 < end && p[1] == '.') {
			put_text(r, "::");
			p += 2;
		} else {
			put_bytes(r, p++, 1);
		}
	}
}

size_t demangle_rust_old(struct demangle *d, const char *symbol, size_t n,
			 char *name, size_t room)
{
	struct rust r = { .d = d };
	const char *p = d->p;
	size_t length = 0, bytes;

	d->p = symbol + 3;
	d->used = 0;
	for (; !length && !d->failed; d->p += bytes) {
		bytes = 0;
		while (rust_next(&r) >= '0' && rust_next(&r) <= '9' &&
		       bytes < n)
			bytes = bytes * 10 + (size_t)(*d->p++ - '0');
		d->failed = !bytes || bytes >= (size_t)(d->end - d->p);
		if (d->failed)
			break;
		if (d->p[bytes] == 'E' && is_hash(d->p, bytes)) {
			d->p += bytes + 1;
			length = name_finish(d, name, room);
			break;
		}
		put_text(&r, d->used ? "::" : "");
		part_read(&r, d->p, d->p + bytes);
	}
	d->p = p;
	d->used = 0;
	d->failed = false;
	return length;
}
