/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Splits rules into globs, types and conditions, and tells their forms apart.
 */
#include "tracepoints/conditions/rule-split.h"

#include <errno.h>

#include "base/base.h"
#include "base/demangle.h"
#include "base/glob.h"
#include "base/text.h"

#define GLOB_BYTES	256	/* longer globs name no function */

static bool is_letter(char c)
{
	return (unsigned int)((c | 32) - 'a') < 26;
}

/* Returns the end of the quoted text at `p`, or NULL if nothing closes it. */
static const char *quote_end(const char *p)
{
	const char quote = *p++;

	for (; *p && *p != quote; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : NULL;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

static const char *glob_end(const char *rule)
{
	const char *end;

	while (*rule && !is_blank(*rule) && *rule != '(') {
		end = is_quote(*rule) ? quote_end(rule) : NULL;
		rule = end ? end : rule + 1;
	}
	return rule;
}

/* Returns the first ':' of a rule's glob that is in no class, or NULL; *slash
 * tells whether there is a '/'. */
static const char *find_colon(const char *rule, bool *slash)
{
	const char *end = glob_end(rule), *colon = NULL, *p, *next;

	*slash = false;
	for (p = rule; p < end; p = next) {
		next = glob_next(p);
		if (next > end)
			next = p + 1;
		if (*p == '/')
			*slash = true;
		/* "shop::Cart::add:+2" */
		if (*p == ':' && !colon && p > rule && p[1] == ':' &&
		    p + 2 < end)
			next = p + 2;
		else if (*p == ':' && !colon)
			colon = p;
	}
	return colon;
}

/* Returns true when the text before the ':' ends like a source file's name, and
 * the text behind it begins like a number. */
static bool is_line(const char *rule, const char *colon)
{
	const char *p = colon;

	if (!is_digit(colon[1]))
		return false;
	while (p > rule && (is_letter(p[-1]) || is_digit(p[-1]) ||
			    p[-1] == '+' || p[-1] == '_'))
		p--;
	return is_letter(*p) && p > rule + 1 && p[-1] == '.' && p[-2] != '/';
}

enum rule_kind rule_kind(const char *rule)
{
	bool slash;
	const char *colon = find_colon(rule, &slash);

	return text_after(rule, "fn:") ? RULE_FUNCTIONS :
	       colon && (is_line(rule, colon) ||
			 (colon[1] == '+' && is_digit(colon[2]) &&
			  colon > rule)) ? RULE_LINE : RULE_MARKERS;
}

/* Returns true when a word that is neither "entry" nor "return" stands behind
 * the last '%' of a glob. */
static bool has_strange_end(const char *glob)
{
	const char *end = glob_end(glob), *p = end;

	while (p > glob && is_letter(p[-1]))
		p--;
	return p > glob && p < end && p[-1] == '%' &&
	       !(end - p == 5 && text_after(p, "entry")) &&
	       !(end - p == 6 && text_after(p, "return"));
}

/* Returns true when a glob has a ',' outside quotes, classes and the arguments
 * of a template: two rules, rather than a name. */
static bool has_comma(const char *glob)
{
	const char *end = glob_end(glob), *next;
	int depth = 0;

	for (; glob < end; glob = next) {
		next = is_quote(*glob) ? quote_end(glob) : NULL;
		next = next ? next : glob_next(glob);
		depth += (*glob == '<') - (*glob == '>');
		if (*glob == ',' && depth <= 0)
			return true;
	}
	return false;
}

bool rule_has_parameters(const char *rule)
{
	const char *p = glob_end(rule), *name;

	for (name = rule; name < p; name++)
		if (is_quote(*name))
			return false;
	if (*p != '(')
		return false;
	do {
		p = text_after(p + 1, "int");
	} while (p && *p == ',');
	return p && *p == ')';
}

/* Returns true when a glob has the "::" of a name of C++ or Rust. */
static bool has_scope(const char *glob)
{
	const char *end = glob_end(glob);

	for (glob += sizeof("fn:") - 1; glob < end; glob++)
		if (glob[0] == ':' && glob[1] == ':')
			return true;
	return false;
}

const char *rule_unknown(const char *rule)
{
	enum rule_kind kind = rule_kind(rule);
	struct rule_types types;
	const char *end;

	if (kind != RULE_FUNCTIONS)
		return NULL;
	if (has_strange_end(rule))
		return "behind '%' of a function stands 'entry' or 'return'";
	if (has_comma(rule))
		return "each rule has an -e of its own, in TAFFRAIL_ENABLE a "
		       "';' before it; a name that has a ',' stands in quotes";
	if (has_scope(rule) && rule_has_parameters(rule))
		return RULE_QUOTED;
	rule_types(rule, &types, &end);
	for (uint32_t i = 0; i < TAFFRAIL_FIELDS_MAX; i++)
		if (types.count > RULE_ARGUMENTS_MAX ||
		    types.lengths[i] > RULE_ARGUMENTS_MAX)
			return "only the first 6 arguments of a function are "
			       "known";
	return NULL;
}

/* Returns the length of a module's name before ".so". */
static size_t stem_bytes(const char *module)
{
	const char *p = module;

	while (*p && !text_after(p, ".so"))
		p++;
	return (size_t)(p - module);
}

bool rule_is_runtime(const char *module)
{
	static const char stems[] = "libc\0ld-linux-x86-64\0libm\0libmvec\0"
				    "libpthread\0libdl\0librt\0";
	size_t bytes = stem_bytes(module);
	const char *stem;

	for (stem = stems; *stem; stem += text_length(stem) + 1)
		if (module[bytes] && glob_match_upto(stem, module, bytes))
			return true;
	return false;
}

/* Returns how a name ranks by the kind. */
static unsigned int name_rank(const char *name)
{
	const char *p = name;

	while (*p && *p != ':')
		p++;
	return 2u * !!*p + (name[0] == '_');
}

bool rule_prefers(const char *name, const char *other)
{
	unsigned int a = name_rank(name), b = name_rank(other);
	size_t n = text_length(name), m = text_length(other);

	return a != b ? a < b : n != m ? n < m :
	       __builtin_memcmp(name, other, n) < 0;
}

/* Returns the length of a text without an end that it has, or with it. */
static size_t without_end(const char *text, size_t bytes, const char *end)
{
	size_t n = text_length(end);

	return bytes > n && text_equal(text + bytes - n, end) ? bytes - n :
								bytes;
}

bool rule_names_returns(const char *glob)
{
	size_t bytes = text_length(glob);

	return without_end(glob, bytes, RULE_RETURN) < bytes;
}

bool rule_names_half(const char *glob)
{
	size_t bytes = text_length(glob);

	return rule_names_returns(glob) ||
	       without_end(glob, bytes, "%entry") < bytes;
}

/* Returns how many bytes of a function's name in C++ stand before the
 * parameters, or all: "operator()" of "operator()(int) const". */
static size_t without_parameters(const char *name)
{
	size_t bytes = text_length(name), n = bytes;
	int depth = 0;

	while (n && name[n - 1] != ')')
		n--;
	do {
		if (!n)
			return bytes;
		n--;
		depth += (name[n] == ')') - (name[n] == '(');
	} while (depth);
	return n ? n : bytes;
}

/* The C++ name of the last symbol: several rules ask for one after the other.
 * One thread uses it at a time: the registry's lock is held in an agent, and a
 * command has one that asks. */
static struct {
	char symbol[FUNCTION_ID_BYTES];
	char name[DEMANGLE_NAME];	/* "": it has none */
	size_t bare;			/* without parameters */
	struct demangle work;
} cxx TABLE;

/* Returns whether a glob is a function's name, or matches it: with its
 * parameters, or without. */
static bool glob_names(const char *glob, const char *name, size_t bare)
{
	size_t bytes = text_length(name);

	return text_equal(glob, name) || glob_match(glob, name) ||
	       (bare < bytes && glob_match_upto(glob, name, bare)) ||
	       (bare < bytes && text_length(glob) == bare &&
		!__builtin_memcmp(glob, name, bare));
}

/* Makes the C++ name of a symbol that fits. */
static void cxx_make(const char *symbol, size_t n)
{
	if (text_length(cxx.symbol) == n &&
	    !__builtin_memcmp(cxx.symbol, symbol, n))
		return;
	__builtin_memcpy(cxx.symbol, symbol, n);
	cxx.symbol[n] = '\0';
	cxx.bare = demangle(&cxx.work, symbol, n, cxx.name, sizeof(cxx.name));
	if (!cxx.bare)
		cxx.name[0] = '\0';
}

const char *rule_shown_name(const char *symbol)
{
	size_t n = text_length(symbol);

	if (n >= sizeof(cxx.symbol))
		return symbol;
	cxx_make(symbol, n);
	return cxx.bare ? cxx.name : symbol;
}

/* Does as glob_names() for a name without the "[abi:TAG]" and anonymous
 * namespaces that it has: those are not in the source. */
static bool glob_names_untagged(const char *glob)
{
	char name[DEMANGLE_NAME];
	size_t n = 0, bare = cxx.bare;
	const char *p = cxx.name, *tag, *scope;

	while (*p) {
		tag = text_after(p, "[abi:");
		scope = text_after(p, "(anonymous namespace)::");
		if (!tag && !scope) {
			name[n++] = *p++;
			continue;
		}
		while (!scope && *tag && *tag != ']')
			tag++;
		tag = scope ?: tag + (*tag == ']');
		if (p < cxx.name + cxx.bare)
			bare -= (size_t)(tag - p);
		p = tag;
	}
	name[n] = '\0';
	return cxx.name[n] && glob_names(glob, name, bare);
}

/* Returns whether a glob names a function by its symbol, or by the name in the
 * source. */
static bool glob_names_symbol(const char *glob, const char *symbol, size_t n)
{
	if (n >= sizeof(cxx.symbol))
		return glob_match_upto(glob, symbol, n);
	cxx_make(symbol, n);
	return glob_names(glob, cxx.symbol, without_parameters(cxx.symbol)) ||
	       (cxx.bare && (glob_names(glob, cxx.name, cxx.bare) ||
			     glob_names_untagged(glob)));
}

/* Returns the length of "FILE.c:" in front of a name of n bytes, or 0. */
static size_t file_bytes(const char *name, size_t n)
{
	size_t at = 0;

	while (at + 1 < n && name[at] != ':')
		at++;
	return at + 1 < n && name[at + 1] != ':' ? at + 1 : 0;
}

/* Returns whether a glob names a function that may have its file in front,
 * which one without ':' and '.' does not mean. */
static bool glob_names_static(const char *glob, const char *name, size_t n)
{
	size_t file = file_bytes(name, n), i = 0;

	while (glob[i] && glob[i] != ':' && glob[i] != '.')
		i++;
	return glob_names_symbol(glob, name, n) &&
	       (!file || glob[i] ||
		glob_names_symbol(glob, name + file, n - file));
}

/* Takes the quotes away around a name, and the '\' before characters in
 * them. */
static void unquote(char *name)
{
	const char *end = is_quote(*name) ? quote_end(name) : NULL;
	char *to = name, *p = name + 1;

	if (!end || *end)
		return;
	while (p < end - 1) {
		p += *p == '\\' && p + 1 < end - 1;
		*to++ = *p++;
	}
	*to = '\0';
}

/* Tells whether a glob names a module, by one of the names. */
static bool names_module(const char *glob, const char *names)
{
	size_t bytes, stem;

	for (;; names += bytes + 1) {
		for (bytes = 0; names[bytes] && names[bytes] != *RULE_OR;)
			bytes++;
		stem = stem_bytes(names);
		if (glob_match_upto(glob, names, bytes) ||
		    (stem < bytes && glob_match_upto(glob, names, stem)))
			return true;
		if (!names[bytes])
			return false;
	}
}

/* Returns where the name of a module ends, at its '/', or another place if
 * there is none; NULL for NULL. */
static const char *module_end(const char *p)
{
	while (p && *p && *p != '/' && !is_quote(*p))
		p = glob_next(p);
	return p;
}

bool rule_has_module(const char *glob)
{
	const char *end = module_end(text_after(glob, "fn:"));

	return end && *end == '/';
}

bool rule_names_function(const char *glob, const char *module,
			 const char *name)
{
	const char *rest = text_after(glob, "fn:");
	const char *p = module_end(rest);
	char part[GLOB_BYTES];
	size_t bytes, all, name_bytes;

	if (!rest || text_length(rest) >= sizeof(part))
		return false;
	if (*p == '/') {
		bytes = (size_t)(p - rest);
		__builtin_memcpy(part, rest, bytes);
		part[bytes] = '\0';
		rest = p + 1;
		if (module && !names_module(part, module))
			return false;
	} else if (module && rule_is_runtime(module)) {
		return false;
	}
	text_copy(part, sizeof(part), rest);
	all = text_length(part);
	name_bytes = without_end(name, text_length(name), RULE_RETURN);
	bytes = without_end(part, all, RULE_RETURN);
	if (bytes < all && !name[name_bytes])
		return false;
	if (bytes == all) {
		bytes = without_end(part, all, "%entry");
		if (bytes < all && name[name_bytes])
			return false;
	}
	part[bytes] = '\0';
	unquote(part);
	return glob_names_static(part, name, name_bytes);
}

void rule_unify(char *rule)
{
	bool slash;
	const char *colon = find_colon(rule, &slash);

	if (colon && !slash && rule_kind(rule) == RULE_MARKERS)
		rule[colon - rule] = '/';
}

const char *rule_step(const char *p)
{
	const char *at = p, *end;
	int depth = 0;

	do {
		end = is_quote(*at) ? quote_end(at) : NULL;
		depth += (*at == '(') - (*at == ')' && depth);
		at = end ? end : at + 1;
	} while (*at && depth);
	return depth ? p + 1 : at;
}

int rule_types(const char *rule, struct rule_types *types, const char **end)
{
	const char *p = glob_end(rule);
	uint32_t i = 0;
	int64_t length;

	*types = (struct rule_types){ 0 };
	*end = p;
	if (*p != '(')
		return 0;
	for (p++;; p++, i++) {
		if (i == TAFFRAIL_FIELDS_MAX)
			return -EINVAL;
		if (p[0] == 's' && p[1] == 't' && p[2] == 'r') {
			types->strings |= 1u << i;
			p += 3;
		} else if (p[0] == 'i' && p[1] == 'n' && p[2] == 't') {
			p += 3;
		}
		/* ":N" behind a type */
		if (types->strings >> i & 1 && *p == ':') {
			length = *++p == '0' ? 0 : text_number(&p);
			if (length <= 0 || length > TAFFRAIL_FIELDS_MAX)
				return -EINVAL;
			types->lengths[i] = (uint8_t)length;
		}
		if (*p == ')')
			break;
		if (*p != ',')
			return -EINVAL;
	}
	*end = p + 1;
	types->count = i + 1;
	/* a length is no string itself */
	for (i = 0; i < TAFFRAIL_FIELDS_MAX; i++)
		if (types->lengths[i] &&
		    types->strings >> (types->lengths[i] - 1) & 1)
			return -EINVAL;
	return 0;
}

const char *rule_condition(const char *rule, size_t *glob_bytes)
{
	const char *p = glob_end(rule);
	const char *q;
	struct rule_types types;

	*glob_bytes = (size_t)(p - rule);
	if (rule_types(rule, &types, &p))
		return NULL;
	for (q = p; is_blank(*q); q++)
		;
	if (q == p || q[0] != 'i' || q[1] != 'f' ||
	    (q[2] && q[2] != '(' && !is_blank(q[2])))
		return NULL;
	for (q += 2; is_blank(*q); q++)
		;
	return q;
}
