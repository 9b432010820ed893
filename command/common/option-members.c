/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options whose rows name the member that they set (command.h).
 */
#include "command/common/command.h"

/* Sets the member that the key names. Returns COMMAND_DONE, or COMMAND_USAGE
 * after printing why. */
static int member_set(void *object, int key, const char *value)
{
	void *to = (char *)object + (key >> 8 & 0xffff);

	switch ((enum option_kind)(key >> 24)) {
	case OPTION_NOTED:
		return COMMAND_DONE;
	case OPTION_TRUE:
		*(bool *)to = true;
		return COMMAND_DONE;
	case OPTION_PROCESS:
		return command_take_pid(to, value);
	case OPTION_PROCESSES:
		return command_take_pids(to, value);
	case OPTION_SECONDS:
		return command_take_seconds(to, value);
	case OPTION_BYTES:
		return command_take_size(to, value);
	case OPTION_MS:
		return command_take_keep(to, value);
	case OPTION_BUFFERS:
		return command_take_buffers(to, value);
	case OPTION_CONTEXTS:
		return command_take_contexts(to, value);
	default:
		*(const char **)to = value;
		return COMMAND_DONE;
	}
}

bool options_take(struct options *options, void *object,
		  int (*take)(void *object, int key, const char *value))
{
	int key;

	while ((key = options_next(options)) != OPTIONS_END) {
		if (key == OPTIONS_STOP)
			return false;
		options->status = key >> 24 ?
				  member_set(object, key, options->value) :
				  take(object, key, options->value);
		if (options->status)
			return false;
	}
	return true;
}
