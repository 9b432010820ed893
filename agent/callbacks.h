/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the agent and libtaffrail-probe.so, which are built together.
 */
#ifndef AGENT_CALLBACKS_H
#define AGENT_CALLBACKS_H

#include "control/service/call.h"
#include "control/sessions/session.h"
#include "control/threads/settings.h"

/* Changes with each change of the declarations that the two share. */
#define CALLBACKS_VERSION	AGENT_VERSION " 6"

/* Functions of the agent, for callbacks. */
struct callback_host {
	const char **off;	/* why the agent is off, or NULL */
	const int *confined;	/* host_confined */
	/* session_rule_parse(), without the reason */
	int (*parse)(struct session_rule *rule, const char *text);
	/* session_client_rule(). The caller then calls settle() without its
	 * lock */
	int (*rule)(const struct session_rule *rule, int wanted);
	/* registry_settle_now() */
	void (*settle)(void);
	/* Called first around a fork: takes the locks that come before those of
	 * callbacks. */
	void (*forking)(void);
	/* condition_make(), for look() */
	int (*condition)(const struct object *object, const char *text,
			 const struct ax_program **program,
			 struct expr_error *error);
	/* session_condition_fault() */
	void (*fault)(struct text *why, const char *condition,
		      const struct expr_error *error);
	/* ax_holds(). SIGSAFE */
	int (*holds)(const struct ax_program *program,
		     const struct ax_event *event);
	/* Waits until no other thread has the registry's lock. */
	void (*wait)(void);
	/* the process's, NULL before there is one; a forked child without
	 * private files has the parent's */
	struct process_page *const *page;
	/* vectors_kept() */
	int (*kept)(int (*fn)(void *a, void *b), void *a, void *b);
	/* call_handle */
	call_handle_fn **handle;
};

/* Adds lines about callbacks to the answer to MESSAGE_STATUS. */
void callback_describe(struct text *out);

/*
 * Connects the library with the agent, before the first rule. Returns 0, or
 * -ENOEXEC when the two are of different builds.
 */
__attribute__((visibility("default"))) int
taffrail_probe_serve(const char *version, uint32_t object_bytes,
		     const struct session_client *client,
		     struct callback_host *host);

#endif
