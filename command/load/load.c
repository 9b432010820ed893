/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail load, unload, call: probe libraries in a running process.
 *
 * Invariants: a file is loaded by a path at which the process sees the very
 * file that was checked, or as a copy of it in the /tmp there, for the moment
 * in which it is loaded. The process may own the file system of the copy: so
 * no path there is reached through a symbolic link, and no file that is there
 * is written.
 */
#include "command/load/libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/inode.h"
#include "command/common/installed.h"
#include "command/sandbox/opener.h"
#include "control/request.h"

#define TRIES		100
/* For a directory of the process's: O_NOFOLLOW keeps links out. */
#define OPEN_FLAGS	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* A file of the current directory has precedence: a word that names one is no
 * name of a library that comes with Taffrail. */
const char *load_file_of(const char *word, char path[PATH_MAX])
{
	char name[NAME_MAX + 32];

	if (strchr(word, '/') || !access(word, F_OK))
		return word;
	snprintf(name, sizeof(name), "taffrail/%s%s", word,
		 strstr(word, ".so") ? "" : ".so");
	return installed_find(path, PATH_MAX, INSTALLED_LIB, name) ? word :
								      path;
}

/* These commands have no options but --help. */
static const struct option_row rows[] = { { 0 } };

/* Reads the operands PID LIB.so; `own` has room for the library's path. Returns
 * a status of enum command_exit; after --help, *pid is 0. */
static int take_operands(int argc, char **argv, const char *about, pid_t *pid,
			 const char **file, char own[PATH_MAX])
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows, .shape = "PID LIB",
		.about = about,
	};

	*pid = 0;
	/* --help must end the command, too */
	if (options_next(&options) != OPTIONS_END)
		return options.status;
	if (argc - options.index != 2)
		return command_misused("give a process id and a library%s",
				       strcmp(argv[0], "load") ? "" :
				       "; a session that lttng saved: taffrail "
				       "start --from FILE --all");
	if (command_parse_pid(pid, argv[options.index]))
		return command_misused_pid(argv[options.index],
					   "give one of them");
	if (!*argv[options.index + 1])
		return command_misused("the library's name is empty");
	*file = load_file_of(argv[options.index + 1], own);
	return COMMAND_DONE;
}

/* A copy of a library, and the descriptors that reach it: never a path, which
 * the process could change. */
struct copy {
	int tmp;			/* the process's /tmp, or -1 */
	int made;			/* our directory there, or -1 */
	char directory[64];		/* the copy's name; "": not made */
	const char *name;
};

/* Removes a copy; also one that was never made, with both descriptors -1. */
static void copy_remove(struct copy *copy)
{
	if (copy->made >= 0) {
		unlinkat(copy->made, copy->name, 0);
		close(copy->made);
	}
	if (copy->tmp >= 0) {
		if (copy->directory[0])
			unlinkat(copy->tmp, copy->directory, AT_REMOVEDIR);
		close(copy->tmp);
	}
	copy->made = copy->tmp = -1;
}

/* Copies a library, by the whole path, to a place that the process sees, and
 * gives the path there. The first path must live as long as the copy.
 * Returns 0, then the caller calls copy_remove(); or a negative errno, and
 * nothing is left. */
static int copy_make(struct copy *copy, pid_t pid, const char *file,
		     char path[PATH_MAX])
{
	int ret, root, from, to;
	bool made = false;
	ssize_t n = -1;

	copy->name = strrchr(file, '/') + 1;
	snprintf(path, PATH_MAX, "/proc/%d/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0) {
		copy->tmp = openat(root, "tmp", OPEN_FLAGS);
		close(root);
	}
	for (int i = 0; copy->tmp >= 0 && i < TRIES; i++) {
		snprintf(copy->directory, sizeof(copy->directory),
			 REQUEST_COPY_PREFIX "%d.%d", getpid(), i);
		made = !mkdirat(copy->tmp, copy->directory, 0755);
		if (made || errno != EEXIST)
			break;
	}
	if (made)
		copy->made = openat(copy->tmp, copy->directory, OPEN_FLAGS);
	else
		copy->directory[0] = '\0';
	/* whatever the umask: the process may be another user's */
	if (copy->made < 0 || fchmod(copy->made, 0755))
		goto fail;
	from = open(file, O_RDONLY | O_CLOEXEC);
	to = from < 0 ? -1 :
	     openat(copy->made, copy->name, O_WRONLY | O_CREAT | O_EXCL |
					    O_NOFOLLOW | O_CLOEXEC, 0700);
	while (to >= 0 && (n = sendfile(to, from, NULL, 1u << 20)) > 0)
		;
	ret = n < 0 ? -1 : fchmod(to, 0755);
	/* a file that is open for writing is not mapped to be executed */
	if (to >= 0 && close(to))
		ret = -1;
	if (from >= 0)
		close(from);
	if (!ret) {
		snprintf(path, PATH_MAX, "/tmp/%s/%s", copy->directory,
			 copy->name);
		return 0;
	}
fail:
	ret = -errno;
	copy_remove(copy);
	return ret;
}

int load_library(pid_t pid, const char *file, const char *print, char *name,
		 size_t room)
{
	struct client_request request = { 0 };
	char path[PATH_MAX], there[PATH_MAX + 32], *seen = path;
	struct copy copy = { .tmp = -1, .made = -1 };
	struct load_answer answer;
	struct stat ours, theirs;
	int ret;

	if (!realpath(file, path))
		return command_failed("cannot find %s: %s", file,
				      strerror(errno));
	snprintf(there, sizeof(there), "/proc/%d/root%s", pid, path);
	if (stat(path, &ours))
		return command_failed("cannot find %s: %s", path,
				      strerror(errno));
	/* the process sees another file there, or none */
	if (opener_stat(there, &theirs) || !inode_same(&theirs, &ours)) {
		ret = copy_make(&copy, pid, path, there);
		if (ret)
			return command_failed("process %d does not see %s: it "
					      "has another file system there, "
					      "and the library cannot be "
					      "copied to its /tmp (%s); copy "
					      "it to where both see it", pid,
					      path, strerror(-ret));
		seen = there;
	}
	client_request_add(&request, "do", "load");
	client_request_add(&request, "path", "%s", seen);
	if (print)
		client_request_add(&request, "print", "%s", print);
	ret = load_ask(pid, true, &request, &answer);
	copy_remove(&copy);
	if (ret)
		return COMMAND_FAILED;
	if (!line_find(answer.facts, "name", name, (uint32_t)room))
		name[0] = '\0';
	load_answer_free(&answer);
	return COMMAND_DONE;
}

/* The file is checked before the process is touched. */
int load_main(int argc, char **argv)
{
	char name[LINE_VALUE_BYTES], own[PATH_MAX];
	const char *file;
	pid_t pid;
	int ret = take_operands(argc, argv, "Load a probe library into a "
				"running process.", &pid, &file, own);

	if (ret || !pid)
		return ret;
	if (load_check_file(file) || load_check_process(pid) ||
	    attach_provide(pid, NULL) || load_library(pid, file, NULL, name,
						  sizeof(name)))
		return COMMAND_FAILED;
	printf("process %d: library '%s' loaded\n", pid, name);
	return command_finish();
}

/* Sends a request about a file that was loaded, and gives the path under which
 * it was. The file may be gone: then the directory's path is resolved. A word
 * without a slash may be the library's name. Returns as load_ask(). */
static int loaded_ask(pid_t pid, const char *what, const char *file,
		      char path[PATH_MAX], struct load_answer *answer)
{
	struct client_request request = { 0 };
	const char *name = strrchr(file, '/');
	char *directory = name ? strndup(file, (size_t)(name - file) + 1) :
				 NULL;
	size_t used;

	if (!realpath(file, path) && (!directory || !realpath(directory, path)))
		snprintf(path, PATH_MAX, "%s", file);
	else if (access(file, F_OK)) {
		used = path[1] ? strlen(path) : 0;
		snprintf(path + used, PATH_MAX - used, "%s", name);
	}
	free(directory);
	client_request_add(&request, "do", "%s", what);
	client_request_add(&request, "path", "%s", path);
	return load_ask(pid, false, &request, answer);
}

int load_unload(pid_t pid, const char *file, bool tell)
{
	struct load_answer answer;
	char path[PATH_MAX];
	int ret = COMMAND_DONE;

	if (loaded_ask(pid, "unload", file, path, &answer))
		return COMMAND_FAILED;
	if (tell)
		load_tell_missed(pid, &answer);
	if (load_number(&answer, "stays"))
		ret = command_failed("process %d keeps %s in memory: it is "
				     "disconnected, but something else uses it "
				     "(dlopen, or a library that needs it)",
				     pid, path);
	load_answer_free(&answer);
	return ret;
}

int load_print(pid_t pid, const char *file, char **text)
{
	struct load_answer answer;
	char path[PATH_MAX];

	*text = NULL;
	if (loaded_ask(pid, "print", file, path, &answer))
		return COMMAND_FAILED;
	*text = *answer.text ? strdup(answer.text) : NULL;
	load_answer_free(&answer);
	return COMMAND_DONE;
}

int unload_main(int argc, char **argv)
{
	char own[PATH_MAX];
	const char *file;
	pid_t pid;
	int ret = take_operands(argc, argv, "Disconnect the callbacks of a "
				"probe library, and unload it from a "
				"running\nprocess. Fails while a thread is in "
				"one of the callbacks.", &pid, &file, own);

	if (ret || !pid)
		return ret;
	ret = load_unload(pid, file, true);
	if (!ret)
		printf("process %d: library unloaded\n", pid);
	return command_finish() ? COMMAND_FAILED : ret;
}

/* Fails when the function returns other than 0, whatever it has printed. */
int call_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "PID LIB:FUNCTION [WORD]...",
		.about = "Call a function of a probe library in a running "
			 "process, and print what it\nprints.",
	};
	struct client_request request = { 0 };
	struct load_answer answer;
	char **operands;
	pid_t pid;
	int ret = COMMAND_DONE;

	if (options_next(&options) != OPTIONS_END)
		return options.status;
	operands = argv + options.index;
	if (argc - options.index < 2)
		return command_misused("give a process id and LIB:FUNCTION");
	if (command_parse_pid(&pid, operands[0]))
		return command_misused_pid(operands[0], "give one of them");
	if (!strchr(operands[1], ':'))
		return command_misused("'%s' is not LIB:FUNCTION", operands[1]);
	client_request_add(&request, "do", "call");
	client_request_add(&request, "function", "%s", operands[1]);
	for (char **word = operands + 2; *word; word++)
		client_request_add(&request, "word", "%s", *word);
	if (load_ask(pid, false, &request, &answer))
		return COMMAND_FAILED;
	fputs(answer.text, stdout);
	if (load_number(&answer, "cut"))
		ret = command_failed("the answer is cut: it has at most 1 MiB");
	if (answer.status)
		ret = command_failed("%s has returned %d", operands[1],
				     answer.status);
	load_answer_free(&answer);
	return command_finish() ? COMMAND_FAILED : ret;
}
