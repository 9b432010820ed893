/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules as they are typed. See rule.h.
 *
 * Invariant: a rule that passes fits into one line of a request, and means the
 * same to the agent, which uses the same matcher.
 */
#include "command/agents/rule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "command/agents/client.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/duration.h"
#include "command/common/nearest.h"
#include "command/elf/line-rules.h"
#include "command/elf/markers.h"
#include "command/elf/named-functions.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/sites/registry.h"

#define LEVEL_BYTES	16

#define RULE_FORMS \
	"a line is FILE.c:LINE or FUNCTION:+LINES, a function fn:NAME"

static const char other_character[] =
	"it has a character that no marker's id has";

/* Tells whether a rule for markers is like one for a line: a number stands
 * behind the last ':', as "36" of "sell:36", or a '.' as of "shop.c". */
static bool is_like_line(const char *rule, size_t bytes)
{
	const char *end = rule + bytes, *p = end;
	const char *dot = memchr(rule, '.', bytes);

	while (p > rule && isdigit((unsigned char)p[-1]))
		p--;
	return (p < end && p > rule && strchr(":/", p[-1])) ||
	       (dot && isalpha((unsigned char)dot[1]));
}

int rule_check(const char *rule, const char **why)
{
	static char fact[200], quoted[QUOTED_BYTES];
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	struct expr_error error;
	struct rule_types types;
	const char *end;

	*why = !bytes ? "it is empty" : rule_unknown(rule);
	if (*why && !strcmp(*why, RULE_QUOTED)) {
		function_quoted(quoted, sizeof(quoted), rule);
		*why = quoted;
	}
	if (!*why && bytes > RULE_BYTES_MAX)
		*why = "it is too long";
	for (size_t i = 0; !*why && i < bytes; i++)
		if (iscntrl((unsigned char)rule[i]) || rule[i] == ';')
			*why = other_character;
	if (!*why && rule_types(rule, &types, &end))
		*why = rule_kind(rule) == RULE_FUNCTIONS ?
			       "types must be like (str,,str:4), without "
			       "blanks: for each argument str, str:N (argument "
			       "N has its length), int or nothing; a name of "
			       "C++ with its parameters stands in quotes, "
			       "fn:'f(long)'" :
			is_like_line(rule, bytes) ? RULE_FORMS :
			       "types must be like (str,,str:4), without "
			       "blanks: for each argument str, str:N (argument "
			       "N has its length), int or nothing";
	if (!*why && !condition && *end)
		*why = isblank((unsigned char)*end) ?
			       "behind a blank only 'if' and a condition may "
			       "follow, as in '* if n > 3'" :
		       !strncmp(end, "%entry", 6) ||
				       !strncmp(end, RULE_RETURN, 7) ?
			       "types stand last: fn:NAME%entry(str)" :
			       other_character;
	for (const char *p = condition; !*why && p && *p; p++)
		if (iscntrl((unsigned char)*p))
			*why = "its condition has a control character";
	if (!*why && condition && strlen(condition) > RULE_CONDITION_MAX)
		*why = "its condition is too long";
	/* the column counts in the whole rule, as typed */
	if (!*why && condition && expr_check(condition, &error)) {
		snprintf(fact, sizeof(fact), "column %zu: %s",
			 line_rule_column(rule, (size_t)(condition - rule) +
							error.column),
			 error.fact);
		*why = fact;
	}
	return *why ? -EINVAL : 0;
}

void rule_list(char *text, size_t room, const char *rule)
{
	static const char more[] = ", ...";
	size_t used = strlen(text);
	/* quotes, a comma and a blank */
	bool fits = used + strlen(rule) + 4 + sizeof(more) <= room;

	if (fits)
		snprintf(text + used, room - used, "%s'%s'", used ? ", " : "",
			 rule);
	else if (used && text[used - 1] != '.')
		snprintf(text + used, room - used, "%s", more);
}

bool rule_matches(const char *rule, const char *id, const char *file)
{
	char glob[RULE_BYTES_MAX + 1], module[MODULE_PATH_BYTES] = "";
	size_t bytes;

	rule_condition(rule, &bytes);
	if (bytes >= sizeof(glob))
		return false;
	memcpy(glob, rule, bytes);
	glob[bytes] = '\0';
	rule_unify(glob);
	if (rule_kind(glob) == RULE_LINE)
		return !strncmp(id, "line/", 5) && !strcmp(id + 5, glob);
	if (rule_kind(glob) != RULE_FUNCTIONS)
		return glob_match_cut(glob, id, OBJECT_ID_MOST);
	if (file)
		snprintf(module, sizeof(module), "%.*s",
			 (int)strcspn(file, "/"), file);
	return !strncmp(id, "fn/", 3) &&
	       rule_names_function(glob, *module ? module : NULL, id + 3);
}

/* Returns a rule without "line:" before it, as traces call the event, or
 * "line/", as list prints it. */
static const char *line_bare(const char *rule)
{
	bool before = !strncmp(rule, "line", 4) && rule[4] &&
		      strchr(":/", rule[4]) && rule_kind(rule + 5) == RULE_LINE;

	return rule + (before ? 5 : 0);
}

/* Returns the fault of a rule for a half of a function's calls whose condition
 * reads facts of whole calls, or NULL. */
static const char *half_fault(const char *rule)
{
	char glob[RULE_BYTES_MAX + 1];
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);

	snprintf(glob, sizeof(glob), "%.*s", (int)bytes, rule);
	if (!condition || rule_kind(rule) != RULE_FUNCTIONS ||
	    !rule_names_half(glob) ||
	    !(expr_names(condition, "duration") ||
	      expr_names(condition, "depth")))
		return NULL;
	return "duration and depth are of whole calls, which have an event "
	       "each: leave out '%entry' or '%return'";
}

int rule_take_where(const char **rule)
{
	const char *bare = line_bare(*rule);

	if (!line_rule_made(bare))
		return rule_take(rule);
	*rule = bare;
	return COMMAND_DONE;
}

int rule_take(const char **rule)
{
	const char *why, *typed = *rule;
	char *copy;

	*rule = line_bare(*rule);
	if (!strncmp(*rule, "fn:", 3) && rule_kind(*rule + 3) == RULE_LINE)
		return command_misused("rule '%s': a line has no 'fn:' before "
				       "it: '%s'", typed, typed + 3);
	if (rule_kind(*rule) == RULE_LINE && (why = line_rule_take(rule)))
		return command_misused("rule '%s': %s", typed, why);
	if (rule_check(*rule, &why) || (why = half_fault(*rule)))
		return command_misused("rule '%s': %s", typed, why);
	copy = strdup(*rule);
	if (!copy)
		return cause_report(OUT_OF_MEMORY);
	rule_unify(copy);
	/* as agents see it, it may be of another kind */
	if (rule_check(copy, &why))
		return command_misused("rule '%s': %s", *rule, why);
	if (strcmp(copy, *rule))
		*rule = copy;
	else
		free(copy);
	return COMMAND_DONE;
}

void rule_request(struct client_request *request, const char *const *rules,
		  int count)
{
	const char *p, *key, *end;

	for (int i = 0; i < count; i++) {
		for (p = line_rule_text(rules[i]); *p; p = end + 1) {
			key = p + strcspn(p, "=");
			end = p + strcspn(p, "\n");
			client_request_add(request, *p == 's' ? "spot" : "field",
					   "%.*s", (int)(end - key - 1),
					   key + 1);
		}
		client_request_add(request, "rule", "%s", rules[i]);
	}
}

/* Returns the level that a word names, or LEVEL_NONE. */
static int level_find(const char *word)
{
	static const char lttng[] = "trace_";
	unsigned long number;
	char *end;

	number = strtoul(word, &end, 10);
	if (isdigit((unsigned char)*word) && !*end && number <= LEVEL_MAX)
		return (int)number;
	if (!strncasecmp(word, lttng, strlen(lttng)))
		word += strlen(lttng);
	for (int level = 0; level <= LEVEL_MAX; level++)
		if (!strcasecmp(word, level_word(level)))
			return level;
	return LEVEL_NONE;
}

/* Writes "; nearest: warning" for a word that is like a level, else "". Returns
 * `hint`. */
static const char *level_nearest(const char *word,
				 char hint[LEVEL_BYTES + 16])
{
	struct nearest nearest = { .rule = word };
	const char *near = NULL;

	for (int i = 0; i <= LEVEL_MAX; i++) {
		nearest_add(&nearest, level_word(i));
		if (!near && *word && !strncasecmp(word, level_word(i),
						   strlen(word)))
			near = level_word(i);
	}
	if (!near && 2 * nearest.distances[0] <= strlen(word))
		near = nearest.ids[0];
	snprintf(hint, LEVEL_BYTES + 16, "%s%.15s", near ? "; nearest: " : "",
		 near ?: "");
	return hint;
}

int rule_take_level(const char **test, const char *value)
{
	bool one = *value == '=';
	int level = level_find(value + one);
	char hint[LEVEL_BYTES + 16], *text;

	if (level == LEVEL_NONE)
		return command_misused("'%s' is no level%s: give one from emerg "
				       "to debug, as in taffrail_marker(3), or "
				       "=LEVEL for that one alone",
				       value + one, level_nearest(value + one,
								  hint));
	if (asprintf(&text, "$level %s %s", one ? "==" : "<=",
		     level_word(level)) < 0)
		return cause_report(OUT_OF_MEMORY);
	*test = text;
	return COMMAND_DONE;
}

int rule_limit(const char **rules, int *count, const char *option,
	       const char *test)
{
	const char *condition, *why;
	int status = COMMAND_DONE;
	char *text;
	size_t bytes;

	if (!*count)
		rules[(*count)++] = "*";
	for (int i = 0; i < *count && !status; i++) {
		const char *end = rules[i];
		struct rule_types types;

		condition = rule_condition(rules[i], &bytes);
		rule_types(rules[i], &types, &end);
		if (asprintf(&text, condition ? "%.*s if %s && (%s)" :
			     "%.*s if %s", (int)(end - rules[i]), rules[i],
			     test, condition) < 0)
			return cause_report(OUT_OF_MEMORY);
		if (rule_check(text, &why))
			status = command_misused("rule '%s': with --%s, %s",
						 rules[i], option, why);
		rules[i] = text;
	}
	return status;
}

int rule_take_functions(struct rule_calls *calls, const char *value, int typed)
{
	const char *rule = value, *side;
	char *text;
	size_t bytes;

	rule_condition(value, &bytes);
	side = memrchr(value, '%', bytes);
	bytes -= side ? (size_t)(side - value) : bytes;
	if ((bytes == 6 && !strncmp(side, "%entry", 6)) ||
	    (bytes == 7 && !strncmp(side, RULE_RETURN, 7)))
		return command_misused("--functions '%s': it records whole "
				       "calls, an event each: leave out "
				       "'%.*s'; -e 'fn:...%.*s' records that "
				       "side alone", value, (int)bytes, side,
				       (int)bytes, side);
	if (calls->count == RULE_CALLS_MAX)
		return command_misused("more than %d times --functions",
				       RULE_CALLS_MAX);
	if (rule_kind(rule) != RULE_FUNCTIONS) {
		if (asprintf(&text, "fn:%s", value) < 0)
			return cause_report(OUT_OF_MEMORY);
		rule = text;
	}
	calls->behind[calls->count] = typed;
	calls->rules[calls->count++] = rule;
	return rule_take(&calls->rules[calls->count - 1]);
}

int rule_take_depth(struct rule_calls *calls, const char *value)
{
	char *end;

	calls->depth = strtoul(value, &end, 10);
	return isdigit((unsigned char)*value) && !*end && calls->depth &&
			       calls->depth <= UINT32_MAX ?
		       COMMAND_DONE :
		       command_misused("--depth '%s': give a number from 1 on",
				       value);
}

int rule_take_min_time(struct rule_calls *calls, const char *value)
{
	/* a number alone is seconds here, and ns in a condition */
	return duration_parse(&calls->min_ns, value) || calls->min_ns <= 0 ||
			       !isalpha((unsigned char)
					value[strlen(value) - 1]) ?
		       command_misused("--min-time '%s': give a time of more "
				       "than 0 with its unit, ns, us, ms, s, "
				       "min or h, as in 0.5s, 10ms or 50us",
				       value) :
		       COMMAND_DONE;
}

int rule_add_calls(struct rule_calls *calls, const char **rules, int *count,
		   int most)
{
	char *test, depth[40] = "";
	int status;

	if (!calls->count)
		return calls->min_ns || calls->depth ?
			       command_misused("--depth and --min-time are for "
					       "--functions") :
			       COMMAND_DONE;
	if (*count + calls->count > most)
		return command_misused("more than %d rules", most);
	if (calls->depth)
		snprintf(depth, sizeof(depth), " && depth <= %lu",
			 calls->depth);
	if (asprintf(&test, "duration >= %lldns%s", (long long)calls->min_ns,
		     depth) < 0)
		return cause_report(OUT_OF_MEMORY);
	status = rule_limit(calls->rules, &calls->count, "functions", test);
	/* the last rule decides, so each stands where it was typed */
	for (int i = calls->count, left = *count; i > 0;)
		if (left > calls->behind[i - 1])
			left--, rules[left + i] = rules[left];
		else
			i--, rules[left + i] = calls->rules[i];
	*count += calls->count;
	return status;
}

enum rule_fit rule_fit(const char *rule, const struct rule_marker *marker)
{
	uint8_t code[EXPR_CODE_BYTES(RULE_CONDITION_MAX)];
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	uint8_t types[TAFFRAIL_FIELDS_MAX] = { 0 };
	struct expr_fields fields = {
		names, types, marker->nfields,
		{ marker->shown, marker->shown + marker->shown_bytes },
		marker->id, false, NULL, 0,
	};
	struct expr_error error;
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	int ret;

	if (!condition || marker->nfields > TAFFRAIL_FIELDS_MAX ||
	    fields_parse(marker->text, marker->kind, (int)marker->nfields,
			 names))
		return RULE_FITS;
	memcpy(types, marker->types, marker->nfields);
	fields.n = shown_unwritten(&fields.shown, names, types, fields.n);
	ret = expr_compile(condition, &fields, code, sizeof(code), &error);
	if (ret < 0)
		return RULE_MISFITS;
	/* a constant 0, as condition_make() knows it */
	return ret == 3 && code[0] == AX_CONST8 && !code[1] ? RULE_NEVER :
							      RULE_FITS;
}

void rule_add_nearest(const char *rule, const struct marker_list *list,
		      char *fault, size_t room)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	char wanted[64], best[sizeof(names->name)] = "";
	const char *at = strstr(fault, "no field \"");
	size_t used = strlen(fault), least;

	if (!at || sscanf(at, "no field \"%63[^\"]\"", wanted) != 1)
		return;
	least = strlen(wanted) / 2 + 1;
	for (size_t i = 0; i < list->count; i++) {
		const struct marker *m = &list->markers[i];
		int n = m->nfields;

		if (!rule_matches(rule, m->id, m->module) ||
		    n > TAFFRAIL_FIELDS_MAX ||
		    fields_parse(m->text, m->kind, n, names))
			continue;
		while (n--) {
			size_t far = nearest_distance(wanted, names[n].name);

			if (far >= least)
				continue;
			least = far;
			strcpy(best, names[n].name);
		}
	}
	if (*best && !strstr(at, best))
		snprintf(fault + used, room - used, "; another marker has %s",
			 best);
}

void rule_tell_never(const char *rule, char *glob, char *text, size_t room)
{
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	char level[LEVEL_BYTES];
	int end = 0;

	snprintf(glob, RULE_BYTES_MAX + 1, "%.*s", (int)bytes, rule);
	if (sscanf(condition, "$level <= %15[a-z_]%n", level, &end) == 1 &&
	    !condition[end])
		snprintf(text, room, "has the level %s or a more severe one",
			 level);
	else if (sscanf(condition, "$level == %15[a-z_]%n", level, &end) == 1 &&
		 !condition[end])
		snprintf(text, room, "has the level %s", level);
	else
		snprintf(text, room, "can meet the condition '%s'", condition);
}

bool rule_leaves_functions(const char *rule, char *glob, char *text,
			   size_t room)
{
	const struct rule_marker function = {
		"fn/f", "cfa", TAFFRAIL_KIND_EVENT,
		(const uint8_t[]){ TAFFRAIL_T_PTR }, 1, NULL, 0,
	};
	char first[RULE_BYTES_MAX + RULE_CONDITION_MAX + 8];
	const char *condition;
	size_t bytes, used;
	char *more;

	if (rule_kind(rule) != RULE_FUNCTIONS)
		return false;
	/* of several tests, the first one is that of --level */
	snprintf(first, sizeof(first), "%s", rule);
	more = strstr(first, " && ");
	if (more)
		*more = '\0';
	condition = rule_condition(first, &bytes);
	if (!condition || !strstr(condition, "level") ||
	    rule_fit(first, &function) != RULE_NEVER)
		return false;
	rule_tell_never(rule, glob, text, room);
	used = strlen(text);
	snprintf(text + used, room - used, ": functions have debug_line");
	return true;
}

bool rule_names_provider(const char *rule)
{
	return !strchr("*?[", *rule);
}

const char *rule_hint(const char *rule, const char *nearest)
{
	static const char pthread[] = "pthread/";
	size_t bytes;
	const char *condition = rule_condition(rule, &bytes);
	const char *comma = strchr(rule, ',');

	if (comma && (!condition || comma < condition))
		return "; rules in a list: give each its own -e";
	/* "fn/NAME" is as list prints it */
	if (is_like_line(rule, bytes) || !strncmp(rule, "fn/", 3) ||
	    (!*nearest && strcspn(rule, "/*?[") >= bytes))
		return "; " RULE_FORMS;
	return !strncmp(rule, pthread, strlen(pthread)) &&
			       !strstr(nearest, pthread) ?
		       "; taffrail record --provider pthread adds those of "
		       "threads and locks" : "";
}
