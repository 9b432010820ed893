/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads libbabeltrace2.
 *
 * Invariant: a function of `bt` is called only after foreign_load() has
 * returned NULL. The library stays loaded.
 */
#ifdef HAVE_BABELTRACE2
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "traces/foreign/library-private.h"

#define LIBRARY	"libbabeltrace2.so.0"

struct foreign_library bt;

#define FOREIGN_NAME(name)			"bt_" #name,
#define FOREIGN_SHORT_NAME(name, function)	"bt_" #function,

static const char *const names[] = {
	FOREIGN_FUNCTIONS(FOREIGN_NAME, FOREIGN_SHORT_NAME)
};

_Static_assert(offsetof(struct foreign_library, ctf) ==
	       ARRAY_SIZE(names) * sizeof(void *),
	       "a name for each function, in their order");

/* Loads the library, and finds each function and the classes of the components
 * that a graph has. Returns NULL, or why it cannot, in memory that stays. */
static const char *library_load(void)
{
	const bt_plugin *ctf = NULL, *utils = NULL;
	void **function = (void **)&bt;
	static char fact[300];
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		snprintf(fact, sizeof(fact), "libbabeltrace2 is missing "
			 "(Debian: libbabeltrace2-0; Fedora: libbabeltrace2): "
			 "%s", dlerror());
		return fact;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		function[i] = dlsym(library, names[i]);
		if (!function[i]) {
			snprintf(fact, sizeof(fact), LIBRARY " has no %s",
				 names[i]);
			return fact;
		}
	}
	/* it would load Python to look for plug-ins in Python */
	setenv("LIBBABELTRACE2_DISABLE_PYTHON_PLUGINS", "1", 0);
	bt.plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE,
		       &ctf);
	bt.plugin_find("utils", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE,
		       &utils);
	if (ctf)
		bt.ctf = bt.plugin_source(ctf, "fs");
	if (utils)
		bt.muxer = bt.plugin_filter(utils, "muxer");
	return bt.ctf && bt.muxer ? NULL :
	       "libbabeltrace2 does not find its plug-ins 'ctf' and 'utils'";
}

const char *foreign_load(void)
{
	static const char *why;
	static bool done;

	if (!done)
		why = library_load();
	done = true;
	return why;
}

void foreign_error(char *text, size_t room)
{
	const bt_error *error = bt.current_thread_take_error();

	snprintf(text, room, "it does not say why");
	if (!error)
		return;
	if (bt.error_get_cause_count(error))
		snprintf(text, room, "%s", bt.error_cause_get_message(
			 bt.error_borrow_cause_by_index(error, 0)));
	bt.error_release(error);
}
#endif
