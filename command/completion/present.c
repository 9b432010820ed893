/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Proposes the sessions, markers and processes of this moment.
 *
 * Invariant: a process that does not answer is left out.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "command/agents/targets.h"
#include "command/common/command.h"
#include "command/completion/private.h"
#include "command/elf/program-functions.h"
#include "command/procfs/process.h"
#include "command/runtime/rundir.h"
#include "tracepoints/conditions/rule-split.h"

/* Names, each one once: several processes may have a session or a marker of one
 * name. The memory is this structure's until names_propose(). */
struct names {
	char **names;
	size_t count;
};

/* Adds a copy of a name, unless it is there; without memory it is left out.
 * Returns 0: the search goes on. */
static int names_add(const char *name, void *priv)
{
	struct names *n = priv;
	char **more;

	/* a linear search: there are few names */
	for (size_t i = 0; i < n->count; i++)
		if (!strcmp(n->names[i], name))
			return 0;
	more = reallocarray(n->names, n->count + 1, sizeof(*more));
	if (!more)
		return 0;
	n->names = more;
	more[n->count] = strdup(name);
	n->count += !!more[n->count];
	return 0;
}

/* Proposes the names, and frees them. */
static void names_propose(struct names *n, const struct proposal *p)
{
	for (size_t i = 0; i < n->count; i++) {
		propose(p, n->names[i], NULL);
		free(n->names[i]);
	}
	free(n->names);
}

/* Reads the files of all images, also of dead processes: their events can still
 * be saved. Without -p also sessions that wait for later processes. */
void propose_sessions(const struct proposal *p)
{
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct names names = { 0 };
	struct process_page head;
	struct session_page page;
	struct targets targets;

	if (targets_open(&targets, p->pid))
		goto out;
	for (size_t i = 0; i < targets.count; i++) {
		const struct rundir_process *process =
			targets.targets[i].process;
		int n = rundir_images(process, images, RUNDIR_IMAGES_MAX);

		for (int k = 0; k < n; k++) {
			if (rundir_read_process(process, images[k], &head))
				continue;
			for (uint32_t s = 0; s < head.sessions; s++)
				if (!rundir_read_session(process, images[k], s,
							 &page) &&
				    page.state != SESSION_DESTROYED &&
				    rundir_valid_name(page.name))
					names_add(page.name, &names);
		}
	}
	if (!p->pid && targets.dir.fd >= 0)
		rundir_each_rules(&targets.dir, names_add, &names);
out:
	targets_close(&targets);
	names_propose(&names, p);
}

/* The names of functions that may follow a word. */
struct functions {
	const struct proposal *p;
	const char *lead;		/* "fn:", or "" */
};

/* Proposes a function by the name in the source, without parameters, unless it
 * would need quotes. */
static void propose_function(const struct functions *f, const char *module,
			     const struct marker *m)
{
	const char *name = marker_shown(m->id) + strlen("fn/");
	char word[512];

	if (snprintf(word, sizeof(word), "%s%s%s%.*s", f->lead, module,
		     *module ? "/" : "", (int)strcspn(name, "("), name) <
		    (int)sizeof(word) && !strpbrk(word, " '\"<>{"))
		propose(f->p, word, NULL);
}

/* Proposes "MODULE/" by a name of a module, and its functions: behind this name,
 * or without one. */
static void propose_module(const struct functions *f, char *module, bool bare,
			   const struct marker_list *list)
{
	const char *typed = f->p->prefix + strlen(f->p->before) +
			    strlen(f->lead);
	const char *behind = strchr(typed, '/');
	char word[NAME_MAX + 8];

	bare = bare && (f->p->file || !rule_is_runtime(module));
	if (strstr(module, ".so"))
		*strstr(module, ".so") = '\0';
	snprintf(word, sizeof(word), "%s%s/", f->lead, module);
	if (!behind && list->count)
		propose(f->p, word, NULL);
	if (behind ? strlen(module) != (size_t)(behind - typed) ||
			     strncmp(module, typed, strlen(module)) != 0 :
		     !bare)
		return;
	for (size_t i = 0; i < list->count; i++)
		propose_function(f, behind ? module : "", &list->markers[i]);
}

static int propose_names(const char *path, const char *names,
			 struct marker_list *list, void *arg)
{
	char own[FILE_NAMES_BYTES], *rest = own, *name;
	const struct functions *f = arg;

	strcpy(own, names);
	while ((name = strsep(&rest, RULE_OR)))
		propose_module(f, name, name == own, list);
	return !!f->p->file;
}

/* Proposes functions of the process, the file or the program that the line has,
 * or of processes with an agent. */
static void propose_each(struct functions *f)
{
	struct targets targets;

	if (f->p->pid) {
		functions_of_process(f->p->pid, 0, NULL, propose_names, f);
		return;
	}
	if (f->p->file || f->p->program) {
		functions_of_program(f->p->file ? f->p->file : f->p->program,
				     0, NULL, propose_names, f);
		return;
	}
	if (!targets_open(&targets, 0))
		for (size_t i = 0; i < targets.count; i++)
			if (targets.list.processes[i].alive)
				functions_of_process(
					targets.list.processes[i].pid, 0,
					NULL, propose_names, f);
	targets_close(&targets);
}

void propose_functions(const struct proposal *p)
{
	struct functions f = { .p = p, .lead = "" };

	propose_each(&f);
}

void propose_files(const struct proposal *p)
{
	struct functions f = { .p = p, .lead = "fn:" };

	if (!strncmp(p->prefix, f.lead, strlen(f.lead)))
		propose_each(&f);
	else
		puts(":files");
}

/* Asks each living agent; one that does not answer is left out. A word that
 * begins as channel:name gets proposals of this form. Functions are proposed
 * behind "fn:" alone: they are many. */
void propose_markers(const struct proposal *p)
{
	const char *typed = p->prefix + strlen(p->before);
	struct functions functions = { .p = p, .lead = "fn:" };
	bool colon = strchr(typed, ':') && !strchr(typed, '/');
	struct names names = { 0 };
	struct targets targets;

	if (!strncmp(typed, functions.lead, strlen(functions.lead))) {
		propose_each(&functions);
		return;
	}
	if (!targets_open(&targets, p->pid))
		for (size_t i = 0; i < targets.count; i++) {
			struct target *target = &targets.targets[i];

			if (!target->process->alive || target_list(target))
				continue;
			for (size_t k = 0; k < target->markers.count; k++)
				names_add(target->markers.markers[k].id,
					  &names);
		}
	targets_close(&targets);
	for (size_t i = 0; colon && i < names.count; i++)
		if (strchr(names.names[i], '/'))
			*strchr(names.names[i], '/') = ':';
	names_propose(&names, p);
}

/* Proposes a process, with the name, unless it is a kernel thread: that has no
 * program, or the link cannot be read. */
static void propose_process(const struct proposal *p, pid_t pid)
{
	char path[64], name[32] = "", word[16];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (readlink(path, name, sizeof(name)) < 0)
		return;
	process_text(pid, 0, "comm", name, sizeof(name));
	name[strcspn(name, "\n")] = '\0';
	snprintf(word, sizeof(word), "%d", pid);
	propose(p, word, name);
}

/* By the user's runtime directory: a process that keeps files elsewhere is not
 * proposed, and can still be named. */
void propose_agents(const struct proposal *p)
{
	struct targets targets;

	if (!targets_open(&targets, 0))
		for (size_t i = 0; i < targets.count; i++)
			if (targets.list.processes[i].alive)
				propose_process(p,
						targets.list.processes[i].pid);
	targets_close(&targets);
}

/* Any process of the user may get an agent; this one is about to end. */
void propose_processes(const struct proposal *p)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	struct stat st;
	pid_t pid;

	while (proc && (entry = readdir(proc)))
		if (!command_parse_pid(&pid, entry->d_name) &&
		    pid != getpid() &&
		    !fstatat(dirfd(proc), entry->d_name, &st, 0) &&
		    st.st_uid == geteuid())
			propose_process(p, pid);
	if (proc)
		closedir(proc);
}

/* A word, and a tab where a text follows: the scripts split there. */
void propose(const struct proposal *p, const char *word, const char *text)
{
	size_t n = strlen(p->before);

	if (strncmp(p->prefix, p->before, n) ||
	    strncmp(p->prefix + n, word, strlen(p->prefix + n)))
		return;
	printf("%s%s%s%s\n", p->before, word, text && *text ? "\t" : "",
	       text ? text : "");
}
