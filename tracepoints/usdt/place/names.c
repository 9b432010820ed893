/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names by which rules want the functions of a module. A function may have
 * several symbols, and a static one is also called "FILE.c:NAME". A rule means
 * one name of each function (rule_prefers()).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "base/sys.h"
#include "tracepoints/usdt/place/private.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/sort.h"

#define DELETED		" (deleted)"
#define NAMES_MAX	16u	/* of a function, that are compared */

/* Sets the path to which a link leads; or "". */
static void link_read(char path[MODULE_PATH_BYTES], const char *link)
{
	long n = sys3(SYS_readlink, link, path, MODULE_PATH_BYTES - 1);

	path[n > 0 ? n : 0] = '\0';
}

/* Sets the path of the file to which a path leads, or "". */
static void path_resolve(char to[MODULE_PATH_BYTES], const char *path)
{
	int fd = (int)sys_open(path, O_PATH | O_CLOEXEC, 0);
	char link[40];
	struct text text;

	*to = '\0';
	if (fd < 0)
		return;
	text_open(&text, link, sizeof(link));
	text_add(&text, "/proc/thread-self/fd/");
	text_add_number(&text, fd);
	link_read(to, link);
	sys_close(fd);
}

/* Sets the path of the program's file. */
static void program_path(char own[MODULE_PATH_BYTES])
{
	size_t n;

	link_read(own, "/proc/self/exe");
	/* the kernel's mark of a file that is removed or replaced */
	n = text_length(own);
	if (n > sizeof(DELETED) &&
	    text_equal(own + n - (sizeof(DELETED) - 1), DELETED) &&
	    sys2(SYS_access, own, 0) == -ENOENT)
		own[n - (sizeof(DELETED) - 1)] = '\0';
}

/* Adds a name by which rules know the module, too. */
static void name_add(struct module *module, const char *name)
{
	size_t used = text_length(module->names);
	const char *p = name;
	struct text text;

	while (*p && *p != *RULE_OR)
		p++;
	if (!*name || *p || text_equal(name, module->name))
		return;
	text_open(&text, module->names + used, sizeof(module->names) - used);
	text_add(&text, RULE_OR);
	text_add(&text, name);
	if (text.cut)
		module->names[used] = '\0';
}

/* Sets the name of the program's file, and adds that with which it was
 * executed, if this leads to the file: an interpreter has that of the
 * script. */
static void program_name(struct module *module)
{
	const char *executed = (const char *)getauxval(AT_EXECFN), *name;
	char own[MODULE_PATH_BYTES], path[MODULE_PATH_BYTES];
	struct text beside;

	program_path(own);
	text_copy(module->name, sizeof(module->name), text_file_name(own));
	text_copy(module->names, sizeof(module->names), module->name);
	if (!executed)
		return;
	name = text_file_name(executed);
	path_resolve(path, executed);
	if (!text_equal(path, own)) {
		/* by a path from a folder that the program has left */
		text_open(&beside, path, sizeof(path));
		text_add_bytes(&beside, own,
			       (size_t)(text_file_name(own) - own));
		text_add(&beside, name);
		path_resolve(path, path);
	}
	if (text_equal(path, own))
		name_add(module, name);
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
	char path[MODULE_PATH_BYTES];

	if (module->named)
		return !is_own(module);
	module->named = true;
	if (!module->name[0]) {
		program_name(module);
	} else if (module->path[0]) {
		path_resolve(path, module->path);
		name_add(module, text_file_name(path));
	}
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
	/* under the registry's lock; a stack has not so much room */
	static char texts[NAMES_MAX][USDT_NAME_BYTES] TABLE;
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

	if (text_length(found->name) + (source ? text_length(source) + 1 : 0) >
	    FUNCTION_SYMBOL_MOST)
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
