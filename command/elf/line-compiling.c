/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiles rules for source lines. See line-rules.h.
 *
 * Invariant: the answers of the symboliser's child are text of unknown origin.
 * The build id in a description is that of the file which was asked, so no file
 * can describe places in another one.
 */
#include "command/elf/line-rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"
#include "base/text.h"
#include "command/common/command.h"
#include "command/common/nearest.h"
#include "command/elf/debug-files.h"
#include "command/elf/expression-text-private.h"
#include "command/elf/line-rule-private.h"
#include "command/elf/named-functions.h"
#include "command/elf/process-markers.h"
#include "command/elf/program-functions.h"
#include "command/sandbox/opener.h"
#include "command/symboliser/symboliser.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"

#define TEXTS_BYTES	500		/* of a description, in agents */
#define FILES_MAX	512
#define OPTIONAL	'?'		/* before a word: perhaps no variable */
#define NEAREST_BYTES	512

/* The compiling of a rule. */
struct compiling {
	struct line_rule *rule;
	uint32_t places;
	/* lines that have code. Of a function, they are counted from the line
	 * that declares it. */
	long next;			/* 0: none */
	long before;			/* -1: none */
	long last;			/* of the file or function; -1: none */
	bool has_no_function;		/* of the name */
	struct nearest sources;		/* if none has the name */
	char source[256], other[256];	/* paths of those that have; or "" */
	bool newer;			/* the first one, than the file with the
					 * line */
	uint32_t has[TAFFRAIL_FIELDS_MAX];	/* places with a value */
	char lacks[TAFFRAIL_FIELDS_MAX][320];	/* why others have none */
	char left_out[320];		/* parameters and members */
	char cut[320];			/* members, for which an event has no
					 * room */
	uint32_t cut_place;		/* of these: the number */
	char which[320];		/* functions, if several have the
					 * name */
	bool named;			/* the values; conditions have these: */
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	bool unnamed;			/* a file without a build id has it */
	uint32_t too_long;		/* places */
	/* of the place that is read */
	const char *library;
	char head[LINE_VALUE_BYTES];
	char fields[8192];
	char text[LINE_VALUE_BYTES];
	uint32_t n;
	uint8_t numbers[TAFFRAIL_FIELDS_MAX];	/* fields of expressions, from
						 * 1 on; 0: none */
	struct {
		size_t at;		/* in `fields` */
		uint32_t expression;	/* that has the length */
	} lengths[TAFFRAIL_FIELDS_MAX];
	uint32_t nlengths;
	bool follows;			/* its memory may not be there */
	bool is_cut;
	bool taken;			/* the last field */
	uint32_t spread;		/* a structure that has fields: the
					 * number, from 1 on */
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	uint8_t bits[TAFFRAIL_FIELDS_MAX];	/* of bit-fields; else 0 */
	char shown_bytes[TEXTS_BYTES];
	size_t shown;			/* of them, taken */
	/* of the condition, at the places so far */
	struct expr_error fault;	/* at the last one that it does not
					 * fit */
	bool fits;
	char perhaps[320];		/* about a word of it, or "" */
};

/* The compiling of all rules, by files. */
struct compilings {
	struct compiling *of;
	uint32_t n;
	char words[SYMBOLISER_WORDS_BYTES];	/* of a request */
	size_t bytes;
	struct {
		uint64_t device, inode;
		bool has;		/* a line of a rule */
	} seen[FILES_MAX];
	size_t nseen;
	bool has;			/* one of the process's files */
	char split[160];		/* the end of a path, of a file that is
					 * missing */
	char bare[512];			/* about the first file, if it has no
					 * debug information; or "" */
};

/* Adds text at the end of another. */
__attribute__((format(printf, 3, 4)))
static bool text_put(char *text, size_t room, const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(text + used, room - used, format, arguments);
	va_end(arguments);
	if (n >= 0 && (size_t)n < room - used)
		return true;
	text[used] = '\0';
	return false;
}

/* Looks whether the rule's condition fits the fields of the place. */
static void condition_check(struct compiling *c)
{
	uint8_t code[EXPR_CODE_BYTES(LINE_VALUE_BYTES)];
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	char id[WHERE_BYTES + 8];
	struct expr_fields fields = {
		names, c->types, c->n + c->follows,
		{ c->shown_bytes, c->shown_bytes + c->shown }, id, false,
		NULL, 0,
	};
	size_t bytes;
	const char *condition = rule_condition(c->rule->made, &bytes);

	snprintf(id, sizeof(id), "line/%s", c->rule->where);
	if (c->fits || !condition ||
	    fields_parse(c->text, c->rule->format ? TAFFRAIL_KIND_MARK :
						    TAFFRAIL_KIND_EVENT,
			 (int)fields.n, names)) {
		c->fits = true;
		return;
	}
	if (expr_compile(condition, &fields, code, sizeof(code), &c->fault) < 0)
		return;
	c->fault.column = condition_never(condition, names, c->types, c->bits,
					  fields.n);
	c->fits = !c->fault.column;
	snprintf(c->fault.fact, sizeof(c->fault.fact),
		 "no value of this type meets it");
}

/* Adds the place that was read to the rule's text. */
static void place_close(struct compiling *c)
{
	const struct line_rule *rule = c->rule;
	char *more;

	if (!*c->head)
		return;
	c->places++;
	if (rule->format) {
		snprintf(c->text, sizeof(c->text), "%s", rule->format);
		if (c->n != rule->n)
			goto next;
	}
	for (uint32_t i = 0; i < c->nlengths; i++) {
		uint8_t number = c->numbers[c->lengths[i].expression];

		if (!number)
			goto next;
		c->fields[c->lengths[i].at] = '0' + number / 16;
		c->fields[c->lengths[i].at + 1] =
			"0123456789abcdef"[number % 16];
	}
	c->follows |= c->is_cut;
	if (c->follows) {
		if (rule->format)
			text_put(c->text, sizeof(c->text), "%%%u" FIELD_UNREAD,
				 c->n + 1);
		else
			text_put(c->text, sizeof(c->text), "%sunread",
				 c->n ? ", " : "");
		/* in base 16: struct taffrail_shown */
		text_put(c->fields, sizeof(c->fields),
			 "field=%d u%s\nfield==%02x%02x000000000000\n",
			 TAFFRAIL_T_U16, c->is_cut ? "8000" : "", c->n + 1,
			 TAFFRAIL_HOW_HEX);
		memcpy(c->shown_bytes + c->shown,
		       &(struct taffrail_shown){ .field_ = (uint8_t)(c->n + 1),
						 .how_ = TAFFRAIL_HOW_HEX },
		       sizeof(struct taffrail_shown));
		c->shown += sizeof(struct taffrail_shown);
		c->types[c->n] = TAFFRAIL_T_U16;
		c->bits[c->n] = 0;
	}
	if (strlen(c->head) + strlen(c->text) + 8 >= LINE_VALUE_BYTES ||
	    strlen(c->text) + strlen(rule->where) + 16 + c->shown >=
		    TEXTS_BYTES) {
		c->too_long++;
		goto next;
	}
	condition_check(c);
	if (!rule->text)
		snprintf(c->rule->library, sizeof(rule->library), "%s",
			 c->library);
	if (asprintf(&more, "%s%s%x %s\t%s\n%s",
		     rule->text ? rule->text : "", c->head,
		     rule->format ? TAFFRAIL_KIND_MARK : TAFFRAIL_KIND_EVENT,
		     rule->where, c->text, c->fields) >= 0) {
		free(c->rule->text);
		c->rule->text = more;
	}
next:
	*c->head = '\0';
}

/* Returns the number of an expression, or that of none. */
static uint32_t expression_number(const struct line_rule *rule,
				  const char *name)
{
	uint32_t i = 0;

	while (i < rule->n && strcmp(rule->expressions[i], name))
		i++;
	return i;
}

/* Returns the number of the expression that is the structure of a member, or
 * that of none. */
static uint32_t structure_number(const struct line_rule *rule,
				 const char *name)
{
	uint32_t i = 0;
	size_t bytes;

	for (; i < rule->n; i++) {
		const char *whole = rule->expressions[i];

		whole += *whole == '*';
		bytes = strlen(whole);
		if (!strncmp(name, whole, bytes) && strspn(name + bytes, ".-"))
			break;
	}
	return i;
}

/* Adds the name of a field. A member has none that a value of the rule has. */
static void name_put(struct compiling *c, const char *name, uint32_t number)
{
	char own[FIELD_NAME_BYTES];
	const char *last = name + strlen(name);
	uint32_t i = 0, k = 1;

	while (last > name && is_word(last[-1]))
		last--;
	snprintf(own, sizeof(own), "%s", last);
	while (c->named && number == c->rule->n && i < c->rule->n)
		if (!strcmp(own, c->names[i++].name)) {
			snprintf(own, sizeof(own), "%.50s_%u", last, ++k);
			i = 0;
		}
	if (c->named && number < c->rule->n)
		name = c->names[number].name;
	else if (k > 1)
		name = own;
	text_put(c->text, sizeof(c->text), "%s%.*s", c->n ? ", " : "",
		 (int)strcspn(name, "@"), name);
}

/* Takes a field of the place. */
static void field_take(struct compiling *c, char *words)
{
	char *type = strsep(&words, "\t"), *operand = strsep(&words, "\t");
	char *name = strsep(&words, "\t");
	uint32_t number, whole, n = c->rule->n;
	const char *length, *condition;
	size_t bytes;

	c->taken = false;
	if (!name)
		return;
	name += *name == OPTIONAL;
	number = expression_number(c->rule, name);
	whole = number < n ? n : structure_number(c->rule, name);
	/* a conversion prints one value */
	if (c->rule->format && whole < n) {
		snprintf(c->lacks[whole], sizeof(c->lacks[whole]),
			 "%.60s is a structure: name a member",
			 c->rule->expressions[whole]);
		return;
	}
	if (strspn(operand, "0123456789abcdefx@%$()-+rsipun:") !=
		    strlen(operand) && !strstr(operand, "@%xmm"))
		return;
	/* values of the rule behind a structure need room, too */
	if (c->n + (whole < n ? n - 1 - whole : 0) >= TAFFRAIL_FIELDS_MAX - 1) {
		c->is_cut = true;
		if (!*c->cut)
			c->cut_place = c->places;
		if (c->cut_place == c->places)
			text_put(c->cut, sizeof(c->cut), "%s%s",
				 *c->cut ? ", " : "", name);
		return;
	}
	if (c->rule->format && atoi(type) > TAFFRAIL_T_STRING) {
		snprintf(c->lacks[number], sizeof(c->lacks[number]),
			 "%.60s is an array: name an element", name);
		return;
	}
	length = strchr(name, COUNT);
	if (length && !isdigit((unsigned char)length[1])) {
		c->lengths[c->nlengths].at = strlen(c->fields) +
					     strlen("field=64 l");
		c->lengths[c->nlengths++].expression =
			expression_number(c->rule, length + 1);
	}
	if (!text_put(c->fields, sizeof(c->fields), "field=%02d %s%s\n",
		      atoi(type),
		      length && !isdigit((unsigned char)length[1]) ? "l00" : "",
		      operand))
		return;
	name_put(c, name, number);
	c->taken = true;
	/* of a sequence, the bit tells that it was cut */
	condition = rule_condition(c->rule->made, &bytes);
	c->follows |= (words && *words == '1' && *operand == 'x') ||
		      atoi(type) > TAFFRAIL_T_STRING ||
		      /* a text that is compared may be unknown */
		      (atoi(type) == TAFFRAIL_T_STRING && condition &&
		       strchr(condition, '"'));
	c->has[number]++;
	if (whole < n && c->spread != whole + 1)
		c->has[whole]++;
	c->spread = whole + 1;
	c->types[c->n] = (uint8_t)atoi(type);
	words = words ? strchr(words, '\t') : NULL;
	c->bits[c->n] = words ? (uint8_t)atoi(words + 1) : 0;
	c->numbers[number] = (uint8_t)++c->n;
}

/* Takes the names of a field's values, as hex digits behind a word. */
static void names_take(struct compiling *c, const char *words)
{
	const char *name = strchr(words, '\t');

	if (!name || strlen(name) <= 2 ||
	    strlen(name) >= LINE_VALUE_BYTES - 8 ||
	    strspn(name + 1, "0123456789abcdef") != strlen(name + 1) ||
	    strlen(c->text) + c->shown + strlen(name) / 2 >= TEXTS_BYTES / 2)
		return;
	/* others before it may be no fields */
	text_put(c->fields, sizeof(c->fields), "field==%02x%s\n", c->n,
		 name + 3);
	c->shown_bytes[c->shown++] = (char)c->n;
	for (name += 3; name[0] && name[1]; name += 2)
		sscanf(name, "%2hhx", &c->shown_bytes[c->shown++]);
}

/* Takes a line of the answer about a file with this build id. */
static void answer_take(struct compiling *c, char *line,
			const struct opener_file *file, const char *id)
{
	struct stat st;
	char *words = line, *word = strsep(&words, "\t");
	const char *name;

	if (!words)
		return;
	if (!strcmp(word, "spot")) {
		place_close(c);
		c->unnamed |= !*id;
		if (*id)
			snprintf(c->head, sizeof(c->head), "spot=%s %llx ", id,
				 strtoull(words, NULL, 16));
		c->n = c->nlengths = c->spread = 0;
		memset(c->numbers, 0, sizeof(c->numbers));
		c->shown = 0;
		c->follows = c->is_cut = false;
		c->text[0] = c->fields[0] = '\0';
	} else if (!strcmp(word, "field") && *c->head) {
		field_take(c, words);
	} else if (!strcmp(word, "names") && *c->head && c->taken) {
		names_take(c, words);
	} else if (!strcmp(word, "none") && *c->head) {
		name = strsep(&words, "\t");
		if (words && *name == OPTIONAL)
			snprintf(c->perhaps, sizeof(c->perhaps), "%s %s",
				 name + 1, words);
		else if (expression_number(c->rule, name) == c->rule->n &&
			 !strstr(c->left_out, name))
			text_put(c->left_out, sizeof(c->left_out), "%s%s",
				 *c->left_out ? ", " : "", name);
		if (words && *name != OPTIONAL)
			snprintf(c->lacks[expression_number(c->rule, name)],
				 sizeof(c->lacks[0]), "%.60s %.240s", name,
				 words);
	} else if (!strcmp(word, "next")) {
		long next = atol(words);

		if (next > 0 && (!c->next || next < c->next))
			c->next = next;
	} else if (!strcmp(word, "before")) {
		c->before = atol(words) > c->before ? atol(words) : c->before;
	} else if (!strcmp(word, "last")) {
		c->last = atol(words) > c->last ? atol(words) : c->last;
	} else if (!strcmp(word, "source") && !*c->source) {
		c->newer = *words == '/' && !opener_stat(words, &st) &&
			   st.st_mtim.tv_sec > file->st.st_mtim.tv_sec;
		snprintf(c->source, sizeof(c->source), "%s",
			 symboliser_path_tidy(words));
	} else if (!strcmp(word, "source")) {
		if (strncmp(c->source, symboliser_path_tidy(words),
			    sizeof(c->source) - 1) != 0)
			snprintf(c->other, sizeof(c->other), "%s", words);
	} else if (!strcmp(word, "near")) {
		nearest_add(&c->sources, strdup(words));
	} else if (!strcmp(word, "which")) {
		if (!strstr(c->which, words))
			text_put(c->which, sizeof(c->which), "%s%s",
				 *c->which ? ", " : "", words);
	} else if (!strcmp(word, "unnamed")) {
		c->has_no_function = true;
	}
}

/* Tells whether each rule has a place. */
static bool all_placed(const struct compilings *all)
{
	uint32_t i = 0;

	while (i < all->n && all->of[i].places)
		i++;
	return i == all->n;
}

/* Asks about a file, for all rules at once. Lines of libc and of the dynamic
 * linker, whose tables are large, are for rules that no file before has. */
static int file_compile(const char *path, const char *called,
			const struct opener_file *file, void *priv)
{
	char id[2 * SYMBOLISER_ID_BYTES + 1] = "", *text, *rest, *line;
	static struct symboliser_module module;
	uint64_t ns = SYMBOLISER_MARKERS_NS;
	struct compilings *all = priv;
	uint32_t of = 0, before = 0, places = 0;
	int ret;

	if (rule_is_runtime(text_file_name(path)) && all_placed(all))
		return 0;
	for (size_t i = 0; i < all->nseen; i++)
		if (all->seen[i].inode == file->st.st_ino &&
		    all->seen[i].device == file->st.st_dev) {
			all->has |= all->seen[i].has;
			return 0;
		}
	if (all->nseen == FILES_MAX) {
		all->has = true;
		return 0;
	}
	all->seen[all->nseen].device = file->st.st_dev;
	all->seen[all->nseen++].inode = file->st.st_ino;
	ret = symboliser_read_open(&module, file);
	if (!ret)
		ret = debug_spots(&text, all->words, all->bytes, path, file,
				  &module, true, &ns);
	if (ret == -ETIMEDOUT)
		command_warn("%s: %s", path, symboliser_error(ret));
	if (ret)
		return 0;
	if (all->nseen == 1 && !*text)
		debug_missing(all->bare, sizeof(all->bare), path, &module);
	for (uint32_t i = 0; i < all->n; i++) {
		all->of[i].library = all->nseen > 1 ? text_file_name(path) : "";
		before += all->of[i].places;
	}
	for (uint32_t i = 0; i < module.id_bytes; i++)
		sprintf(id + 2 * i, "%02x", module.id[i]);
	for (rest = text; (line = strsep(&rest, "\n"));) {
		if (sscanf(line, "rule\t%u", &of) == 1)
			continue;
		if (!strncmp(line, "split\t", 6))
			snprintf(all->split, sizeof(all->split), "%s",
				 strlen(line) < sizeof(all->split) ? line + 6 :
				 strchr(line, 0) - sizeof(all->split) + 1);
		else if (of < all->n)
			answer_take(&all->of[of], line, file, id);
	}
	for (uint32_t i = 0; i < all->n; i++) {
		place_close(&all->of[i]);
		places += all->of[i].places;
	}
	all->seen[all->nseen - 1].has = places > before;
	all->has |= places > before;
	free(text);
	return 0;
}

/* Says which values a rule lacks, and where it has no events. */
static void values_warn(const struct compiling *c,
			const struct line_rule *rule)
{
	const char *typed = rule->typed;

	if (*c->left_out)
		command_warn("rule '%s': at %s, %s have no value or no type of "
			     "a field: %s", typed, rule->where,
			     rule->parameters ? "parameters" : "members",
			     c->left_out);
	if (*c->cut)
		command_warn("rule '%s': at %s, an event has no room for %s%s: "
			     "name those that you want", typed, rule->where,
			     c->cut, strlen(c->cut) + 64 > sizeof(c->cut) ?
			     " and others" : "");
	if (c->too_long)
		command_warn("rule '%s': no events at %u of %u places of %s: "
			     "it records too much at once", typed, c->too_long,
			     c->places, rule->where);
	for (uint32_t i = 0; i < rule->n; i++)
		if (*c->lacks[i])
			command_warn("rule '%s': at %u of %u places of %s, %s",
				     typed, c->places - c->has[i], c->places,
				     rule->where, c->lacks[i]);
}

/* Says why a rule has no place. Returns a status. */
static int unplaced_tell(const struct compilings *all,
			 const struct compiling *c, const struct named_in *in,
			 line_nearest *nearest)
{
	const struct line_rule *rule = c->rule;
	const char *typed = rule->typed;
	const char *colon = strrchr(rule->where, ':');
	const char *plus = colon[1] == '+' ? "+" : "";
	int bytes = (int)(colon - rule->where);
	char names[NEAREST_BYTES], glob[WHERE_BYTES + 4];

	if (*all->split)
		return command_failed("rule '%s': the file with the debug "
				      "information is missing: %s", typed,
				      all->split);
	if (c->next) {
		snprintf(names, sizeof(names), ", the one before %s%ld", plus,
			 c->before);
		return command_failed("rule '%s': there is no code at that "
				      "line; the next one with code is %s%ld%s",
				      typed, plus, c->next,
				      c->before >= 0 ? names : "");
	}
	if (c->last >= 0)
		return command_failed("rule '%s': the last line of %.*s with "
				      "code is %s%ld", typed, bytes,
				      rule->where, plus, c->last);
	if (*all->bare)
		return command_failed("rule '%s': no file has debug information "
				      "for that %s, as -g makes it: %s", typed,
				      *plus ? "function" : "line", all->bare);
	if (c->has_no_function) {
		snprintf(glob, sizeof(glob), "fn:%.*s", bytes, rule->where);
		nearest(glob, in, names, sizeof(names));
		return command_failed("rule '%s': there is no function %s%s%s",
				      typed, glob + 3, *names ? "; nearest: " : "",
				      names);
	}
	if (!all->nseen)		/* what is missing is told later */
		return COMMAND_DONE;
	if (!c->sources.ids[0])
		return command_failed("rule '%s': no file has debug information "
				      "for that line, as -g makes it", typed);
	nearest_text(&c->sources, names, sizeof(names));
	return command_failed("rule '%s': no source with code is called %.*s; "
			      "nearest: %s", typed, bytes, rule->where, names);
}

/* Warns of places of a rule that may be others than those that are meant. */
static void places_warn(const struct compiling *c)
{
	const char *typed = c->rule->typed;

	if (*c->other && strrchr(c->rule->where, ':')[1] != '+')
		command_warn("rule '%s': lines of %s and of %s: with a folder, "
			     "as in FOLDER/FILE.c:LINE, it means one", typed,
			     c->source, c->other);
	if (*c->which)
		command_warn("rule '%s': all functions of the name: %s; %s, it "
			     "means one", typed, c->which,
			     strchr(c->which, '(') ?
				     "with parameters, as in 'NAME(int)':+LINES" :
				     "as FILE.c:LINE");
	if (c->newer)
		command_warn("rule '%s': %s is newer than the program, where "
			     "the line may be another one", typed, c->source);
}

/* Says why a rule cannot be had, or that it lacks values in some places.
 * Returns a status. */
static int rule_tell(const struct compilings *all, const struct compiling *c,
		     const struct named_in *in, line_nearest *nearest)
{
	const struct line_rule *rule = c->rule;
	const char *typed = rule->typed;
	char *made;

	if (c->unnamed && !rule->text)
		return command_failed("rule '%s': the file with the line has no "
				      "build id: link it with "
				      "-Wl,--build-id", typed);
	if (!c->places)
		return unplaced_tell(all, c, in, nearest);
	if (!all->nseen)
		return COMMAND_DONE;
	if (c->too_long && !rule->text)
		return command_failed("rule '%s': it records too much at once",
				      typed);
	for (uint32_t i = 0; i < rule->n; i++)
		if (!c->has[i] && *c->lacks[i])
			return command_failed("rule '%s': at %s, %s", typed,
					      rule->where, c->lacks[i]);
	/* not of a name that was made for a field */
	if (rule->text && !c->fits && *c->perhaps &&
	    asprintf(&made, "\"%.*s_", (int)strcspn(c->perhaps, " "),
		     c->perhaps) >= 0 && strstr(c->fault.fact, made))
		return command_failed("rule '%s': in its condition, %s", typed,
				      c->perhaps);
	/* in the condition as typed, not in `made`, which has fields */
	if (rule->text && !c->fits)
		return command_failed("rule '%s': condition '%s', column %u: "
				      "%s%s%s", typed, typed + rule->columns[0],
				      rule->columns[c->fault.column - 1] -
					      rule->columns[0] + 1u,
				      c->fault.fact,
				      *c->perhaps ? "; " : "", c->perhaps);
	places_warn(c);
	values_warn(c, rule);
	return COMMAND_DONE;
}

/* Adds the question for a rule to the request. Returns false if it has no room
 * for that. */
static bool rule_ask(struct compilings *all, const struct line_rule *rule)
{
	size_t at = all->bytes, room;
	char *words = all->words;
	bool simple;

	for (uint32_t i = 0; i <= rule->n; i++) {
		const char *word = i ? rule->expressions[i - 1] : rule->where;

		room = sizeof(all->words) - at;
		if (strlen(word) + 3 > room)
			return false;
		if (!i && at)
			words[at++] = SYMBOLISER_QUESTION;
		if (i > rule->wanted && !*expression_chain(word, &simple) &&
		    simple)
			words[at++] = OPTIONAL;
		at += (size_t)sprintf(words + at, "%s", word) + 1;
	}
	if (rule->parameters)
		words[at++] = '\0';
	all->bytes = at;
	return true;
}

int line_rules_compile(const char *const *wanted, int count,
		       const struct named_in *in, line_nearest *nearest)
{
	static struct compilings all;
	int status = COMMAND_DONE;
	const char *name;
	int lines = 0;
	uint32_t k;

	all.n = 0;
	all.bytes = all.nseen = 0;
	*all.split = *all.bare = '\0';
	free(all.of);
	all.of = calloc((size_t)count + 1, sizeof(*all.of));
	for (int i = 0; all.of && i < count; i++) {
		struct line_rule *rule = rule_kind(wanted[i]) == RULE_LINE ?
						 line_rule_find(wanted[i]) :
						 NULL;

		/* one may be there twice */
		for (k = 0; rule && k < all.n && all.of[k].rule != rule; k++)
			continue;
		lines += rule != NULL;
		if (!rule || k < all.n)
			continue;
		if (!in->npids && !in->program)
			return command_failed("rule '%s': lines are looked up "
					      "in the files of processes, and "
					      "none of yours runs: 'start "
					      "--all' and 'enable' take "
					      "--program FILE",
					      rule->typed);
		if (!rule_ask(&all, rule))
			return command_failed("rule '%s' is too long",
					      rule->typed);
		name = text_file_name(rule->where);
		all.of[all.n].before = all.of[all.n].last = -1;
		all.of[all.n].named =
			!rule->format && rule->n &&
			line_rule_names(rule, all.of[all.n].names);
		all.of[all.n].sources.rule = strndup(name, strcspn(name, ":"));
		all.of[all.n++].rule = rule;
		free(rule->text);
		rule->text = NULL;
	}
	if (!all.n)
		return COMMAND_DONE;
	for (size_t i = 0; i < in->npids; i++) {
		all.has = false;
		if (!process_each_file(in->pids[i], file_compile, &all) &&
		    in->given && in->npids > 1 && lines == count && !all.has)
			command_lack("process %d has none of the lines that "
				     "the rules name", (int)in->pids[i]);
	}
	if (in->program)
		files_of_program(in->program, file_compile, &all);
	for (uint32_t i = 0; i < all.n && !status; i++)
		status = rule_tell(&all, &all.of[i], in, nearest);
	return status;
}
