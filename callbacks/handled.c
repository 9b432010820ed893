/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls the program's signal handlers, and counts in how many the thread is.
 *
 * Invariant: however a handler is left, the thread's count is then the one from
 * before the call.
 */
#include "base/base.h"
#include "callbacks/private.h"
#include "callbacks/stubs-private.h"

#define HIDDEN	__attribute__((visibility("hidden")))

__thread uint32_t callback_handlers;

action_fn *handler_functions[STUBS];

/* A call of a handler. */
struct call {
	struct cleanup buffer;
	uint32_t before;	/* callback_handlers */
};

/* The cleanup of handler_run(), for siglongjmp(), pthread_exit() and
 * cancellation. */
static SIGSAFE void handler_left(void *call)
{
	callback_handlers = ((struct call *)call)->before;
}

/* The frame ends: by return, or by an exception that a runtime throws from a
 * handler. */
static SIGSAFE void handler_end(struct call *call)
{
	callback_handlers = call->before;
	_pthread_cleanup_pop(&call->buffer, 0);
}

/* A handler may leave this function by siglongjmp(): see hit.c. */
SIGSAFE void handler_run(action_fn *handler, int number, siginfo_t *info,
			 void *context)
{
	struct call call __attribute__((cleanup(handler_end)));

	call.before = callback_handlers;
	_pthread_cleanup_push(&call.buffer, handler_left, &call);
	callback_handlers = call.before + 1;
	handler(number, info, context);
}

/* The stubs lead here. */
HIDDEN SIGSAFE void handler_call(int number, siginfo_t *info, void *context,
				 uint32_t stub);
SIGSAFE void handler_call(int number, siginfo_t *info, void *context,
			  uint32_t stub)
{
	handler_run(load_acquire(&handler_functions[stub], HANDLER_FUNCTIONS),
		    number, info, context);
}
