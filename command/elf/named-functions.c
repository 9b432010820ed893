/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts and finds the functions that rules name. See named-functions.h.
 */
#include "command/elf/named-functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/glob.h"
#include "base/text.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/monotonic.h"
#include "command/common/nearest.h"
#include "command/elf/call-types-private.h"
#include "command/elf/line-rules.h"
#include "command/elf/program-functions.h"
#include "command/procfs/process.h"
#include "command/procfs/threads.h"
#include "tracepoints/conditions/rule-split.h"

#define FUNCTIONS_MOST	1000	/* that are taken unasked */

/* Events in a second of a CPU, in millions: of all functions, the most of
 * docs/functions.md, "How often". */
#define UNTRACED_RATE	350.0	/* in a second that the program runs untraced */
#define TRACED_RATE	30.0	/* in a second of a thread that is traced */
#define SAMPLE_US	100000
#define GLOB_BYTES	256
#define RATE_BYTES	128
#define ID_BYTES	3	/* "fn/", before a function's name */

/* Calls `take` for the modules of one of the processes, or of the program, or
 * for the files; with `wanted`, for those that it wants. */
static int each_module(const struct named_in *in, size_t i,
		       process_wanted *wanted, functions_take *take, void *arg)
{
	return in->npids   ? functions_of_process(in->pids[i], 0, wanted, take,
						  arg) :
	       in->program ? functions_of_program(in->program, 0, wanted, take,
						  arg) :
			     functions_of_files(in->files, in->nfiles, wanted,
						take, arg);
}

/* The functions of a process that rules name. */
struct named {
	const char *const *rules;
	int nrules;
	size_t count;
	uint64_t formers;		/* bit I: rule I names one, as told */
	uint64_t copied;		/* the same of one with copies */
};

/* Copies the glob of a rule for functions; returns false for other rules. */
static bool glob_of(char glob[GLOB_BYTES], const char *rule)
{
	size_t bytes;

	rule_condition(rule, &bytes);
	snprintf(glob, GLOB_BYTES, "%.*s", (int)bytes, rule);
	return rule_kind(rule) == RULE_FUNCTIONS;
}

/* Tells whether a rule may name a function of a module: libc, with thousands of
 * them, seldom is one. The name of a library is known when it is read, so rules
 * with a module read all. */
static bool is_named(const char *path, void *arg)
{
	bool any = !rule_is_runtime(text_file_name(path));
	const struct named *named = arg;
	char glob[GLOB_BYTES];

	for (int r = 0; r < named->nrules && !any; r++)
		any = glob_of(glob, named->rules[r]) && rule_has_module(glob);
	return any;
}

/* Says which rule names one function alone, and that one is older than the
 * IFUNC of the name. Without a '/', no rule names one of libc's. */
static void find_formers(struct named *named, const char *module,
			 const struct marker_list *functions)
{
	const char *name, *part;
	char glob[GLOB_BYTES];

	for (size_t i = 0; i < functions->count; i++) {
		name = functions->markers[i].id + ID_BYTES;
		for (int r = 0; functions->markers[i].former &&
				r < named->nrules; r++) {
			part = glob_of(glob, named->rules[r]) ?
				       strrchr(glob, '/') : NULL;
			if (!part || strpbrk(part, "*?[") ||
			    named->formers >> r % 64 & 1)
				continue;
			glob[strcspn(glob, "%")] = '\0';
			if (!rule_names_function(glob, module, name))
				continue;
			named->formers |= 1ull << r % 64;
			command_warn("rule '%s': it means an old %s of %.*s, "
				     "which new programs do not call; an IFUNC "
				     "chooses theirs at start, among "
				     "%.*s/*%s*", named->rules[r], name,
				     (int)strcspn(module, RULE_OR), module,
				     (int)(part - glob), glob, name);
		}
	}
}

/* Returns where the end of the name of a copy that gcc has made of a function
 * begins, as ".constprop.0"; or NULL. */
static const char *copy_end(const char *name)
{
	const char *end = strchr(name, '.');

	return end && (text_after(end, ".constprop.") ||
		       text_after(end, ".isra.") ||
		       text_after(end, ".part.")) ? end : NULL;
}

/* Tells whether one of the functions has this name. */
static bool is_there(const struct marker_list *functions, const char *name)
{
	size_t i = 0;

	while (i < functions->count &&
	       strcmp(functions->markers[i].id + ID_BYTES, name))
		i++;
	return i < functions->count;
}

/* Says which rule names one function alone, and not the copies of it. */
static void find_copies(struct named *named, const char *module,
			const struct marker_list *functions)
{
	char glob[GLOB_BYTES], own[FUNCTION_ID_BYTES];
	const char *name, *end;

	for (size_t i = 0; i < functions->count; i++) {
		name = functions->markers[i].id + ID_BYTES;
		end = copy_end(name);
		if (!end || end - name >= (int)sizeof(own))
			continue;
		snprintf(own, sizeof(own), "%.*s", (int)(end - name), name);
		for (int r = 0; r < named->nrules; r++) {
			if (named->copied >> r % 64 & 1 ||
			    !glob_of(glob, named->rules[r]) ||
			    strpbrk(glob, "*?["))
				continue;
			glob[strcspn(glob, "%")] = '\0';
			if (!rule_names_function(glob, module, own) ||
			    rule_names_function(glob, module, name) ||
			    !is_there(functions, own))
				continue;
			named->copied |= 1ull << r % 64;
			command_warn("rule '%s': calls may be those of a copy "
				     "that the compiler has made: 'fn:%s.*' "
				     "names %s, too", named->rules[r], own,
				     name);
		}
	}
}

/* Tells whether the agent leaves a function out for the symbol's length. */
static bool is_long(const struct marker *m)
{
	return strlen(m->id) > ID_BYTES + FUNCTION_SYMBOL_MOST;
}

/* Counts the functions of a module; names of one address count once. */
static int count_module(const char *path, const char *module,
			struct marker_list *functions, void *arg)
{
	struct named *named = arg;
	char glob[GLOB_BYTES], name[FUNCTION_NAME_BYTES];
	char returns[sizeof(name) + sizeof(RULE_RETURN)];
	uint64_t last = UINT64_MAX;

	find_formers(named, module, functions);
	find_copies(named, module, functions);
	for (size_t i = 0; i < functions->count; i++) {
		const struct marker *m = &functions->markers[i];
		bool wanted = false;

		if (is_long(m))
			continue;
		for (int k = 0; m->address != last && !wanted &&
				function_name(name, m, k); k++) {
			snprintf(returns, sizeof(returns), "%s%s", name,
				 RULE_RETURN);
			for (int r = 0; r < named->nrules && !wanted; r++)
				wanted = glob_of(glob, named->rules[r]) &&
					 (rule_names_function(glob, module,
							      name) ||
					  rule_names_function(glob, module,
							      returns));
		}
		if (!wanted)
			continue;
		last = m->address;
		named->count++;
	}
	return 0;
}

void function_quoted(char *text, size_t room, const char *rule)
{
	size_t bytes, n, in;
	const char *lead, *end = rule, *name = rule + strlen("fn:");
	char list[64] = "";

	rule_condition(rule, &bytes);
	end += bytes;
	n = strcspn(name, "/:");
	name += name[n] == '/' && name + n + 1 < end ? n + 1 : 0;
	lead = memchr(name, '%', (size_t)(end - name)) ?: end;
	in = 0;
	for (const char *p = end; *p && in < sizeof(list) - 3; p++) {
		list[in++] = *p;
		if (*p == ',')
			list[in++] = ' ';
		if (*p == ')')
			break;
	}
	list[in] = '\0';
	snprintf(text, room, "types of arguments, or parameters of C++? "
		 "%.*s'%.*s%s'%.*s means the function with these parameters, "
		 "%.*s'%.*s'%.*s%.*s each of that name, whose arguments are "
		 "numbers", (int)(name - rule), rule, (int)(lead - name), name,
		 list, (int)(end - lead), lead, (int)(name - rule), rule,
		 (int)(lead - name), name, (int)(end - lead), lead,
		 (int)strcspn(end, ")") + 1, end);
}

static int quoted_misused(const char *rule)
{
	char text[QUOTED_BYTES];

	function_quoted(text, sizeof(text), rule);
	return command_misused("rule '%s': %s", rule, text);
}

/* Says which rule may mean types or parameters of a function of C++. */
static int find_parameters(const char *path, const char *module,
			   struct marker_list *functions, void *arg)
{
	const struct named *named = arg;
	char glob[GLOB_BYTES];
	const char *name;

	for (size_t i = 0; i < functions->count; i++) {
		name = functions->markers[i].id + ID_BYTES;
		for (int r = 0; r < named->nrules && *name == '_'; r++)
			if (rule_has_parameters(named->rules[r]) &&
			    glob_of(glob, named->rules[r]) &&
			    rule_names_function(glob, module, name) &&
			    strchr(rule_shown_name(name), '('))
				return quoted_misused(named->rules[r]);
	}
	return 0;
}

/* Returns for how long a process has used CPUs, in ns; in *threads how many
 * threads it has. */
static uint64_t cpu_used(pid_t pid, uint32_t *threads)
{
	DIR *list = threads_open(pid);
	uint64_t used = 0;
	char text[64];
	pid_t tid;

	for (*threads = 0; (tid = threads_next(list)); ++*threads)
		if (process_text(pid, tid, "schedstat", text, sizeof(text)) > 0)
			used += strtoull(text, NULL, 10);
	threads_close(list);
	return used;
}

/* Says how many events a second there may be: `pid` 0 is a program that has not
 * begun. */
static void rate_say(pid_t pid, char text[RATE_BYTES])
{
	uint32_t threads, cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t start = monotonic_ns(), used;
	double busy, rate;

	if (!pid) {
		snprintf(text, RATE_BYTES,
			 "a thread that computes makes up to some %.0f million",
			 TRACED_RATE);
		return;
	}
	used = cpu_used(pid, &threads);
	usleep(SAMPLE_US);
	/* the time of a thread that ended is missing */
	busy = (double)(int64_t)(cpu_used(pid, &threads) - used) /
	       (double)(monotonic_ns() - start);
	busy = busy > 0 ? busy : 0;
	rate = TRACED_RATE * (threads < cpus ? threads : cpus);
	rate = rate < UNTRACED_RATE * busy ? rate : UNTRACED_RATE * busy;
	snprintf(text, RATE_BYTES,
		 "it uses %.*f CPUs, which makes up to some %.*f million",
		 busy < 0.1 ? 3 : 1, busy, rate < 1 ? 1 : 0, rate);
}

/* Asks on the terminal, and reads one line, byte by byte: later lines are the
 * program's. */
static bool is_agreed(const struct cause *cause)
{
	char line[CAUSE_LINE_BYTES], c, first = 0;

	command_warn("%s", cause_fact(cause, line));
	fputs("Trace them? [y/N] ", stderr);
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		first = first ? first : c;
	return first == 'y' || first == 'Y';
}

/* Returns the name, which is `name`, if a condition compares it with a number
 * that has a sign, or with 0 by its order; or NULL. */
static const char *sign_needed(const char *condition, const char *name)
{
	const char *p = condition;
	char compared[3];
	long number;

	while ((p = strstr(p, name))) {
		p += strlen(name);
		if (sscanf(p, " %2[<>=!] %li", compared, &number) == 2 &&
		    (number < 0 || (!number && !strchr("=!", *compared))))
			return name;
	}
	return NULL;
}

/* Tells whether a rule is for libc, whose prototypes the agent knows; one for
 * libcrypto is not. */
static bool rule_is_of_libc(const char *rule)
{
	static const char libc[] = "fn:libc";

	return !strncmp(rule, libc, strlen(libc)) &&
	       strchr("/.", rule[strlen(libc)]);
}

const char *functions_signed(const char *rule, bool arguments)
{
	static const char *const names[] = { "value", "arg1", "arg2", "arg3",
					     "arg4", "arg5", "arg6" };
	size_t bytes, i = arguments ? 1 : 0;
	size_t end = arguments ? sizeof(names) / sizeof(*names) : 1;
	const char *condition = rule_condition(rule, &bytes), *name = NULL;

	if (!condition || rule_kind(rule) != RULE_FUNCTIONS ||
	    rule_is_of_libc(rule))
		return NULL;
	while (!name && i < end)
		name = sign_needed(condition, names[i++]);
	return name;
}

/* Says that a result or an argument without a type has no sign, if the
 * condition of a rule needs one: an int fills half of the register. */
static void tell_unsigned(const char *rule)
{
	const char *name = NULL;

	if (!*line_rule_text(rule))
		name = functions_signed(rule, false);
	if (!name)
		name = functions_signed(rule, true);
	if (name)
		cause_report(VALUE_UNSIGNED, .subject = rule, .text = name);
}

int functions_consent(const char *const *rules, int count,
		      const struct named_in *in, bool yes)
{
	struct named named = { rules, count, 0, 0, 0 };
	const char *first = NULL;
	int status = line_rules_compile(rules, count, in, functions_nearest);
	char where[CAUSE_PATH_BYTES], text[CAUSE_TEXT_BYTES], rate[RATE_BYTES];
	struct cause cause;
	bool parameters = false, alone;
	int n = 0, ret;

	for (int i = count; i-- > 0;)
		if (rule_kind(rules[i]) == RULE_FUNCTIONS) {
			first = rules[i];
			parameters |= rule_has_parameters(first);
			n++;
		}
	/* a process may be gone */
	for (size_t i = 0; parameters && status <= 0 &&
			   i < in->npids + !in->npids; i++)
		status = each_module(in, i, is_named, find_parameters,
				     &named);
	status = status > 0 ? status : COMMAND_DONE;
	if (status)
		return status;
	alone = in->given && in->npids > 1 && n == count;
	for (size_t i = 0; n && i < in->npids + !in->npids; i++) {
		named.count = 0;
		ret = each_module(in, i, is_named, count_module, &named);
		if (alone && !ret && !named.count)
			command_lack("process %d has none of the functions "
				     "that the rules name", (int)in->pids[i]);
		if (yes || named.count <= FUNCTIONS_MOST)
			continue;
		snprintf(text, sizeof(text), n > 1 ? "'%s', ..." : "'%s'",
			 first);
		if (in->npids)
			snprintf(where, sizeof(where), "process %d",
				 in->pids[i]);
		else
			snprintf(where, sizeof(where), "%s and its libraries",
				 in->program);
		rate_say(in->npids ? in->pids[i] : 0, rate);
		cause_set(&cause, 0, FUNCTIONS_MANY, .text = rate,
			  .subject = text, .n = (int64_t)named.count,
			  .path = where);
		if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
			return cause_tell(&cause);
		return is_agreed(&cause) ? COMMAND_DONE : COMMAND_FAILED;
	}
	if (n)
		call_types_compile(rules, count, in);
	for (int i = 0; i < count; i++)
		tell_unsigned(rules[i]);
	return COMMAND_DONE;
}

bool functions_named(const char *rule, const struct named_in *in)
{
	/* functions_consent() has told of older ones */
	struct named named = { &rule, 1, 0, UINT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < in->npids + !in->npids && !named.count; i++)
		each_module(in, i, is_named, count_module, &named);
	return named.count;
}

bool functions_never_whole(const char *rule, const struct named_in *in)
{
	size_t bytes;

	return condition_is_whole(rule_condition(rule, &bytes)) &&
	       functions_named(rule, in);
}

/* The search for names that a rule may mean. */
struct search {
	const char *module;		/* a glob, or NULL */
	bool found;			/* a module that it names */
	bool chosen;			/* the name may be that of an IFUNC */
	size_t longs;			/* it names, with symbols that are too
					 * long */
	const char *glob;		/* behind "fn:", if there is no module */
	char runtime[GLOB_BYTES];	/* the rule that names one of libc's; or
					 * "" */
	bool begun;			/* a module has been looked at */
	char stripped[NEAREST_LENGTH_MAX]; /* the program, or "" */
	struct nearest functions, modules;
};

/* Returns where the last bracket of the name that no other surrounds opens: `(`
 * of parameters, or `<` of a template. NULL: there is none, or it is a part of
 * an operator's name. */
static char *bracket_last(char *name, char bracket)
{
	char *found = NULL;
	int depth = 0;

	for (char *c = name; *c; c++)
		if (strchr("<({", *c)) {
			if (!depth++ && *c == bracket)
				found = c;
		} else if (depth && strchr(">)}", *c)) {
			depth--;
		}
	return found > name && !strstr(name, "operator<") ? found : NULL;
}

/* Counts "::", and skips so many of them. */
static const char *scopes_skip(const char *name, int skip, int *count)
{
	const char *next = name;

	for (*count = 0; (next = strstr(next, "::")); next += 2)
		if (++*count <= skip)
			name = next + 2;
	return name;
}

/* Considers a function's name as a rule has it: without parameters and without
 * arguments of templates, unless the rule has some, and in quotes where needed.
 * The rule may lack namespaces and classes. */
static void add_function(struct nearest *nearest, char shown[GLOB_BYTES])
{
	const char *rule = nearest->rule, *tail;
	char text[GLOB_BYTES + 4], *part;
	unsigned int distance;
	int scopes, count;

	part = strchr(rule, '(') ? NULL : bracket_last(shown, '(');
	if (part)
		*part = '\0';
	part = *shown && shown[strlen(shown) - 1] == '>' &&
			       !strpbrk(rule, "(<") ?
		       bracket_last(shown, '<') : NULL;
	if (part)
		*part = '\0';
	distance = nearest_distance(rule, shown);
	if (text_after(shown, rule) && copy_end(shown + strlen(rule)))
		distance = 0;
	scopes_skip(rule, 0, &scopes);
	scopes_skip(shown, 0, &count);
	tail = scopes_skip(shown, count - scopes, &count);
	if (tail > shown)
		distance = (unsigned int)min_u64(
			distance, nearest_distance(rule, tail) + 1);
	snprintf(text, sizeof(text), strpbrk(shown, " (,;)") ? "'%s%s'" :
		 "%s%s", shown, part ? "<*" : "");
	/* a rule has no room for a longer one */
	if (strlen(text) < NEAREST_LENGTH_MAX)
		nearest_add_copy(nearest, text, distance);
}

/* Keeps the rule with the module, if it names a function of one of libc's
 * libraries; of an IFUNC, that which names the choices. The dynamic linker's
 * own functions are those of no other. */
static void find_runtime(struct search *search, const char *module,
			 const struct marker_list *functions)
{
	const char *end = strstr(module, ".so");
	char glob[GLOB_BYTES], choice[GLOB_BYTES];
	bool found = false, chosen = false;
	int stem = (int)(end - module);

	if (!end || !search->glob || !rule_is_runtime(module) ||
	    (*search->runtime && !text_after(search->runtime, "fn:ld-")) ||
	    snprintf(glob, sizeof(glob), "fn:%.*s/%s", stem, module,
		     search->glob) >= (int)sizeof(glob) ||
	    snprintf(choice, sizeof(choice), "_%.*s_",
		     (int)strcspn(search->glob, "%"), search->glob) < 3)
		return;
	for (size_t i = 0; i < functions->count && !found; i++) {
		const struct marker *m = &functions->markers[i];

		found = !m->former &&
			rule_names_function(glob, module, m->id + ID_BYTES);
		chosen |= strstr(m->id, choice) &&
			  (strstr(m->id, "_avx") || strstr(m->id, "_sse"));
	}
	if (found)
		strcpy(search->runtime, glob);
	else if (chosen)
		snprintf(search->runtime, sizeof(search->runtime),
			 "fn:%.*s/*%.*s*, of which an IFUNC chooses one at "
			 "start", stem, module, (int)strlen(choice) - 2,
			 choice + 1);
}

static int search_module(const char *path, const char *names,
			 struct marker_list *functions, void *arg)
{
	struct search *search = arg;
	char probe[GLOB_BYTES], shown[GLOB_BYTES], choice[GLOB_BYTES + 2];
	char own[FILE_NAMES_BYTES], *rest = own, *name;
	bool variants = false, named, first = !search->begun;

	search->begun = true;
	find_runtime(search, names, functions);
	strcpy(own, names);
	while (functions->count && (name = strsep(&rest, RULE_OR)))
		nearest_add_copy(&search->modules, name,
				 nearest_distance(search->modules.rule, name));
	/* "fn:MODULE/" names the empty name */
	snprintf(probe, sizeof(probe), "fn:%s%s*",
		 search->module ? search->module : "",
		 search->module ? "/" : "");
	if (!rule_names_function(probe, names, ""))
		return 0;
	search->found = true;
	/* strlen is one of __strlen_avx2 and others */
	snprintf(choice, sizeof(choice), "_%s_", search->functions.rule);
	/* the program is the first module */
	if (first && (!functions->count || functions->markers->exported))
		snprintf(search->stripped, sizeof(search->stripped), "%.*s",
			 (int)strcspn(names, RULE_OR), names);
	for (size_t i = 0; i < functions->count; i++) {
		snprintf(shown, sizeof(shown), "%s",
			 marker_shown(functions->markers[i].id) + ID_BYTES);
		variants |= !!strstr(shown, "_avx");
		search->chosen |= !!strstr(shown, choice);
		named = glob_match(search->functions.rule, shown);
		add_function(&search->functions, shown);
		named |= glob_match(search->functions.rule, shown);
		search->longs += named && is_long(&functions->markers[i]);
	}
	/* a stripped libc does not tell the names of choices */
	search->chosen |= !variants && (!strncmp(names, "libc.", 5) ||
					!strncmp(names, "libm.", 5));
	return 0;
}

void functions_nearest(const char *rule, const struct named_in *in, char *text,
		       size_t room)
{
	char glob[GLOB_BYTES], names[NEAREST_IDS * (NEAREST_LENGTH_MAX + 8)];
	struct search search = { 0 };
	char *name = glob + strlen("fn:"), *slash, *end, *whole = NULL;
	bool quoted;
	size_t used;

	*text = '\0';
	if (!glob_of(glob, rule))
		return;
	slash = strrchr(name, '/');
	if (slash) {
		*slash = '\0';
		search.module = name;
		name = slash + 1;
	}
	end = strrchr(name, '%');
	if (end)
		*end = '\0';
	if (!search.module)
		search.glob = whole = strdup(name);
	/* without quotes, parentheses are types */
	quoted = *name == '\'';
	name += quoted;
	name[strcspn(name, quoted ? "'" : "(")] = '\0';
	search.functions.rule = name;
	search.modules.rule = search.module ? search.module : "*";
	for (size_t i = 0; i < in->npids + !in->npids; i++)
		each_module(in, i, NULL, search_module, &search);
	free(whole);
	if (search.found || !*search.runtime)
		nearest_text(search.found ? &search.functions : &search.modules,
			     names, sizeof(names));
	else
		*names = '\0';
	if (*names || *search.stripped || *search.runtime)
		snprintf(text, room, "%s%s%s%s%s%s%s", search.runtime,
			 *search.runtime && *names ? ", " : "",
			 search.found || *search.runtime ? "" :
			 "modules ", names, (*names || *search.runtime) &&
					    *search.stripped ? "; " :
			 "", search.stripped, *search.stripped ?
			 " is stripped: a -dbgsym package, or another file of "
			 "debug information, has its names" : "");
	used = strlen(text);
	if (search.longs)
		used += (size_t)snprintf(text + used, room - used, "%snot %zu "
			"of that name: " MARKER_SYMBOL, used ? "; " : "",
			search.longs);
	used = used < room ? used : room - 1;
	/* their own symbols are not read */
	if (used && search.module && search.chosen && !quoted && *name &&
	    !strpbrk(name, "*?["))
		snprintf(text + used, room - used, "; an IFUNC, which is "
			 "chosen at start, has names of its choices, as "
			 "fn:%s/*%s*", search.module, name);
}
