/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules for the events of traces: one program for each class of events that a
 * rule means, made when the traces are opened.
 */
#include "traces/read/where.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "tracepoints/conditions/rule-split.h"
#include "traces/read/where-fields-private.h"

#define EXPRESSION_MAX	1024

/* A condition for the events of one class. */
struct test {
	struct test *next;
	struct where_fields fields;
	struct ax_program *program;
};

/* What the rules say of a class. */
struct verdict {
	bool all;			/* a rule without condition means it */
	struct test *tests;
};

struct where {
	const char **rules;
	size_t nrules;
	struct verdict **traces;	/* by the number of trace and class */
	size_t ntraces;
	const size_t *nclasses;
};

static uint32_t cpu_of(void *hit)
{
	return ((const struct trace_event *)hit)->cpu;
}

static const struct ax_machine machine = { .cpu = cpu_of };

struct where *where_new(void)
{
	return calloc(1, sizeof(struct where));
}

static void free_tests(struct test *test)
{
	while (test) {
		struct test *next = test->next;

		where_fields_free(&test->fields);
		free(test->program);
		free(test);
		test = next;
	}
}

void where_free(struct where *where)
{
	for (size_t i = 0; i < where->ntraces; i++) {
		struct verdict *v = where->traces[i];

		for (size_t k = 0; v && k < where->nclasses[i]; k++)
			free_tests(v[k].tests);
		free(v);
	}
	free(where->traces);
	free((void *)where->nclasses);
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
	const char *expression;		/* or NULL */
	char glob[512];
};

static bool split(struct use *use, const char *rule)
{
	size_t bytes;
	char *colon;

	use->expression = rule_condition(rule, &bytes);
	if (bytes >= sizeof(use->glob))
		return false;
	memcpy(use->glob, rule, bytes);
	use->glob[bytes] = '\0';
	/* as the events are printed */
	colon = strchr(use->glob, ':');
	if (colon && !strchr(use->glob, '/'))
		*colon = '/';
	return true;
}

static int compile(struct test *test, const char *expression,
		   struct expr_error *error)
{
	const struct where_fields *f = &test->fields;
	struct expr_fields fields = {
		.names = f->names, .types = f->types, .n = f->n,
		.shown = { f->shown, f->shown + f->shown_bytes },
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
	test->program = malloc(AX_PROGRAM_BYTES(source.bytes));
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

/* Adds a condition for a class. Returns 0 or a negative errno. */
static int add_test(struct verdict *verdict, const struct trace_class *trace,
		    const struct event_class *class, const char *expression,
		    struct expr_error *error)
{
	struct test *test = calloc(1, sizeof(*test));
	int ret = -ENOMEM;

	if (test)
		ret = where_fields_make(&test->fields, trace, class,
					expression);
	if (!ret)
		ret = compile(test, expression, error);
	if (ret == -ENOENT) {
		/* again with all fields, which the error then names */
		where_fields_free(&test->fields);
		ret = where_fields_make(&test->fields, trace, class, NULL);
		ret = ret ? ret : compile(test, expression, error);
	}
	if (ret) {
		free_tests(test);
		return ret;
	}
	test->next = verdict->tests;
	verdict->tests = test;
	return 0;
}

/* What a rule met in all traces. */
struct met {
	size_t classes;			/* that its glob matches */
	size_t good;			/* for which it has a meaning */
	int error;
	struct expr_error why;
};

static void apply(struct verdict *verdict, const struct use *use,
		  const struct trace_class *trace,
		  const struct event_class *class, struct met *met)
{
	struct expr_error error;
	int ret = 0;

	if (!glob_match(use->glob, class->id))
		return;
	met->classes++;
	if (use->expression)
		ret = add_test(verdict, trace, class, use->expression, &error);
	else
		verdict->all = true;
	met->good += !ret;
	if (ret == -ENOMEM || (ret && !met->error)) {
		met->error = ret;
		met->why = error;
	}
}

static int apply_rule(struct where *where, const char *rule,
		      struct trace_class *const *traces,
		      struct expr_error *error)
{
	struct met met = { 0 };
	struct use use;

	if (!split(&use, rule) || (use.expression &&
				   strlen(use.expression) > EXPRESSION_MAX))
		return -ENOENT;
	for (size_t i = 0; i < where->ntraces; i++) {
		const struct trace_class *trace = traces[i];

		for (size_t k = 0; k < trace->nevents; k++) {
			const struct event_class *class = trace->events[k];

			if (class)
				apply(&where->traces[i][class->number], &use,
				      trace, class, &met);
		}
	}
	*error = met.why;
	if (met.error == -ENOMEM)
		return -ENOMEM;
	if (!met.classes)
		return -ENOENT;
	return met.good ? 0 : -EINVAL;
}

static int make_tables(struct where *where, struct trace_class *const *traces,
		       size_t n)
{
	size_t *nclasses = calloc(n + 1, sizeof(*nclasses));

	where->traces = calloc(n + 1, sizeof(*where->traces));
	where->nclasses = nclasses;
	if (!where->traces || !nclasses)
		return -ENOMEM;
	for (; where->ntraces < n; where->ntraces++) {
		size_t i = where->ntraces;

		nclasses[i] = traces[i]->nclasses;
		where->traces[i] = calloc(nclasses[i] + 1,
					  sizeof(struct verdict));
		if (!where->traces[i])
			return -ENOMEM;
	}
	return 0;
}

int where_prepare(struct where *where, struct trace_class *const *traces,
		  size_t n, const char **rule, struct expr_error *error)
{
	int ret = make_tables(where, traces, n);

	for (size_t i = 0; i < where->nrules && !ret; i++) {
		*rule = where->rules[i];
		ret = apply_rule(where, *rule, traces, error);
	}
	return ret;
}

bool where_holds(const struct where *where, const struct trace_event *event)
{
	const struct verdict *v =
		&where->traces[event->trace->number][event->class->number];
	struct where_values values;
	struct ax_event ax;

	if (v->all)
		return true;
	for (const struct test *test = v->tests; test; test = test->next) {
		where_fields_gather(&test->fields, event, &values, &ax);
		if (ax_holds(test->program, &ax, (void *)event))
			return true;
	}
	return false;
}

bool where_names(const struct where *where, const struct trace_class *trace,
		 const struct event_class *class)
{
	const struct verdict *v = &where->traces[trace->number][class->number];

	return v->all || v->tests;
}
