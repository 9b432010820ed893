/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail call: runs a function of a probe library, prints what it prints.
 */
#include <stdio.h>
#include <string.h>

#include "command/common/command.h"
#include "command/load/libraries.h"

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
