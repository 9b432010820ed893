/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace state variables, which gdbserver keeps in a list.
 */
#include "gdbstub/ipa/ipa.h"

#include <time.h>

#include "base/base.h"
#include "base/sys.h"

#define VISIBLE		__attribute__((visibility("default"), used))

VISIBLE struct ipa_variable *gdb_agent_trace_state_variables;

static struct ipa_variable *variable_find(uint32_t number)
{
	struct ipa_variable *variable =
		load_acquire(&gdb_agent_trace_state_variables, IPA_VARIABLES);

	while (variable && (uint32_t)variable->number != number)
		variable = variable->next;
	return variable;
}

/* Variable 1 is $trace_timestamp: microseconds of a steady clock, as gdbserver
 * has it. */
int ipa_variable_get(uint32_t number, int64_t *value)
{
	struct ipa_variable *variable;
	struct timespec now;

	if (number == 1) {
		sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
		*value = now.tv_sec * 1000000ll + now.tv_nsec / 1000;
		return 0;
	}
	variable = variable_find(number);
	if (variable)
		*value = load_relaxed(&variable->value);
	return variable ? 0 : -1;
}

int ipa_variable_set(uint32_t number, int64_t value)
{
	struct ipa_variable *variable = variable_find(number);

	if (variable)
		store_relaxed(&variable->value, value);
	return variable ? 0 : -1;
}

/* These two serve the code of conditions that gdbserver has compiled. */
static int64_t variable_get(int number)
{
	int64_t value = 0;

	ipa_variable_get((uint32_t)number, &value);
	return value;
}

static void variable_set(int number, int64_t value)
{
	ipa_variable_set((uint32_t)number, value);
}

VISIBLE int64_t (*gdb_agent_get_trace_state_variable_value_ptr)(int number) =
	variable_get;
VISIBLE void (*gdb_agent_set_trace_state_variable_value_ptr)(int number,
							     int64_t value) =
	variable_set;
