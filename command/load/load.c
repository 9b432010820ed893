/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail load, unload, call: probe libraries in a running process.
 */
#include "command/load/libraries.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "command/attach/attach.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/sandbox/opener.h"

/* Reads the operands PID LIB.so. Returns a status of enum command_exit. */
static int take_operands(struct options *options, pid_t *pid, const char **file)
{
	static const struct option_row rows[] = { { 0 } };

	options->rows = rows;
	options->shape = "PID LIB";
	if (options_next(options) != OPTIONS_END) {
		/* 0 after --help, which must end the command, too */
		*pid = 0;
		return options->status;
	}
	if (options->argc - options->index != 2)
		return command_misused("give a process id and a library");
	if (command_parse_pid(pid, options->argv[options->index]))
		return command_misused_pid(options->argv[options->index],
					   "give one of them");
	*file = options->argv[options->index + 1];
	if (!**file)
		return command_misused("the library's name is empty");
	return COMMAND_DONE;
}

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

/* Gives the library's path. Returns COMMAND_DONE, COMMAND_FAILED, or
 * PATH_UNSEEN: the process sees another file there, or none. */
#define PATH_UNSEEN	(-1)

static int path_find(char path[PATH_MAX], const char *file, pid_t pid)
{
	char there[PATH_MAX + 32];
	struct stat ours, theirs;

	if (!realpath(file, path))
		return command_failed("cannot find %s: %s", file,
				      strerror(errno));
	snprintf(there, sizeof(there), "/proc/%d/root%s", pid, path);
	if (stat(path, &ours))
		return command_failed("cannot find %s: %s", path,
				      strerror(errno));
	if (opener_stat(there, &theirs) || theirs.st_dev != ours.st_dev ||
	    theirs.st_ino != ours.st_ino)
		return PATH_UNSEEN;
	return COMMAND_DONE;
}

static int load_by_path(pid_t pid, const char *path, const char *print,
			struct load_answer *answer)
{
	struct client_request request = { 0 };

	client_request_add(&request, "do", "load");
	client_request_add(&request, "path", "%s", path);
	if (print)
		client_request_add(&request, "print", "%s", print);
	return load_ask(pid, true, &request, answer);
}

static int load_by_copy(pid_t pid, const char *file, const char *print,
			struct load_answer *answer)
{
	struct load_copy copy;
	char path[PATH_MAX];
	int ret = load_copy_make(&copy, pid, file, path);

	if (ret)
		return command_failed("process %d does not see %s: it has "
				      "another file system there, and the "
				      "library cannot be copied to its /tmp "
				      "(%s); copy it to where both see it", pid,
				      file, strerror(-ret));
	ret = load_by_path(pid, path, print, answer);
	load_copy_remove(&copy);
	return ret;
}

int load_library(pid_t pid, const char *file, const char *print, char *name,
		 size_t room)
{
	struct load_answer answer;
	char path[PATH_MAX];
	int ret = path_find(path, file, pid);

	if (ret == PATH_UNSEEN)
		ret = load_by_copy(pid, path, print, &answer);
	else if (!ret)
		ret = load_by_path(pid, path, print, &answer);
	if (ret)
		return COMMAND_FAILED;
	if (!line_find(answer.facts, "name", name, (uint32_t)room))
		name[0] = '\0';
	load_answer_free(&answer);
	return COMMAND_DONE;
}

int load_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv,
		.about = "Load a probe library into a running process.",
	};
	char name[LINE_VALUE_BYTES];
	char own[PATH_MAX];
	const char *file = "";
	pid_t pid = 0;
	int ret = take_operands(&options, &pid, &file);

	if (ret || !pid)
		return ret;
	file = load_file_of(file, own);
	if (load_check_file(file) || load_check_process(pid) ||
	    attach_provide(pid) || load_library(pid, file, NULL, name,
						  sizeof(name)))
		return COMMAND_FAILED;
	printf("process %d: library '%s' loaded\n", pid, name);
	return command_finish();
}

/* Gives the path under which a file was loaded. The file may be gone: then the
 * directory's path is resolved. A word without a slash may be the library's
 * name. */
static void path_of_loaded(char path[PATH_MAX], const char *file)
{
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
}

int load_unload(pid_t pid, const char *file, bool tell)
{
	struct client_request request = { 0 };
	struct load_answer answer;
	char path[PATH_MAX];
	int ret = COMMAND_DONE;

	path_of_loaded(path, file);
	client_request_add(&request, "do", "unload");
	client_request_add(&request, "path", "%s", path);
	if (load_ask(pid, false, &request, &answer))
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
	struct client_request request = { 0 };
	struct load_answer answer;
	char path[PATH_MAX];

	*text = NULL;
	path_of_loaded(path, file);
	client_request_add(&request, "do", "print");
	client_request_add(&request, "path", "%s", path);
	if (load_ask(pid, false, &request, &answer))
		return COMMAND_FAILED;
	if (*answer.text)
		*text = strdup(answer.text);
	load_answer_free(&answer);
	return COMMAND_DONE;
}

int unload_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv,
		.about = "Disconnect the callbacks of a probe library, and "
			 "unload it from a running\nprocess. Fails while a "
			 "thread is in one of the callbacks.",
	};
	char own[PATH_MAX];
	const char *file = "";
	pid_t pid = 0;
	int ret = take_operands(&options, &pid, &file);

	if (ret || !pid)
		return ret;
	ret = load_unload(pid, load_file_of(file, own), true);
	if (!ret)
		printf("process %d: library unloaded\n", pid);
	return command_finish() ? COMMAND_FAILED : ret;
}

int call_main(int argc, char **argv)
{
	static const struct option_row rows[] = { { 0 } };
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
	load_add_words(&request, operands + 2);
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
