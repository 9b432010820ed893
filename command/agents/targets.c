/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that a sub-command works on. See targets.h.
 *
 * Invariant: targets are one for each process of the list, in that order, and
 * point into it, so the list does not change once they are made.
 */
#include "command/agents/targets.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/agents/elsewhere.h"
#include "command/agents/handed.h"
#include "command/agents/replaced.h"
#include "command/agents/rule.h"
#include "command/attach/steps.h"
#include "command/common/limits.h"
#include "command/common/nearest.h"
#include "command/elf/line-rules.h"
#include "command/elf/named-functions.h"
#include "command/elf/process-markers.h"
#include "command/procfs/process.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/fields.h"

#define CALLED_BRIEF_MS	500	/* for a signal that may stay blocked */
#define NAMES_MAX	64	/* of sessions, for a message */
/* How often it is looked whether a process, or the service thread, has ended:
 * 5 s in all. */
#define END_PAUSE_NS	1000000
#define END_LOOKS	5000
/* How often it is looked whether a program that a process executes has begun:
 * 2 s in all. */
#define BEGIN_LOOKS	2000

bool (*targets_clean)(const struct rundir_process *process);

int targets_check_name(const char *name)
{
	if (!rundir_valid_name(name))
		return command_misused("'%s' is not a session's name: give up "
				       "to 63 letters, digits, '.', '_', '-'",
				       name);
	return COMMAND_DONE;
}

/* Finds the processes with these pids. Returns 0, or a negative errno after
 * printing the error, or with `cause`. */
static int targets_find(struct targets *t, const pid_t *pids, size_t count,
			struct cause *cause)
{
	struct cause own, *why = cause ? cause : &own;
	int ret;

	t->list.processes = calloc(count, sizeof(*t->list.processes));
	if (!t->list.processes) {
		command_failed("out of memory");
		return -ENOMEM;
	}
	for (; t->list.count < count; t->list.count++) {
		struct rundir_process *process =
			&t->list.processes[t->list.count];

		ret = rundir_find(process, pids[t->list.count], why);
		if (!ret && targets_clean && targets_clean(process)) {
			rundir_process_close(process);
			ret = rundir_find(process, pids[t->list.count], why);
		}
		if (ret && !cause)
			cause_tell(why);
		if (ret)
			return ret;
	}
	return 0;
}

/* Lists the user's processes, without this command, which has an agent where
 * `taffrail record` runs a shell: it cannot answer itself. Returns 0, or a
 * negative errno after printing the error. */
static int targets_scan(struct targets *t)
{
	int ret = -EPERM, looks = RUNDIR_REPLACED_LOOKS;
	size_t kept = 0;

	if (t->dir.fd >= 0 || !t->dir.cause.id)
		ret = rundir_scan_user(&t->dir, &t->list);
	if (ret) {
		cause_tell(&t->dir.cause);
		return ret;
	}
	for (size_t i = 0; i < t->list.count; i++) {
		struct rundir_process *process = &t->list.processes[i];

		/* one that is not seen has its number from elsewhere */
		if (process->alive && !process->unseen &&
		    process->pid == getpid())
			rundir_process_close(process);
		else
			t->list.processes[kept++] = *process;
	}
	t->list.count = kept;
	for (size_t i = 0; i < kept; i++)
		rundir_end_replaced(&t->list.processes[i], &looks);
	return 0;
}

int targets_open(struct targets *t, pid_t pid)
{
	return targets_open_each(t, &pid, !!pid, NULL);
}

int targets_open_each(struct targets *t, const pid_t *pids, size_t count,
		      struct cause *cause)
{
	int ret;

	t->list = (struct rundir_list){ 0 };
	t->targets = NULL;
	t->count = 0;
	t->named = count;
	t->unread = false;
	t->awaited = NULL;
	t->dir.fd = -1;
	if (cause_check_proc())
		return -ENOSYS;
	if (cause_check_files(LIMITS_FILES))
		return -EMFILE;
	if (rundir_open(&t->dir, false) == -ENOENT)
		t->dir.cause.id = CAUSE_NONE;
	ret = count ? targets_find(t, pids, count, cause) : targets_scan(t);
	/* each process of the list has a descriptor */
	if (!ret && cause_check_files(LIMITS_FILES))
		ret = -EMFILE;
	if (ret)
		return ret;
	t->targets = calloc(t->list.count + 1, sizeof(*t->targets));
	if (!t->targets) {
		command_failed("out of memory");
		return -ENOMEM;
	}
	t->count = t->list.count;
	for (size_t i = 0; i < t->count; i++) {
		t->targets[i].process = &t->list.processes[i];
		t->targets[i].client.fd = -1;
	}
	return 0;
}

bool targets_leave_ended(struct command_pids *pids)
{
	struct command_pids kept = { .count = 0 }, ended = { .count = 0 };

	for (int i = 0; i < pids->count; i++) {
		pid_t pid = pids->pids[i];
		struct command_pids *to =
			(kill(pid, 0) && errno == ESRCH) ||
			process_ending(pid) ? &ended : &kept;

		to->pids[to->count++] = pid;
	}
	if (!kept.count || !ended.count)
		return false;
	for (int i = 0; i < ended.count; i++)
		command_warn("process %d is left out: it has ended",
			     ended.pids[i]);
	*pids = kept;
	return true;
}

void targets_close(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		client_close(&t->targets[i].client);
		marker_list_free(&t->targets[i].markers);
	}
	free(t->targets);
	rundir_list_free(&t->list);
	rundir_close(&t->dir);
}

bool target_has(const struct target *target, const char *session)
{
	struct session_page page;

	return !rundir_find_session(target->process, target->process->image,
				    session, &page);
}

bool target_executes(struct target *target)
{
	struct rundir_process *process = target->process;
	uint32_t image;

	if (!rundir_executed(process, &image))
		return false;
	process->image = image;
	client_close(&target->client);
	return true;
}

/* Waits for the agent of the program that a process executes: an exec opens the
 * lock of the page. Returns false where there is none, or none begins. */
static bool target_begins(struct target *target, int *looks)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };

	while (!target_executes(target)) {
		if (target->process->unseen || !(*looks)-- ||
		    !rundir_unlocked(target->process) ||
		    !rundir_lives(target->process))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

int target_connect(struct target *target)
{
	int ret, tries = EXECUTED_TRIES, looks = BEGIN_LOOKS;

	if (target->client.fd >= 0)
		return 0;
	do
		ret = client_connect(&target->client, target->process);
	while (ret && tries-- && target_begins(target, &looks));
	if (ret == -ESRCH)
		target->process->alive = rundir_lives(target->process);
	return ret;
}

bool target_ends(const struct target *target)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	const struct rundir_process *process = target->process;
	struct process_page page;
	int ret;

	for (int i = 0; rundir_lives(process) && !process_ending(process->pid);
	     i++) {
		ret = rundir_read_process(process, process->image, &page);
		if (i == END_LOOKS || (ret ? ret != -ENOENT :
				       page.state != PROCESS_EXITED))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

int target_connect_briefly(struct target *target)
{
	int ret = target_connect(target);

	if (!ret && target->client.called)
		target->client.timeout_ms = CALLED_BRIEF_MS;
	return ret;
}

int target_list(struct target *target)
{
	size_t had = target->markers.count, before;
	struct client_answer answer;
	bool pieces = false, again;
	int ret = target_connect(target);

	if (ret)
		return ret;
	/* a list that is too long comes in pieces, until one is empty. A marker
	 * that goes meanwhile may hide another one. */
	do {
		struct client_request request = { 0 };

		before = target->markers.count;
		if (pieces)
			client_request_add(&request, "from", "%zu",
					   before - had);
		ret = client_call(&target->client, MESSAGE_LIST,
				  pieces ? &request : NULL, &answer);
		if (!ret)
			ret = marker_list_parse(&target->markers,
						answer.payload, answer.bytes);
		client_answer_release(&answer);
		client_request_release(&request);
		again = pieces ? !ret && target->markers.count > before :
				 ret == -E2BIG;
		pieces = true;
	} while (again);
	return ret;
}

int target_start(struct target *target, const char *name,
		 const struct client_request *request, struct places *places,
		 int *result)
{
	const struct rundir_process *process = target->process;
	uint64_t buffer = 0, asked = 0;
	struct client_answer answer;
	const char *key, *value;
	struct session_page page;
	char sizes[64];
	size_t position = 0;
	int error = 0;
	int ret = inheritance_start(&target->client, request, name, &answer,
				    result);

	while (!ret && client_answer_next(&answer, &position, &key, &value)) {
		if (!strcmp(key, "buffer"))
			buffer = strtoull(value, NULL, 10);
		else if (!strcmp(key, "asked"))
			asked = strtoull(value, NULL, 10);
		else if (!strcmp(key, "roomless"))
			error = atoi(value);
		else if (!strcmp(key, "fault"))
			*result = cause_report(RULES_PARTLY,
					       .pid = process->pid,
					       .text = value);
	}
	client_answer_release(&answer);
	rule_add_nearest("*", &target->markers, target->client.cause.text,
			 sizeof(target->client.cause.text));
	if (!ret && error) {
		*result = cause_report(BUFFERS_NONE, .pid = process->pid,
				       .error = error,
				       .path = rundir_shown(process));
	} else if (!ret && buffer < asked) {
		/* the page tells why they are smaller */
		error = rundir_find_session(process, process->image, name,
					    &page) ? 0 : page.small_error;
		snprintf(sizes, sizeof(sizes), "%lluK instead of %lluK",
			 (unsigned long long)buffer / 1024,
			 (unsigned long long)asked / 1024);
		cause_report(BUFFERS_CUT, .pid = process->pid, .text = sizes,
			     .path = rundir_shown(process), .error = error);
	}
	if (!ret)
		places_take_living(places, process, name, NULL);
	return ret;
}

int target_detach(struct target *target, bool force,
		  struct client_answer *answer)
{
	const struct timespec pause = { .tv_nsec = END_PAUSE_NS };
	struct client_request request = { 0 };
	int ret = target_connect(target);

	client_request_add(&request, "force", "%d", force);
	if (!ret)
		ret = client_call(&target->client, MESSAGE_DETACH, &request,
				  answer);
	client_request_release(&request);
	if (!ret)
		rundir_inheritance_remove(target->process, NULL);
	/* the service thread ends after the answer */
	for (int i = 0; !ret && i < END_LOOKS &&
	     attach_thread_named(target->process->pid, "taffrail"); i++)
		nanosleep(&pause, NULL);
	/* where it cannot be unloaded, it sleeps there */
	if (!ret && client_answer_number(answer, "unload"))
		attach_unload(target->process->pid);
	return ret;
}

/* Gives a marker to `nearest`; a function or line by the rule that means it. */
static void add_nearest(struct nearest *nearest, const struct marker *m)
{
	const char *name = strchr(m->id, '/') + 1;
	char text[NEAREST_LENGTH_MAX];

	if (m->function) {
		snprintf(text, sizeof(text), "fn:%s", name);
		nearest_add_copy(nearest, text,
				 nearest_distance(nearest->rule, name));
	} else {
		nearest_add(nearest, m->spot ? name : m->id);
	}
}

/* Returns true when the rule matches a marker of the list. Gives the markers
 * that it does not match to `nearest`. */
static bool list_matches(const struct marker_list *list, const char *rule,
			 struct nearest *nearest)
{
	for (size_t k = 0; k < list->count; k++) {
		const struct marker *m = &list->markers[k];

		/* "fn/NAME" names no function, though the id is like it */
		if ((rule_kind(rule) != RULE_MARKERS ||
		     !(m->function || m->spot)) &&
		    rule_matches(rule, m->id, m->module))
			return true;
		add_nearest(nearest, m);
	}
	return false;
}

/* Gives the living targets to named-functions.c; the caller frees the pids. */
static struct named_in living_in(const struct targets *t)
{
	pid_t *pids = calloc(t->count + 1, sizeof(*pids));
	struct named_in in = { .pids = pids };

	for (size_t i = 0; pids && i < t->count; i++)
		if (t->targets[i].process->alive &&
		    !t->targets[i].process->unseen)
			pids[in.npids++] = t->targets[i].process->pid;
	return in;
}

/* Returns true when the rule names an event of a file that has LTTng-UST in
 * itself, of which no agent learns. */
static bool own_matches(const struct targets *t, const char *rule)
{
	struct marker_list list = { 0 };
	bool matches = false;

	for (size_t i = 0; i < t->count; i++)
		process_markers_read(&list, t->targets[i].process->pid,
				     SYMBOLISER_LTTNG, NULL);
	for (size_t i = 0; i < list.count && !matches; i++)
		matches = list.markers[i].why &&
			  !strcmp(list.markers[i].why, MARKER_OWN) &&
			  rule_matches(rule, list.markers[i].id, NULL);
	marker_list_free(&list);
	return matches;
}

/* Says that no marker matches the rule, and which are nearest. */
static void tell_unmatched(const struct targets *t, const char *rule,
			   const struct nearest *nearest, bool probes)
{
	char text[CAUSE_TEXT_BYTES];
	struct named_in in;

	nearest_text(nearest, text, sizeof(text));
	if (own_matches(t, rule)) {
		cause_report(RULE_NEVER, .subject = rule,
			     .text = "is traced: LTTng-UST is a part of its "
				     "file");
	} else if (rule_kind(rule) == RULE_FUNCTIONS) {
		in = living_in(t);
		functions_nearest(rule, &in, text, sizeof(text));
		if (functions_never_whole(rule, &in))
			cause_report(RULE_NEVER, .subject = rule,
				     .text = FUNCTIONS_NOT_WHOLE);
		else
			cause_report(FUNCTIONS_UNNAMED, .subject = rule,
				     .text = text);
		free((pid_t *)in.pids);
	} else if (probes) {
		command_failed("no marker matches '%s'; probes are recorded if "
			       "a rule names them: %s", rule, text);
	} else if (text[0]) {
		command_failed("no marker matches '%s'; the nearest: %s%s",
			       rule, text, rule_hint(rule, text));
	} else {
		command_failed("no marker matches '%s': %s no markers%s", rule,
			       t->count == 1 ? "the process has" :
			       "these processes have", rule_hint(rule, ""));
	}
	for (size_t i = 0; i < t->count; i++)
		replaced_tell(t->targets[i].process->pid, NULL);
}

/* Returns true when a marker of the list has this provider. */
static bool has_provider(const struct marker_list *list, const char *provider,
			 size_t bytes)
{
	size_t k = 0;

	/* an event that is left out may be of a library that is gone */
	while (k < list->count && (list->markers[k].why ||
				   strncmp(list->markers[k].id, provider,
					   bytes) != 0))
		k++;
	return k < list->count;
}

/* Returns true when the rule spells the name of a provider that no target has,
 * nor a USDT probe, and a target has LTTng-UST: the provider may come with a
 * library. */
static bool may_come(const struct targets *t, const struct marker_list *probes,
		     const char *rule)
{
	size_t bytes = strcspn(rule, "*?[/ ") + 1;
	bool lttng = false;

	if (bytes == 1 || rule[bytes - 1] != '/' || strchr(" ", rule[bytes]) ||
	    *rule_hint(rule, "") || own_matches(t, rule) ||
	    has_provider(probes, rule, bytes))
		return false;
	for (size_t i = 0; i < t->count; i++) {
		if (has_provider(&t->targets[i].markers, rule, bytes))
			return false;
		lttng |= process_maps_beginning(t->targets[i].process->pid,
						"liblttng-ust");
	}
	return lttng;
}

/* Returns true when the rule matches a marker of the targets, or a USDT probe
 * by the provider's name, or when it may match one of a process whose probes
 * cannot be read, or a function (`unread`), or one that comes later.
 * A probe becomes a marker when a rule names it, and the agent does not list it
 * before that. Otherwise prints the nearest ones. */
static bool rule_matched(struct targets *t, const char *rule, bool unread)
{
	struct nearest nearest = { .rule = rule };
	bool functions = rule_kind(rule) != RULE_MARKERS;
	bool named = rule_names_provider(rule), matched, found;
	struct marker_list probes = { 0 };
	char text[CAUSE_TEXT_BYTES];
	int ret;

	/* functions and lines are in the list only once a session has them */
	if (functions && unread) {
		t->unread = true;
		return true;
	}
	for (size_t i = 0; i < t->count; i++)
		if (list_matches(&t->targets[i].markers, rule, &nearest))
			return true;
	for (size_t i = 0; i < t->count; i++) {
		ret = process_probes_read(&probes, t->targets[i].process->pid);
		t->unread |= ret == -EACCES || ret == -EPERM;
	}
	matched = list_matches(&probes, rule, &nearest);
	found = named && (matched || (unread && t->unread));
	/* of probes that match, those are told that the list has first */
	for (size_t k = 0; matched && !named && k < probes.count; k++)
		nearest_add(&nearest, probes.markers[k].id);
	if (!found && !matched && may_come(t, &probes, rule)) {
		nearest_text(&nearest, text, sizeof(text));
		if (unread && !t->awaited)
			cause_report(RULE_UNMET_YET, .subject = rule,
				     .text = text);
		else if (unread)
			t->awaited(rule, text);
		found = true;
	} else if (!found) {
		tell_unmatched(t, rule, &nearest, matched);
	}
	marker_list_free(&probes);
	return found;
}

int targets_check_files(const struct targets *t, const char *const *rules,
			int count)
{
	int status = COMMAND_DONE;

	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < t->count; k++)
			if (t->targets[k].process->alive &&
			    !t->targets[k].process->unseen &&
			    replaced_tell(t->targets[k].process->pid,
					  rules[i]))
				status = COMMAND_FAILED;
	return status;
}

/* Counts the targets' markers that a rule names, by how the condition fits. */
static void count_fits(const struct target *targets, size_t count,
		       const char *rule, size_t fits[RULE_NEVER + 1])
{
	memset(fits, 0, (RULE_NEVER + 1) * sizeof(*fits));
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < targets[i].markers.count; k++) {
			const struct marker *m = &targets[i].markers.markers[k];
			struct rule_marker marker = {
				m->id, m->text,
				m->kind == MARKER_EVENT || m->function ?
				TAFFRAIL_KIND_EVENT : TAFFRAIL_KIND_MARK,
				m->types, m->nfields, m->shown, m->shown_bytes,
			};

			if (rule_matches(rule, m->id, m->module))
				fits[rule_fit(rule, &marker)]++;
		}
	}
}

/* Returns true, after saying so, when the level or id of each marker that the
 * rule names rules the condition out. The agent tells the fields that a marker
 * lacks. */
static bool rule_never(const struct targets *t, const char *rule)
{
	char glob[RULE_BYTES_MAX + 1], text[CAUSE_TEXT_BYTES];
	size_t fits[RULE_NEVER + 1];

	count_fits(t->targets, t->count, rule, fits);
	if (fits[RULE_FITS] || fits[RULE_MISFITS] || !fits[RULE_NEVER])
		return false;
	if (!rule_leaves_functions(rule, glob, text, sizeof(text)))
		rule_tell_never(rule, glob, text, sizeof(text));
	cause_report(RULE_NEVER, .subject = glob, .text = text);
	return true;
}

int targets_consent(const struct targets *t, const char *const *rules,
		    int count, const char *program, bool yes)
{
	struct named_in in = living_in(t);
	int status;

	in.program = program;
	status = functions_consent(rules, count, &in, yes);
	free((pid_t *)in.pids);
	return status;
}

void targets_allow_some(const struct targets *t, const char *const *rules,
			int count, struct client_request *request)
{
	size_t fits[RULE_NEVER + 1] = { 1 };

	for (int i = 0; i < count && fits[RULE_FITS]; i++)
		count_fits(t->targets, t->count, rules[i], fits);
	if (t->count < 2 || !fits[RULE_FITS])
		return;
	client_request_add(request, "some", "1");
	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < t->count; k++) {
			count_fits(&t->targets[k], 1, rules[i], fits);
			if (fits[RULE_MISFITS] && !fits[RULE_FITS])
				command_warn("process %d has no field of '%s'",
					     t->targets[k].process->pid,
					     rules[i]);
		}
}

int targets_check_rule(struct targets *t, const char *rule)
{
	return rule_matched(t, rule, true) && !rule_never(t, rule) ? 0 :
								     -ENOENT;
}

/* Returns the type of a marker's field; 0: it has none. */
static uint8_t type_of(const struct marker *m, const char *name)
{
	struct field_name names[TAFFRAIL_FIELDS_MAX];
	int n = m->nfields;

	if (n > TAFFRAIL_FIELDS_MAX ||
	    fields_parse(m->text, TAFFRAIL_KIND_EVENT, n, names))
		return 0;
	while (n-- > 0)
		if (!strcmp(names[n].name, name))
			return m->types[n];
	return 0;
}

/* Says that a process has other types of a rule's functions than the rule, or
 * debug information, gives: an earlier rule made the markers, or the process
 * has another file; and that tail calls lack the value. `name` is of
 * functions_signed(), or NULL; `strings`: the rule has str; `value`: the
 * condition may need that. */
static void tell_types(const struct target *target, const char *rule,
		       const char *name, bool strings, bool value)
{
	bool untyped = false, numbers = false, results = false, jumps = false;

	for (size_t k = 0; k < target->markers.count; k++) {
		const struct marker *m = &target->markers.markers[k];

		if (!rule_matches(rule, m->id, m->module))
			continue;
		/* without a type, a result looks like a long */
		untyped |= name && type_of(m, "value") == TAFFRAIL_T_S64;
		results |= type_of(m, "value");
		jumps |= !type_of(m, "value") && type_of(m, "to");
		numbers |= strings && !rule_names_returns(m->id) &&
			   !memchr(m->types, TAFFRAIL_T_STRING, m->nfields);
	}
	if (untyped)
		cause_report(VALUE_UNSIGNED, .subject = rule, .text = name,
			     .pid = target->process->pid);
	if (numbers)
		cause_report(FUNCTION_EARLIER, .subject = rule,
			     .pid = target->process->pid);
	if (value && results && jumps)
		cause_report(VALUE_ABSENT, .subject = rule,
			     .pid = target->process->pid);
}

void targets_tell_types(struct targets *t, const char *const *rules, int count)
{
	for (int i = 0; i < count; i++) {
		const char *text = line_rule_text(rules[i]), *name, *types, *p;
		const char *condition;
		bool strings, value;
		size_t bytes;

		if (rule_kind(rules[i]) != RULE_FUNCTIONS)
			continue;
		/* a result may be a long */
		name = *text && !strstr(text, "\tl") ?
			       functions_signed(rules[i], false) : NULL;
		condition = rule_condition(rules[i], &bytes);
		value = condition && strstr(condition, "value");
		types = rules[i] + bytes;
		p = *types == '(' ? strstr(types, "str") : NULL;
		strings = p && p < types + strcspn(types, ")");
		for (size_t k = 0;
		     (name || strings || value) && k < t->count; k++) {
			marker_list_free(&t->targets[k].markers);
			if (!target_list(&t->targets[k]))
				tell_types(&t->targets[k], rules[i], name,
					   strings, value);
		}
	}
}

int targets_check_begun(struct targets *t, const char *const *rules, int count,
			const struct places *places)
{
	size_t lives = 0;
	int ret;

	for (size_t i = 0; t->unread && i < t->count; i++) {
		marker_list_free(&t->targets[i].markers);
		ret = target_list(&t->targets[i]);
		lives += !ret;
		/* one that has ended is as one that was not there */
		if (ret && !target_ends(&t->targets[i])) {
			cause_tell(&t->targets[i].client.cause);
			return ret;
		}
	}
	for (int i = 0; t->unread && lives && i < count; i++)
		if (!places_named(places, rules[i]) &&
		    (!rule_matched(t, rules[i], false) ||
		     rule_never(t, rules[i])))
			return -ENOENT;
	targets_tell_types(t, rules, count);
	return 0;
}

void targets_tell_unmet(struct targets *t, const char *const *rules, int count,
			const struct places *places)
{
	bool known = false, met;

	for (size_t i = 0; i < t->count; i++)
		known |= t->targets[i].client.fd >= 0 &&
			 !target_list(&t->targets[i]);
	for (int r = 0; r < count && known; r++) {
		struct nearest nearest = { .rule = rules[r] };

		met = rule_kind(rules[r]) == RULE_LINE ||
		      places_named(places, rules[r]);
		for (size_t i = 0; i < t->count && !met; i++)
			met = list_matches(&t->targets[i].markers, rules[r],
					   &nearest);
		if (!met)
			tell_unmatched(t, rules[r], &nearest, false);
	}
}

void targets_nearest(const struct rundir_list *list, const char *name,
		     char *text, size_t room)
{
	static char names[NAMES_MAX][SESSION_NAME_BYTES];
	static const char before[] = "; the nearest: ";
	struct nearest nearest = { .rule = name };
	struct session_page page;
	struct process_page head;
	size_t n = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct rundir_process *process = &list->processes[i];

		if (rundir_read_process(process, process->image, &head))
			continue;
		for (uint32_t k = 0; k < head.sessions && n < NAMES_MAX; k++) {
			if (rundir_read_session(process, process->image, k,
						&page) ||
			    page.state == SESSION_DESTROYED)
				continue;
			memcpy(names[n], page.name, SESSION_NAME_BYTES);
			nearest_add(&nearest, names[n++]);
		}
	}
	snprintf(text, room, "%s", n ? before : "");
	if (n)
		nearest_text(&nearest, text + strlen(before),
			     room - strlen(before));
}

int targets_no_session(const struct targets *t, const char *name)
{
	char text[TARGETS_NEAREST_BYTES];
	pid_t pid;

	if (!command_parse_pid(&pid, name))
		return command_failed("no session '%s': a session's name "
				      "stands here, -p before the number of a "
				      "process", name);
	targets_nearest(&t->list, name, text, sizeof(text));
	command_failed("no session '%s'%s", name, text);
	if (!t->named)
		others_tell(name);
	return COMMAND_FAILED;
}
