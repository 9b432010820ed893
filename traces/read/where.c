/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules for the events of traces: one program for each class of events that a
 * rule means, made when the traces are opened.
 *
 * Invariant: the verdict on a class is complete before the first event of the
 * class is judged, and is then only read. It lives in the memory of the class,
 * so traces that share a schema share the programs.
 */
#include "traces/read/schema.h"
#include "traces/read/where.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/sites/registry.h"
#include "traces/read/where-fields-private.h"

#define EXPRESSION_MAX	1024

/* A condition for the events of one class. */
struct test {
	struct test *next;
	struct where_fields fields;
	struct ax_program *program;
	bool never;			/* it holds for no event */
};

/* The verdict of the rules on a class; class->verdict points to it. */
struct where_verdict {
	size_t rules;			/* that were applied */
	bool all;			/* a rule without condition means it */
	bool divides;			/* where_divides(), but for `all` */
	struct test *tests;
};

/* Rules, as the user gave them. They are split for each class anew. */
struct where {
	const char **rules;
	size_t nrules;
};

/* Gives the cpu to a program: the only context that is not in the event. */
static uint32_t event_cpu(void *hit)
{
	return ((const struct trace_event *)hit)->cpu;
}

static const struct ax_machine machine = { .cpu = event_cpu };

struct where *where_new(void)
{
	return calloc(1, sizeof(struct where));
}

void where_free(struct where *where)
{
	free(where->rules);
	free(where);
}

int where_add(struct where *where, const char *rule)
{
	const char **more = reallocarray(where->rules, where->nrules + 1,
					 sizeof(*more));

	if (!more)
		return -ENOMEM;
	more[where->nrules++] = rule;
	where->rules = more;
	return 0;
}

/* A rule as it is applied to one class. */
struct use {
	size_t rule;			/* the rule's number */
	const char *expression;		/* or NULL */
	char glob[512];
};

/* Splits a rule into the glob and the condition. Returns false for a glob that
 * is too long to match anything. */
static bool use_split(struct use *use, const char *rule)
{
	size_t bytes;

	use->expression = rule_condition(rule, &bytes);
	if (bytes >= sizeof(use->glob))
		return false;
	memcpy(use->glob, rule, bytes);
	use->glob[bytes] = '\0';
	rule_unify(use->glob);
	return true;
}

/* Tells whether a rule for functions names one, by NAME, or by FILE:NAME if it
 * is known to be static. The rule need not say the module of libc's. */
static bool names_function(const char *glob, const struct event_class *class,
			   const char *name)
{
	static const char unknown[] = "\1";	/* no rule says it */
	char module[EXPRESSION_MAX], both[EXPRESSION_MAX];
	const char *place = class->place;
	bool has_file;
	size_t n;

	if (!place)
		return rule_names_function(glob, NULL, name);
	n = place_module_bytes(place);
	snprintf(module, sizeof(module), "%.*s",
		 class->modules ? EXPRESSION_MAX : (int)n,
		 class->modules ? class->modules : place);
	has_file = place_file_bytes(place) > n;
	if (has_file)
		snprintf(both, sizeof(both), "%.*s:%s",
			 (int)(place_file_bytes(place) - n - 1), place + n + 1,
			 name);
	for (int i = 0; i <= has_file; i++, name = both)
		if (rule_names_function(glob, module, name) ||
		    rule_names_function(glob, unknown, name))
			return true;
	return false;
}

/* Tells whether the rule names an event. */
static bool use_names(const struct use *use, const struct event_class *class)
{
	const char *id = class->id, *name = text_after(id, "fn/");

	if (rule_kind(use->glob) == RULE_LINE) {
		name = text_after(id, "line/");
		return name && !strcmp(name, use->glob);
	}
	if (rule_kind(use->glob) == RULE_FUNCTIONS)
		return name && names_function(use->glob, class, name);
	return glob_match_cut(use->glob, id, OBJECT_ID_MOST);
}

/* Compiles an expression for the fields of a class, which has this id, to a
 * program that lives as long as these. Returns 0; -ENOENT: a name in it is not
 * among them; or another negative errno, with *error set. */
static int test_compile(struct test *test, struct class_memory **memory,
		   const char *id, const char *expression,
		   struct expr_error *error)
{
	const struct where_fields *f = &test->fields;
	struct expr_fields fields = {
		.names = f->names, .types = f->types, .n = f->n,
		.shown = { f->shown, f->shown + f->shown_bytes },
		.id = id, .recorded = true, .unread = f->unread,
		.numbers = f->unread ? f->numbers : NULL,
	};
	struct ax_layout layout = { &f->shape, f->types };
	uint8_t code[EXPR_CODE_BYTES(EXPRESSION_MAX)];
	struct ax_source source = { .code = code, .want_result = 1,
				    .layout = &layout, .machine = &machine };
	struct ax_refusal refusal;
	int ret = expr_compile(expression, &fields, code, sizeof(code), error);

	if (ret < 0)
		return ret;
	source.bytes = (uint32_t)ret;
	test->never = ret == 3 && code[0] == AX_CONST8 && !code[1] &&
		      code[2] == AX_END;
	test->program = class_memory_take(memory,
					  AX_PROGRAM_BYTES(source.bytes));
	if (!test->program)
		return -ENOMEM;
	ret = ax_verify(test->program, AX_PROGRAM_BYTES(source.bytes), &source,
			&refusal);
	if (ret) {
		error->column = 1;
		strcpy(error->fact, "the trace does not have this context: "
				    "record with --context");
	}
	return ret;
}

/* Tells whether an entry and the return of the same call have the same value of
 * a field or context. */
static bool is_shared(const char *name)
{
	static const char *const shared[] = {
		"vtid", "vpid", "procname", "cfa",
	};

	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (!strcmp(name, shared[i]))
			return true;
	return false;
}

/*
 * Adds a condition for a class. Returns 0 or a negative errno. An expression
 * with an unknown name is compiled once more with all fields of the class,
 * which the error then names. *never is set for one that no event meets.
 */
static int add_test(struct where_verdict *verdict, struct trace_class *trace,
		    const struct event_class *class, const char *expression,
		    bool *never, struct expr_error *error)
{
	struct class_memory **memory = schema_memory(trace, class);
	struct test *test = class_memory_take(memory, sizeof(*test));
	const char *named = expression;
	int ret = -ENOENT;

	if (!test)
		return -ENOMEM;
	for (int i = 0; i < 2 && ret == -ENOENT; i++, named = NULL) {
		ret = where_fields_make(&test->fields, trace, class, named);
		if (!ret)
			ret = test_compile(test, memory, class->id,
					   expression, error);
	}
	*never = !ret && test->never;
	verdict->divides |= !ret && expr_names(expression, "cpu");
	for (uint32_t i = 0; !ret && i < test->fields.n; i++)
		verdict->divides |= !is_shared(test->fields.names[i].name);
	if (!ret) {
		test->next = verdict->tests;
		verdict->tests = test;
	}
	return ret;
}

/* The classes that a rule met in all traces. */
struct met {
	size_t classes;			/* that the glob matches */
	size_t good;			/* for which it has a meaning, and may
					 * hold: not decided by their levels */
	int error;
	struct expr_error why;
};

/* Applies a rule to a class, once, and notes the result in *met. Of several
 * errors, the one that is furthest in the rule stays. */
static void rule_apply(struct event_class *class, const struct use *use,
		  struct trace_class *trace, struct met *met)
{
	struct expr_error error = { 0 };
	bool never = false;
	int ret = 0;

	/* a class of a schema is met once for each trace */
	if (class->verdict->rules > use->rule)
		return;
	class->verdict->rules = use->rule + 1;
	if (!use_names(use, class))
		return;
	met->classes++;
	if (use->expression)
		ret = add_test(class->verdict, trace, class, use->expression,
			       &never, &error);
	else
		class->verdict->all = true;
	met->good += !ret && !never;
	if (ret == -ENOENT && strcmp(use->glob, class->id))
		expr_error_whose(&error, class->id);
	/* of several classes, of the one that has most of the names */
	if (ret == -ENOMEM || (ret && (!met->error ||
				     error.column > met->why.column))) {
		met->error = ret;
		met->why = error;
	}
}

/* Makes room for the verdict on a class. Returns false without memory. */
static bool need_verdict(struct trace_class *trace, struct event_class *class)
{
	if (!class->verdict)
		class->verdict = class_memory_take(schema_memory(trace, class),
						   sizeof(*class->verdict));
	return class->verdict;
}

/* Applies the rules to a class that came later. Without memory no event of it
 * is wanted. */
static void rules_learn(const struct where *where,
			const struct trace_event *event)
{
	struct trace_class *trace = (struct trace_class *)event->trace;
	struct event_class *class = (struct event_class *)event->class;
	struct met met = { 0 };
	struct use use = { .rule = 0 };

	if (!need_verdict(trace, class))
		return;
	for (; use.rule < where->nrules; use.rule++)
		if (use_split(&use, where->rules[use.rule]))
			rule_apply(class, &use, trace, &met);
}

int where_prepare(struct where *where, struct trace_class *const *traces,
		  size_t n, const char **rule, struct expr_error *error)
{
	for (size_t number = 0; number < where->nrules; number++) {
		struct use use = { .rule = number };
		struct met met = { 0 };

		*rule = where->rules[number];
		if (!use_split(&use, *rule) ||
		    (use.expression && strlen(use.expression) > EXPRESSION_MAX))
			return -ENOENT;
		for (size_t i = 0; i < n; i++) {
			struct trace_class *trace = traces[i];

			for (size_t k = 0; k < trace->nevents; k++) {
				if (!trace->events[k] ||
				    trace->events[k]->ended)
					continue;
				if (!need_verdict(trace, trace->events[k]))
					return -ENOMEM;
				rule_apply(trace->events[k], &use, trace, &met);
			}
		}
		*error = met.why;
		if (met.error == -ENOMEM)
			return -ENOMEM;
		if (!met.good && (met.error || !met.classes))
			return met.classes ? -EINVAL : -ENOENT;
	}
	return 0;
}

bool where_holds(const struct where *where, const struct trace_event *event)
{
	const struct where_verdict *v = event->class->verdict;
	struct where_values values;
	struct ax_event ax;

	if (unlikely(!v)) {
		rules_learn(where, event);
		v = event->class->verdict;
	}
	if (!v || v->all)
		return v;
	for (const struct test *test = v->tests; test; test = test->next) {
		where_fields_gather(&test->fields, event, &values, &ax);
		if (ax_holds(test->program, &ax, (void *)event))
			return true;
	}
	return false;
}

bool where_divides(const struct event_class *class)
{
	const struct where_verdict *v = class->verdict;

	return v && !v->all && v->divides;
}

bool where_names(const struct event_class *class)
{
	const struct where_verdict *v = class->verdict;

	return v && (v->all || v->tests);
}

bool where_tests(const struct event_class *class)
{
	const struct where_verdict *v = class->verdict;

	return v && !v->all && v->tests;
}
