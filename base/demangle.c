/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads mangled C++ names. See demangle.h.
 *
 * Each function reads a production of the grammar, and makes a text in the
 * room. Texts are never changed, so substitutions are their numbers.
 *
 * Invariant: nothing is read outside the symbol, and nothing written outside
 * the room, whatever the symbol is. A failure is noted, and ends all loops.
 */
#include "base/demangle.h"

#include "base/base.h"
#include "base/text.h"

#define DEPTH_MAX     48u
#define OF_PACK	      255u	/* in place of an owner: each time another, */
#define OF_LAMBDA     254u	/* or `auto` */

static const struct piece none = { 0 };

static struct piece read_type(struct demangle *d);
static struct piece read_name(struct demangle *d);
static struct piece read_encoding(struct demangle *d, uint16_t *name);

/* What stands behind the parameters of a member function: 1 const, 2 volatile,
 * 4 for the value, 8 for one that ends. */
static const char tails[][19] = {
	"", " const", " volatile", " const volatile",
	" &", " const &", " volatile &", " const volatile &",
	" &&", " const &&", " volatile &&", " const volatile &&",
};

static struct piece give_up(struct demangle *d)
{
	d->failed = true;
	d->p = d->end;
	return none;
}

/* Returns the next character, or a NUL. */
static char next_char(const struct demangle *d)
{
	return d->p < d->end ? *d->p : '\0';
}

/* Takes these characters if they are next. */
static bool take_word(struct demangle *d, const char *s)
{
	const char *p = d->p;

	while (*s && p < d->end && *p == *s)
		p++, s++;
	if (*s)
		return false;
	d->p = p;
	return true;
}

/* Begins a text behind all others. */
static struct piece piece_begin(const struct demangle *d)
{
	return (struct piece){ .at = (uint16_t)d->used };
}

/* Adds bytes to a text that was begun last. */
static void add_bytes(struct demangle *d, struct piece *t, const char *s,
		      size_t n)
{
	if (d->failed || n > DEMANGLE_ROOM - 1 - d->used) {
		give_up(d);
		return;
	}
	__builtin_memcpy(d->room + d->used, s, n);
	d->used += (uint32_t)n;
	t->n = (uint16_t)(t->n + n);
	t->mid = t->n;
}

static void piece_add(struct demangle *d, struct piece *t, const char *s)
{
	add_bytes(d, t, s, text_length(s));
}

static void add_text(struct demangle *d, struct piece *t, struct piece other)
{
	add_bytes(d, t, d->room + other.at, other.n);
}

/* Makes a text with something at the place of the declarator: a pointer to a
 * function, or to an array, is in parentheses. */
static struct piece piece_insert(struct demangle *d, struct piece t,
				 const char *s, size_t n)
{
	struct piece made = piece_begin(d);
	bool bare = t.mid && t.mid < t.n && d->room[t.at + t.mid - 1] == ' ';
	bool array = bare && d->room[t.at + t.mid] == '[';
	uint16_t mid;

	/* qualifiers of a function or an array */
	if (bare && *s == ' ')
		return give_up(d);
	add_bytes(d, &made, d->room + t.at, t.mid);
	piece_add(d, &made, bare ? "(" : "");
	add_bytes(d, &made, s, n);
	mid = made.n;
	piece_add(d, &made, !bare ? "" : array ? ") " : ")");
	add_bytes(d, &made, d->room + t.at + t.mid, (size_t)(t.n - t.mid));
	made.mid = mid;
	return made;
}

/* Adds a substitution, and returns it. */
static struct piece piece_keep(struct demangle *d, struct piece t)
{
	if (d->failed || d->nsubs == DEMANGLE_TEXTS)
		return give_up(d);
	d->params[d->nsubs] = 0;
	d->owners[d->nsubs] = !d->owned ? 0 : d->lambdas ? OF_LAMBDA : d->owner;
	d->subs[d->nsubs++] = t;
	return t;
}

/* Reads a decimal number; -1: there is none, or it is too large. */
static int read_number(struct demangle *d)
{
	int value = is_digit(next_char(d)) ? 0 : -1;

	while (is_digit(next_char(d)) && value < 100000)
		value = value * 10 + (*d->p++ - '0');
	return value < 100000 ? value : -1;
}

/* Reads a number before '_', counted from 0: "_", "0_", "1_"; in base 36 with
 * capital letters if `wide`. */
static int read_seq(struct demangle *d, bool wide)
{
	int value = 0;
	char c;

	if (take_word(d, "_"))
		return 0;
	for (; (c = next_char(d)) != '_' && value < 100000; d->p++) {
		if (!is_digit(c) && !(wide && c >= 'A' && c <= 'Z'))
			break;
		value = value * (wide ? 36 : 10) +
			(is_digit(c) ? c - '0' : c - 'A' + 10);
	}
	if (!take_word(d, "_"))
		give_up(d);
	return value + 1;
}

/* Reads a name with its length. */
static struct piece read_source(struct demangle *d)
{
	static const char anonymous[] = "_GLOBAL__N";
	int n = read_number(d);
	struct piece t = piece_begin(d);

	if (n <= 0 || n > d->end - d->p)
		return give_up(d);
	if (n >= (int)sizeof(anonymous) - 1 &&
	    !__builtin_memcmp(d->p, anonymous, sizeof(anonymous) - 1))
		piece_add(d, &t, "(anonymous namespace)");
	else
		add_bytes(d, &t, d->p, (size_t)n);
	d->p += n;
	return t;
}

/* Texts are in the tables here: each pointer would take a relocation. */
static const struct {
	char code[3];
	char text[9];
} operators[] = {
	{ "nw", "new" },      { "na", "new[]" },    { "dl", "delete" },
	{ "da", "delete[]" }, { "aw", "co_await" }, { "ps", "+" },
	{ "ng", "-" },	      { "ad", "&" },	    { "de", "*" },
	{ "co", "~" },	      { "pl", "+" },	    { "mi", "-" },
	{ "ml", "*" },	      { "dv", "/" },	    { "rm", "%" },
	{ "an", "&" },	      { "or", "|" },	    { "eo", "^" },
	{ "aS", "=" },	      { "pL", "+=" },	    { "mI", "-=" },
	{ "mL", "*=" },	      { "dV", "/=" },	    { "rM", "%=" },
	{ "aN", "&=" },	      { "oR", "|=" },	    { "eO", "^=" },
	{ "ls", "<<" },	      { "rs", ">>" },	    { "lS", "<<=" },
	{ "rS", ">>=" },      { "eq", "==" },	    { "ne", "!=" },
	{ "lt", "<" },	      { "gt", ">" },	    { "le", "<=" },
	{ "ge", ">=" },	      { "ss", "<=>" },	    { "nt", "!" },
	{ "aa", "&&" },	      { "oo", "||" },	    { "pp", "++" },
	{ "mm", "--" },	      { "cm", "," },	    { "pm", "->*" },
	{ "pt", "->" },	      { "cl", "()" },	    { "ix", "[]" },
	{ "qu", "?" },
};

/* Reads the name of an operator. */
static struct piece read_operator(struct demangle *d)
{
	struct piece t = piece_begin(d), to;

	if (take_word(d, "cv")) {
		to = read_type(d);
		t = piece_begin(d);
		piece_add(d, &t, "operator ");
		add_text(d, &t, to);
		d->typeless = true;
		return t;
	}
	if (take_word(d, "li")) {
		to = read_source(d);
		t = piece_begin(d);
		piece_add(d, &t, "operator\"\" ");
		add_text(d, &t, to);
		return t;
	}
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!take_word(d, operators[i].code))
			continue;
		piece_add(d, &t, "operator");
		piece_add(d, &t,
			  operators[i].text[0] >= 'a' &&
					  operators[i].text[0] <= 'z' ?
				  " " :
				  "");
		piece_add(d, &t, operators[i].text);
		return t;
	}
	return give_up(d);
}

/* Returns true at the qualifier of a function's type, which ends it. */
static bool is_reference_end(const struct demangle *d)
{
	return (next_char(d) == 'R' || next_char(d) == 'O') &&
	       d->end - d->p > 1 && d->p[1] == 'E';
}

/* Reads types up to the end of a list, with commas between them: "int, char".
 * `last` ends it, or the end of the symbol or a '.'. */
static struct piece read_types(struct demangle *d, char last)
{
	struct piece types[DEMANGLE_ARGS], t;
	uint32_t n = 0, i;

	while (!d->failed && next_char(d) && next_char(d) != last &&
	       !(!last && (next_char(d) == '.' || next_char(d) == 'E')) &&
	       !is_reference_end(d)) {
		t = read_type(d);
		/* an empty pack */
		if (!t.n)
			continue;
		if (n == ARRAY_SIZE(types))
			return give_up(d);
		types[n++] = t;
	}
	t = piece_begin(d);
	if (n == 1 && types[0].n == 4 &&
	    !__builtin_memcmp(d->room + types[0].at, "void", 4))
		n = 0;
	if (n == 1)
		return types[0];
	for (i = 0; i < n; i++) {
		piece_add(d, &t, i ? ", " : "");
		add_text(d, &t, types[i]);
	}
	return t;
}

/* Reads a number of names that have none: lambdas and types. */
static struct piece read_unnamed(struct demangle *d)
{
	bool lambda = take_word(d, "Ul");
	struct piece types = none, t;
	char number[8];
	size_t n = sizeof(number);
	int value;

	if (lambda) {
		d->lambdas++;
		types = read_types(d, 'E');
		d->lambdas--;
		if (!take_word(d, "E"))
			return give_up(d);
	} else if (!take_word(d, "Ut")) {
		return give_up(d);
	}
	value = read_seq(d, false) + 1;
	while (n && value) {
		number[--n] = (char)('0' + value % 10);
		value /= 10;
	}
	t = piece_begin(d);
	piece_add(d, &t, lambda ? "{lambda(" : "{unnamed type");
	add_text(d, &t, types);
	piece_add(d, &t, lambda ? ")#" : "#");
	add_bytes(d, &t, number + n, sizeof(number) - n);
	piece_add(d, &t, "}");
	return t;
}

/* Reads the value of an argument of a template: L TYPE NUMBER E. */
static struct piece read_literal(struct demangle *d)
{
	static const struct {
		char type;
		const char *suffix;
	} rows[] = {
		{ 'i', "" },   { 'j', "u" },  { 'l', "l" },
		{ 'm', "ul" }, { 'x', "ll" }, { 'y', "ull" },
	};
	const char *suffix = NULL;
	char type = next_char(d);
	struct piece t, of = none;
	const char *from;
	uint16_t unused;

	if (take_word(d, "_Z")) {
		of = read_encoding(d, &unused);
		return take_word(d, "E") ? of : give_up(d);
	}
	if (take_word(d, "b0E") || take_word(d, "b1E")) {
		t = piece_begin(d);
		piece_add(d, &t, d->p[-2] == '1' ? "true" : "false");
		return t;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].type == type)
			suffix = rows[i].suffix;
	of = read_type(d);
	t = piece_begin(d);
	if (!suffix) {
		piece_add(d, &t, "(");
		add_text(d, &t, of);
		piece_add(d, &t, ")");
	}
	piece_add(d, &t, take_word(d, "n") ? "-" : "");
	from = d->p;
	while (is_digit(next_char(d)))
		d->p++;
	add_bytes(d, &t, from, (size_t)(d->p - from));
	piece_add(d, &t, suffix ? suffix : "");
	return take_word(d, "E") && d->p > from + 1 ? t : give_up(d);
}

/* Joins two texts. */
static struct piece piece_join(struct demangle *d, struct piece a,
			       const char *between, struct piece b)
{
	struct piece t = piece_begin(d);

	add_text(d, &t, a);
	piece_add(d, &t, between);
	add_text(d, &t, b);
	return t;
}

/* Returns the meaning of T_ (0), T0_ (1), ...: the argument of a pack that is
 * being read, or none of an empty one; a parameter of a lambda is `auto`, to
 * which other tools give a number. */
static struct piece find_parameter(struct demangle *d, uint32_t number)
{
	struct piece t = piece_begin(d);
	uint32_t at = 0, n;

	d->owned = true;
	if (d->failed || number >= (d->lambdas ? 9 : d->nargs))
		return give_up(d);
	if (d->lambdas) {
		piece_add(d, &t, "auto:");
		add_bytes(d, &t, &"123456789"[number], 1);
		return t;
	}
	n = d->counts[number];
	if (d->packs >> number & 1 && d->pack_at) {
		if (d->pack_n && d->pack_n != n + 1)
			return give_up(d);
		d->pack_n = n + 1;
		at = d->pack_at - 1;
		if (!n)
			return none;
	} else if (n != 1) {
		return give_up(d);
	}
	return at < n ? d->args[d->firsts[number] + at] : give_up(d);
}

/* Reads the address of a function or variable behind the "adL_Z", as other
 * tools write it: "&A::f", "&(f(int))". */
static struct piece read_address(struct demangle *d)
{
	bool bare = next_char(d) == 'N' && d->end - d->p > 1 &&
		    d->p[1] != 'K' && d->p[1] != 'V' && d->p[1] != 'R' &&
		    d->p[1] != 'O';
	uint8_t owner = d->owner;
	uint16_t bytes;
	struct piece of, t;

	if (next_char(d) == 'Z')
		return give_up(d);
	of = read_encoding(d, &bytes);
	/* the result's type of a template is not known */
	if (d->owner != owner || !take_word(d, "EE"))
		return give_up(d);
	of.n = bare ? bytes : of.n;
	t = piece_begin(d);
	piece_add(d, &t, of.n > bytes ? "&(" : "&");
	add_text(d, &t, of);
	piece_add(d, &t, of.n > bytes ? ")" : "");
	return t;
}

/* Reads an argument of a template that is no pack, or "sp" with a parameter that
 * is one: all arguments of that. */
static struct piece read_argument(struct demangle *d)
{
	struct piece all = none, t;
	uint32_t number, n = 1;
	bool spread;

	if (take_word(d, "L"))
		return read_literal(d);
	if (!take_word(d, "X"))
		return read_type(d);
	if (take_word(d, "adL_Z"))
		return read_address(d);
	spread = d->typing && !d->pack_at && !d->lambdas && take_word(d, "sp");
	if (!take_word(d, "T"))
		return give_up(d);
	number = (uint32_t)read_seq(d, false);
	if (spread && number < d->nargs && d->packs >> number & 1)
		n = d->counts[number];
	for (uint32_t i = 0; i < n && !d->failed; i++) {
		d->pack_at = spread ? i + 1 : d->pack_at;
		d->pack_n = spread ? 0 : d->pack_n;
		t = find_parameter(d, number);
		all = i ? piece_join(d, all, ", ", t) : t;
	}
	d->pack_at = spread ? 0 : d->pack_at;
	return take_word(d, "E") ? all : give_up(d);
}

/* Reads arguments of a template, behind the I: "<int, char>". They are those
 * that T_ means from then on. */
static struct piece read_arguments(struct demangle *d)
{
	uint8_t firsts[DEMANGLE_ARGS], counts[DEMANGLE_ARGS];
	struct piece found[DEMANGLE_ARGS], t;
	uint32_t n = 0, all = 0, i;
	uint64_t packs = 0;
	bool pack = false, first = true;

	while (!d->failed && (pack || !take_word(d, "E"))) {
		if (all == DEMANGLE_ARGS || n == DEMANGLE_ARGS || !next_char(d))
			return give_up(d);
		if (!pack) {
			firsts[n] = counts[n] = 0;
			firsts[n++] = (uint8_t)all;
			pack = take_word(d, "J");
			packs |= (uint64_t)pack << (n - 1);
		}
		if (pack && take_word(d, "E")) {
			pack = false;
			continue;
		}
		found[all++] = read_argument(d);
		counts[n - 1]++;
	}
	/* those of a type are not those of the function */
	if (!d->typing && !d->failed) {
		__builtin_memcpy(d->args, found, all * sizeof(found[0]));
		__builtin_memcpy(d->firsts, firsts, n);
		__builtin_memcpy(d->counts, counts, n);
		d->nargs = n;
		d->packs = packs;
		if (++d->owner == OF_LAMBDA)
			return give_up(d);
	}
	t = piece_begin(d);
	piece_add(d, &t, "<");
	for (i = 0; i < all && !d->failed; i++) {
		if (!found[i].n)
			continue;
		piece_add(d, &t, first ? "" : ", ");
		add_text(d, &t, found[i]);
		first = false;
	}
	/* as other tools write them */
	piece_add(d, &t, d->used && d->room[d->used - 1] == '>' ? " >" : ">");
	return t;
}

/* Joins a name and arguments: "f<int>", "operator<< <int>". */
static struct piece join_arguments(struct demangle *d, struct piece a,
				   struct piece b)
{
	return piece_join(d, a,
			  a.n && d->room[a.at + a.n - 1] == '<' ? " " : "", b);
}

/* Reads T_, T0_, ... behind the T. */
static struct piece read_parameter(struct demangle *d)
{
	uint32_t number = (uint32_t)read_seq(d, false);
	struct piece t = piece_keep(d, find_parameter(d, number));

	if (!d->failed)
		d->params[d->nsubs - 1] = (uint8_t)(number + 1);
	return t;
}

/* Reads S_, S0_ and the names of the C++ library behind an S. */
static struct piece read_substitution(struct demangle *d)
{
	static const struct {
		char code;
		char name[18];
		char whole[73];		/* of constructors and destructors */
	} rows[] = {
		{ 'a', "std::allocator", "" },
		{ 'b', "std::basic_string", "" },
		{ 's', "std::string",
		  "std::basic_string<char, std::char_traits<char>, "
		  "std::allocator<char> >" },
		{ 'i', "std::istream",
		  "std::basic_istream<char, std::char_traits<char> >" },
		{ 'o', "std::ostream",
		  "std::basic_ostream<char, std::char_traits<char> >" },
		{ 'd', "std::iostream",
		  "std::basic_iostream<char, std::char_traits<char> >" },
	};
	struct piece t = piece_begin(d);
	uint32_t number;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (next_char(d) != rows[i].code)
			continue;
		d->p++;
		piece_add(d, &t, *rows[i].whole && (next_char(d) == 'C' ||
						    next_char(d) == 'D') ?
				 rows[i].whole : rows[i].name);
		return t;
	}
	number = (uint32_t)read_seq(d, true);
	if (d->failed || number >= d->nsubs)
		return give_up(d);
	/* T_ means another argument, or the same, in each function of a name */
	if (d->params[number])
		return find_parameter(d, d->params[number] - 1u);
	if (d->owners[number] &&
	    d->owners[number] != (d->lambdas ? OF_LAMBDA : d->owner))
		return give_up(d);
	d->owned |= d->owners[number] > 0;
	return d->subs[number];
}

/* Reads the last name of a scope, where `scope` is the name around it. */
static struct piece read_unqualified(struct demangle *d, struct piece scope)
{
	char c;
	struct piece t;
	uint16_t at;

	take_word(d, "L");
	c = next_char(d);
	d->typeless = false;
	if (is_digit(c)) {
		t = read_source(d);
	} else if (c == 'U') {
		t = read_unnamed(d);
	} else if ((c == 'C' || c == 'D') && scope.n && d->end - d->p > 1 &&
		   (is_digit(d->p[1]) || d->p[1] == 'I')) {
		d->p += 2;
		if (d->p[-1] == 'I') {
			/* an inherited constructor has the base's type */
			d->p++;
			read_type(d);
		}
		/* the last part of the scope, without arguments */
		at = scope.n;
		for (uint16_t i = 0, angles = 0; i < scope.n; i++) {
			char s = d->room[scope.at + i];

			if (s == '<' && !angles++)
				at = i;
			else if (s == '>' && angles)
				angles--;
			else if (!angles && s == ':')
				at = scope.n;
		}
		scope.n = at;
		for (at = scope.n; at && d->room[scope.at + at - 1] != ':';)
			at--;
		t = piece_begin(d);
		piece_add(d, &t, c == 'D' ? "~" : "");
		add_bytes(d, &t, d->room + scope.at + at,
			  (size_t)(scope.n - at));
		d->typeless = true;
	} else {
		t = read_operator(d);
	}
	while (take_word(d, "B")) {
		struct piece tag = read_source(d);

		t = piece_join(d, t, "[abi:", tag);
		piece_add(d, &t, "]");
	}
	return t;
}

/* Reads qualifiers of a member function, a number of `tails`. */
static uint32_t read_qualifiers(struct demangle *d)
{
	uint32_t tail = take_word(d, "V") ? 2 : 0;

	tail += take_word(d, "K");
	return tail + (take_word(d, "R") ? 4 : take_word(d, "O") ? 8 : 0);
}

/* Reads N ... E, behind the N. */
static struct piece read_nested(struct demangle *d)
{
	struct piece t = none, part;
	bool templated = false, typeless;
	uint32_t tail;

	take_word(d, "r");
	tail = read_qualifiers(d);
	while (!d->failed && !take_word(d, "E")) {
		templated = false;
		if (take_word(d, "I")) {
			typeless = d->typeless;
			part = read_arguments(d);
			d->typeless = typeless;
			t = join_arguments(d, t, part);
			if (next_char(d) != 'E')
				piece_keep(d, t);
			templated = true;
			continue;
		}
		if (take_word(d, "St")) {
			t = piece_begin(d);
			piece_add(d, &t, "std");
			continue;
		}
		if (take_word(d, "S")) {
			t = read_substitution(d);
			continue;
		}
		if (take_word(d, "T")) {
			t = read_parameter(d);
			continue;
		}
		/* the scope of a member of a lambda's */
		if (take_word(d, "M"))
			continue;
		part = read_unqualified(d, t);
		t = t.n ? piece_join(d, t, "::", part) : part;
		if (next_char(d) != 'E')
			piece_keep(d, t);
	}
	d->templated = templated;
	d->tail = tails[tail];
	return t;
}

/* Reads Z FUNCTION E NAME, behind the Z. */
static struct piece read_local(struct demangle *d)
{
	uint16_t unused;
	struct piece scope = read_encoding(d, &unused), name;

	if (!take_word(d, "E"))
		return give_up(d);
	if (take_word(d, "s")) {
		name = piece_begin(d);
		piece_add(d, &name, "string literal");
	} else {
		if (take_word(d, "d"))
			read_seq(d, false);
		name = read_name(d);
	}
	/* which of several of that name */
	if (take_word(d, "__")) {
		read_number(d);
		take_word(d, "_");
	} else if (next_char(d) == '_') {
		d->p++;
		if (is_digit(next_char(d)))
			d->p++;
	}
	return piece_join(d, scope, "::", name);
}

static struct piece read_name(struct demangle *d)
{
	struct piece t, part;
	bool std, sub = false;

	d->templated = d->typeless = false;
	d->tail = "";
	if (++d->depth > DEPTH_MAX)
		return give_up(d);
	if (take_word(d, "N")) {
		t = read_nested(d);
	} else if (take_word(d, "Z")) {
		t = read_local(d);
	} else {
		std = take_word(d, "St");
		sub = !std && take_word(d, "S");
		t = sub ? read_substitution(d) : read_unqualified(d, none);
		if (std) {
			part = piece_begin(d);
			piece_add(d, &part, "std");
			t = piece_join(d, part, "::", t);
		}
		d->templated = false;
		if (take_word(d, "I")) {
			if (!sub)
				piece_keep(d, t);
			part = read_arguments(d);
			t = join_arguments(d, t, part);
			d->templated = true;
		}
	}
	d->depth--;
	return t;
}

static const char builtins[26][19] = {
	['v' - 'a'] = "void",	     ['w' - 'a'] = "wchar_t",
	['b' - 'a'] = "bool",	     ['c' - 'a'] = "char",
	['a' - 'a'] = "signed char", ['h' - 'a'] = "unsigned char",
	['s' - 'a'] = "short",	     ['t' - 'a'] = "unsigned short",
	['i' - 'a'] = "int",	     ['j' - 'a'] = "unsigned int",
	['l' - 'a'] = "long",	     ['m' - 'a'] = "unsigned long",
	['x' - 'a'] = "long long",   ['y' - 'a'] = "unsigned long long",
	['n' - 'a'] = "__int128",    ['o' - 'a'] = "unsigned __int128",
	['f' - 'a'] = "float",	     ['d' - 'a'] = "double",
	['e' - 'a'] = "long double", ['g' - 'a'] = "__float128",
	['z' - 'a'] = "...",
};

static const struct {
	char code[3];
	char text[18];
} others[] = {
	{ "Dn", "decltype(nullptr)" },
	{ "Di", "char32_t" },
	{ "Ds", "char16_t" },
	{ "Du", "char8_t" },
	{ "Da", "auto" },
	{ "Dc", "decltype(auto)" },
	{ "Df", "decimal32" },
	{ "Dd", "decimal64" },
	{ "De", "decimal128" },
	{ "Dh", "half" },
};

/* Reads a function's type behind the F: "int (char)", "int (char) const &";
 * `tail` are qualifiers that stand before it. */
static struct piece read_function(struct demangle *d, uint32_t tail)
{
	struct piece result, types, t;
	uint16_t mid;

	take_word(d, "Y");
	result = read_type(d);
	types = read_types(d, 'E');
	tail += take_word(d, "R") ? 4 : take_word(d, "O") ? 8 : 0;
	if (!take_word(d, "E"))
		return give_up(d);
	t = piece_begin(d);
	add_bytes(d, &t, d->room + result.at, result.mid);
	piece_add(d, &t, " ");
	mid = t.n;
	piece_add(d, &t, "(");
	add_text(d, &t, types);
	piece_add(d, &t, ")");
	piece_add(d, &t, tails[tail]);
	add_bytes(d, &t, d->room + result.at + result.mid,
		  (size_t)(result.n - result.mid));
	t.mid = mid;
	return t;
}

/* Reads an array's type behind the A: "int [3]". */
static struct piece read_array(struct demangle *d)
{
	struct piece number = piece_begin(d), of, t;
	const char *from = d->p;
	uint16_t mid;
	size_t rest;

	if (take_word(d, "T")) {
		number = find_parameter(d, (uint32_t)read_seq(d, false));
	} else {
		read_number(d);
		add_bytes(d, &number, from, (size_t)(d->p - from));
	}
	if (!take_word(d, "_"))
		return give_up(d);
	of = read_type(d);
	t = piece_begin(d);
	add_bytes(d, &t, d->room + of.at, of.mid);
	/* of an array: "int [3][4]" */
	rest = (size_t)(of.n - of.mid);
	if (rest && d->room[of.at + of.mid] != '[')
		return give_up(d);
	piece_add(d, &t, rest ? "" : " ");
	mid = t.n;
	piece_add(d, &t, "[");
	add_text(d, &t, number);
	piece_add(d, &t, "]");
	add_bytes(d, &t, d->room + of.at + of.mid, rest);
	t.mid = mid;
	return t;
}

/* Reads a vector's type behind the Dv, of as many as a number says: "float
 * __vector(4)". */
static struct piece read_vector(struct demangle *d)
{
	const char *from = d->p;
	size_t n;
	struct piece of, t;

	read_number(d);
	n = (size_t)(d->p - from);
	if (!n || !take_word(d, "_"))
		return give_up(d);
	of = read_type(d);
	t = piece_join(d, of, " __vector(", none);
	add_bytes(d, &t, from, n);
	piece_add(d, &t, ")");
	return t;
}

/* Reads a type with a pack behind the Dp, for each argument of the pack: "int&&,
 * char&&". Substitutions in it are other texts each time, so none is meant from
 * outside, unless it is one argument. */
static struct piece read_expansion(struct demangle *d)
{
	uint32_t at = d->pack_at, n = d->pack_n, nsubs = d->nsubs, i = 0;
	uint8_t owner = d->owner;
	const char *from = d->p;
	struct piece all = none, t;

	do {
		d->p = from;
		d->nsubs = nsubs;
		d->pack_at = i + 1;
		d->pack_n = 0;
		t = read_type(d);
		if (!d->pack_n || d->owner != owner)
			return give_up(d);
		if (d->pack_n > 1)
			all = i ? piece_join(d, all, ", ", t) : t;
	} while (!d->failed && ++i + 1 < d->pack_n);
	for (i = nsubs; i < d->nsubs && d->pack_n != 2; i++)
		d->owners[i] = OF_PACK;
	d->pack_at = at;
	d->pack_n = n;
	return all;
}

/* Reads qualifiers and the type behind them, which are one substitution: "int
 * const volatile"; those before a function are of the function. */
static struct piece read_qualified(struct demangle *d)
{
	static const char texts[][10] = { " const", " volatile", " restrict" };
	bool restricts = take_word(d, "r");
	uint32_t with = (take_word(d, "V") ? 2 : 0) + take_word(d, "K");
	struct piece t;

	if (!restricts && take_word(d, "F"))
		return piece_keep(d, read_function(d, with));
	t = read_type(d);
	/* an argument may have one of them */
	if (t.mid == t.n && t.n > 6 &&
	    !__builtin_memcmp(d->room + t.at + t.n - 6, texts[0], 6))
		with &= ~1u;
	with |= restricts ? 4 : 0;
	for (uint32_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (with >> i & 1)
			t = piece_insert(d, t, texts[i],
					 text_length(texts[i]));
	return piece_keep(d, t);
}

/* Reads a type that is neither built in nor a substitution. */
static struct piece read_compound(struct demangle *d)
{
	static const struct {
		const char *code, *text;
	} rows[] = {
		{ "P", "*" }, { "R", "&" }, { "O", "&&" },
	};
	struct piece t, other;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!take_word(d, rows[i].code))
			continue;
		t = read_type(d);
		/* a reference to a reference */
		if (i && t.mid && d->room[t.at + t.mid - 1] == '&')
			return piece_keep(d, t);
		return piece_keep(d, piece_insert(d, t, rows[i].text,
						  text_length(rows[i].text)));
	}
	if (next_char(d) == 'r' || next_char(d) == 'V' || next_char(d) == 'K')
		return read_qualified(d);
	if (take_word(d, "C"))
		return piece_keep(d, piece_join(d, read_type(d), " _Complex",
						none));
	if (take_word(d, "Dv"))
		return piece_keep(d, read_vector(d));
	if (take_word(d, "Do"))
		return next_char(d) == 'F' ? read_compound(d) : give_up(d);
	if (take_word(d, "F"))
		return piece_keep(d, read_function(d, 0));
	if (take_word(d, "A"))
		return piece_keep(d, read_array(d));
	if (take_word(d, "Dp"))
		return piece_keep(d, read_expansion(d));
	if (take_word(d, "M")) {
		other = read_type(d);
		t = read_type(d);
		/* "int (A::*)(char)", "int A::*" */
		if (t.mid == t.n)
			t = piece_join(d, t, " ", none);
		other = piece_join(d, other, "::*", none);
		return piece_keep(d, piece_insert(d, t, d->room + other.at,
						  other.n));
	}
	if (take_word(d, "T")) {
		t = read_parameter(d);
		if (!take_word(d, "I"))
			return t;
		other = read_arguments(d);
		return piece_keep(d, piece_join(d, t, "", other));
	}
	if (take_word(d, "u"))
		return piece_keep(d, read_source(d));
	return is_digit(next_char(d)) || next_char(d) == 'N' ||
			       next_char(d) == 'Z' ?
		       piece_keep(d, read_name(d)) : give_up(d);
}

static struct piece read_type(struct demangle *d)
{
	char c = next_char(d);
	struct piece t = piece_begin(d), part;
	bool owned = d->owned;

	if (d->failed || ++d->depth > DEPTH_MAX)
		return give_up(d);
	d->typing++;
	d->owned = false;
	if (c >= 'a' && c <= 'z' && builtins[c - 'a'][0]) {
		d->p++;
		piece_add(d, &t, builtins[c - 'a']);
		goto out;
	}
	for (size_t i = 0; c == 'D' && i < ARRAY_SIZE(others); i++)
		if (take_word(d, others[i].code)) {
			piece_add(d, &t, others[i].text);
			goto out;
		}
	if (c == 'S' && d->end - d->p > 1 && d->p[1] != 't') {
		d->p++;
		t = read_substitution(d);
		if (take_word(d, "I")) {
			part = read_arguments(d);
			t = piece_keep(d, piece_join(d, t, "", part));
		}
		goto out;
	}
	if (c == 'S')
		t = piece_keep(d, read_name(d));
	else
		t = read_compound(d);
out:
	d->typing--;
	d->depth--;
	d->owned |= owned;
	return t;
}

/* Reads a name and the types of a function: up to the end, an E or a '.'. *name
 * gets the length of the name. */
static struct piece read_encoding(struct demangle *d, uint16_t *name)
{
	uint32_t typing = d->typing, at = d->pack_at;
	const char *before = d->tail, *tail;
	bool result, typeless = d->typeless;
	struct piece t, types;

	if (++d->depth > DEPTH_MAX)
		return give_up(d);
	d->typing = d->pack_at = 0;
	t = read_name(d);
	*name = t.n;
	if (d->depth == 1 && !d->failed)
		d->named = t;
	tail = d->tail;
	result = d->templated && !d->typeless;
	if (next_char(d) && next_char(d) != '.' && next_char(d) != 'E') {
		/* it is not written */
		if (result)
			read_type(d);
		types = read_types(d, '\0');
		t = piece_join(d, t, "(", types);
		piece_add(d, &t, ")");
		piece_add(d, &t, tail);
	}
	/* a name may be in the arguments of another one */
	d->tail = before;
	d->typeless = typeless;
	d->typing = typing;
	d->pack_at = at;
	d->depth--;
	return t;
}

/* As demangle(), for a symbol alone. */
static size_t demangle_symbol(struct demangle *d, const char *symbol, size_t n,
			      char *name, size_t room)
{
	static const struct {
		const char *code, *text;
	} thunks[] = {
		{ "Th", "non-virtual thunk to " },
		{ "Tv", "virtual thunk to " },
	};
	static const char cut[] = "...";
	const char *before = "";
	uint16_t bytes = 0;
	size_t lead;
	struct piece t;

	d->p = symbol;
	d->end = symbol + n;
	d->used = d->depth = d->nsubs = d->nargs = d->typing = d->owner = 0;
	d->lambdas = d->pack_at = 0;
	d->failed = d->owned = d->typeless = false;
	d->tail = "";
	if (take_word(d, "_R"))
		return demangle_rust(d, symbol, n, name, room);
	if (!take_word(d, "_Z"))
		return 0;
	if (next_char(d) == 'N') {
		size_t length = demangle_rust_old(d, symbol, n, name, room);

		if (length)
			return length;
	}
	for (size_t i = 0; i < ARRAY_SIZE(thunks); i++) {
		if (!take_word(d, thunks[i].code))
			continue;
		before = thunks[i].text;
		do {
			take_word(d, "n");
			read_number(d);
		} while (take_word(d, "_") && next_char(d) != '_' &&
			 (is_digit(next_char(d)) || next_char(d) == 'n'));
	}
	d->named = none;
	t = read_encoding(d, &bytes);
	lead = text_length(before);
	n = (size_t)(d->end - d->p);
	if (d->named.n && (d->failed || lead + t.n + n >= room)) {
		/* the name alone, and the part behind the types */
		t = d->named;
		bytes = t.n;
		for (d->p = symbol; d->p < d->end && *d->p != '.';)
			d->p++;
		n = (size_t)(d->end - d->p);
		d->failed = false;
		if (room > lead + n + sizeof(cut) && lead + t.n + n >= room) {
			t.n = bytes = (uint16_t)(room - lead - n - 1);
			__builtin_memcpy(d->room + t.at + t.n -
						 (sizeof(cut) - 1),
					 cut, sizeof(cut) - 1);
		}
	}
	if (d->failed || (n && *d->p != '.') || !bytes ||
	    lead + t.n + n >= room)
		return 0;
	__builtin_memcpy(name, before, lead);
	__builtin_memcpy(name + lead, d->room + t.at, t.n);
	__builtin_memcpy(name + lead + t.n, d->p, n);
	name[lead + t.n + n] = '\0';
	return lead + bytes;
}

size_t demangle(struct demangle *d, const char *symbol, size_t n, char *name,
		size_t room)
{
	size_t file = 0, bare;

	if (n < 2 || symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		while (file < n && symbol[file++] != ':')
			;
	if (file >= n || file >= room)
		return 0;
	bare = demangle_symbol(d, symbol + file, n - file, name + file,
			       room - file);
	if (bare)
		__builtin_memcpy(name, symbol, file);
	return bare ? file + bare : 0;
}
