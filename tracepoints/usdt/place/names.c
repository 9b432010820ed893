/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names by which rules want the functions of a module. A function may have
 * several symbols, and a static one is also called "FILE.c:NAME". A rule means
 * one name of each function (rule_prefers()).
 */
#include <errno.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/sort.h"

#define DELETED		" (deleted)"
#define NAMES_MAX	16u	/* of a function, that are compared */

/* Sets the last part of the path of the program's file. */
static void program_name(struct module *module)
{
	char own[MODULE_PATH_BYTES];
	long n = sys3(SYS_readlink, "/proc/self/exe", own, sizeof(own) - 1);

	n = n > 0 ? n : 0;
	own[n] = '\0';
	/* the kernel's mark of a file that is removed or replaced */
	if (n > (long)sizeof(DELETED) &&
	    text_equal(own + n - (sizeof(DELETED) - 1), DELETED) &&
	    sys2(SYS_access, own, 0) == -ENOENT)
		own[n - (long)(sizeof(DELETED) - 1)] = '\0';
	text_copy(module->name, sizeof(module->name), text_file_name(own));
}

/* Tells whether the module is one of the agent's own, or has the agent. */
static bool is_own(const struct module *module)
{
	uint64_t entry = (uint64_t)usdt_entry;

	return text_after(module->name, "libtaffrail") ||
	       text_after(module->name, "libZydis") ||
	       (entry >= module->start && entry < module->end);
}

bool usdt_module_name(struct module *module)
{
	if (!module->name[0])
		program_name(module);
	return !is_own(module);
}

const char *usdt_name_make(char name[USDT_NAME_BYTES],
			   const struct usdt_wanted *wanted, int exit)
{
	struct text text;

	text_open(&text, name, USDT_NAME_BYTES);
	if (wanted->source) {
		text_add(&text, wanted->source);
		text_add_char(&text, ':');
	}
	text_add(&text, wanted->name);
	if (exit)
		text_add(&text, RULE_RETURN);
	return name;
}

int usdt_name_wanted(const struct usdt_naming *naming,
		     const struct usdt_wanted *wanted, uint32_t better,
		     int exit, struct rule_types *types)
{
	char texts[NAMES_MAX][USDT_NAME_BYTES];
	const char *names[NAMES_MAX];
	uint32_t n;

	n = better < NAMES_MAX ? better + 1 : NAMES_MAX;
	for (uint32_t i = 0; i < n; i++)
		names[i] = usdt_name_make(texts[i], wanted + 1 - n + i, exit);
	return naming->asking->function_wanted(naming->module, names, n, types,
					       naming->asking->arg);
}

/* Sets how a function is wanted by a name. */
static void name_set(struct usdt_naming *naming, struct usdt_wanted *wanted,
		     uint32_t better)
{
	struct rule_types types;
	int how = usdt_name_wanted(naming, wanted, better, 0, &types);
	int exits = usdt_name_wanted(naming, wanted, better, 1, &types);

	wanted->entry = !!how;
	wanted->exits = how & USDT_WANTED_CALL || exits;
	wanted->traps = !!((how | exits) & USDT_WANTED_INT3);
	naming->calls |= how & USDT_WANTED_CALL;
}

/* Counts or keeps a name. */
static void name_seen(struct usdt_naming *naming,
		      const struct usdt_symbol_found *found,
		      const char *source)
{
	struct usdt_wanted wanted = { found->address, found->site, found->name,
				      .source = source,
				      .file = found->source };

	if (text_length(found->name) + (source ? text_length(source) : 0) +
		    sizeof("fn/:" RULE_RETURN) > USDT_NAME_BYTES)
		return;
	name_set(naming, &wanted, 0);
	if (!wanted.entry && !wanted.exits)
		return;
	if (naming->count < naming->room)
		naming->names[naming->count] = wanted;
	naming->count++;
}

static int function_seen(const struct usdt_symbol_found *found, void *naming)
{
	name_seen(naming, found, NULL);
	if (found->source)
		name_seen(naming, found, found->source);
	return 0;
}

static bool name_before(const void *one, const void *other)
{
	const struct usdt_wanted *a = one, *b = other;
	char names[2][USDT_NAME_BYTES];

	return a->site != b->site ? a->site < b->site :
	       rule_prefers(usdt_name_make(names[0], a, 0),
			    usdt_name_make(names[1], b, 0));
}

int usdt_names_read(struct usdt_naming *naming, const struct usdt_file *file)
{
	struct usdt_wanted room, *wanted;
	uint32_t i, start = 0, kept = 0;
	int ret = usdt_functions_read(file, naming->more, function_seen,
				      naming);

	if (ret || !naming->count)
		return ret;
	naming->names = sys_map_anonymous(2ull * naming->count * sizeof(room));
	if (!naming->names)
		return -ENOMEM;
	naming->room = naming->count;
	naming->count = 0;
	usdt_functions_read(file, naming->more, function_seen, naming);
	if (naming->count > naming->room)
		naming->count = naming->room;
	sort_things(naming->names, naming->count, sizeof(room), &room,
		    name_before);
	for (i = 0; i < naming->count; i++) {
		if (naming->names[i].site != naming->names[start].site)
			start = i;
		name_set(naming, &naming->names[i], i - start);
	}
	/* those that no rule means were needed until here */
	for (i = 0; i < naming->count; i++) {
		wanted = &naming->names[i];
		if (wanted->entry || wanted->exits)
			naming->names[kept++] = *wanted;
	}
	naming->count = kept;
	return 0;
}

uint32_t usdt_names_choose(const struct usdt_naming *naming,
			   struct usdt_wanted **wanted)
{
	struct usdt_wanted *first = *wanted = naming->names + naming->room;
	uint32_t i, n = 0;

	for (i = 0; i < naming->count; i++) {
		if (!n || first[n - 1].site != naming->names[i].site)
			first[n++] = naming->names[i];
		first[n - 1].entry |= naming->names[i].entry;
		first[n - 1].exits |= naming->names[i].exits;
		first[n - 1].traps |= naming->names[i].traps;
	}
	return n;
}

void usdt_names_forget(struct usdt_naming *naming)
{
	if (naming->names)
		sys_munmap(naming->names,
			   2ull * naming->room * sizeof(*naming->names));
	if (naming->targets.list)
		sys_munmap(naming->targets.list,
			   naming->targets.room *
				   sizeof(*naming->targets.list));
}
