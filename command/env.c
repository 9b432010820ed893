/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail env: prints a value of TAFFRAIL_ENABLE, in which rules for source
 * lines and functions are compiled.
 *
 * Invariant: the value is the text of rules that a request has, between a line
 * "file=NAME" of the program and a line "end=", so the agent verifies it. It names places by build id: it means nothing in other
 * programs, which get the variable, too.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "command/agents/client.h"
#include "command/agents/rule.h"
#include "command/causes/cause.h"
#include "command/common/command.h"
#include "command/common/installed.h"
#include "command/elf/line-rules.h"
#include "command/elf/named-functions.h"
#include "tracepoints/conditions/rule-split.h"

#define RULES_MAX	64	/* an agent's limit for a session */
#define VALUE_BYTES	(128 * 1024)	/* of a variable, by execve(2) */

enum { KEY_YES = 256 };

static const struct option_row rows[] = {
	{ 'e', "event", "RULE", "trace markers, lines or functions that match; "
	  "repeatable" },
	{ KEY_YES, "yes", NULL, COMMAND_YES_HELP },
	{ 0 }
};

int env_main(int argc, char **argv)
{
	struct options options = {
		.argc = argc, .argv = argv, .rows = rows,
		.shape = "-e RULE... PROG",
		.about = "Print a value of TAFFRAIL_ENABLE for PROG, with what "
			 "its debug\ninformation says of the lines and "
			 "functions that rules name.",
	};
	struct client_request request = { 0 };
	const char *rules[RULES_MAX];
	struct named_in in = { 0 };
	char file[PATH_MAX];
	bool yes = false;
	int key, ret, n = 0;

	while ((key = options_next(&options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return options.status;
		if (key == KEY_YES) {
			yes = true;
			continue;
		}
		if (n == RULES_MAX)
			return command_misused("more than %d rules", RULES_MAX);
		rules[n] = options.value;
		ret = rule_take(&rules[n++]);
		if (ret)
			return ret;
	}
	if (!n || argc - options.index != 1)
		return command_misused(n ? "give one program" :
				       "give a rule (-e)");
	ret = installed_program(file, sizeof(file), argv[options.index]);
	if (ret || access(file, R_OK))
		return command_failed("%s: %s", argv[options.index],
				      strerror(ret ? -ret : errno));
	in.program = file;
	ret = functions_consent(rules, n, &in, yes);
	if (ret)
		return ret;
	for (int i = 0; i < n; i++) {
		if (rule_kind(rules[i]) == RULE_LINE &&
		    !*line_rule_text(rules[i]))
			return command_failed("rule '%s': %s is no program in "
					      "an ELF file", rules[i], file);
		/* agents name it if it is another one */
		if (*line_rule_library(rules[i]))
			client_request_add(&request, "of", "%s",
					   line_rule_library(rules[i]));
		rule_request(&request, &rules[i], 1);
	}
	if (request.failed)
		return cause_report(OUT_OF_MEMORY);
	if (strlen(request.text) + sizeof("TAFFRAIL_ENABLE=file=\nend=\n") +
		    NAME_MAX > VALUE_BYTES)
		return command_failed("the rules are too much for a variable: "
				      "name fewer lines or functions");
	/* by these, agents know another build, and a part of the value */
	printf("file=%s\n%send=\n", text_file_name(file), request.text);
	client_request_release(&request);
	return command_finish();
}
