/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries that requests have loaded. One request runs at a time, so
 * nothing here is locked.
 *
 * Invariants:
 *  - a library is loaded and unloaded while no thread forks (fork_hold()): the
 *    child could not use the dynamic linker, whose lock another thread had;
 *  - a library is unloaded without connections only: none of its callbacks is
 *    on a stack then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "callbacks/private.h"
#include "control/request.h"

#define NAMES_BYTES	1024

static struct library *libraries;

/* Returns the link that leads to the library of that path, or the last one of
 * the list. */
static struct library **library_link(const char *path)
{
	struct library **link = &libraries;

	while (*link && strcmp((*link)->path, path))
		link = &(*link)->next;
	return link;
}

/* Returns the library with this name of n characters, or NULL. */
static struct library *find_name(const char *name, size_t n)
{
	struct library *library = libraries;

	while (library && (strncmp(library->about->name_, name, n) ||
			   library->about->name_[n]))
		library = library->next;
	return library;
}

/* Finds and checks the description that TAFFRAIL_PROBE_LIBRARY has left in the
 * library. Returns 0, or a negative errno after call_fail(). */
static int about_find(struct taffrail_call *call, struct library *library)
{
	const struct taffrail_probe_library_ *about =
		dlsym(library->handle, "taffrail_probe_library");
	const struct library *other;

	if (!about)
		return call_fail(call, -ENOEXEC, "%s is no probe library: it "
				 "has no TAFFRAIL_PROBE_LIBRARY",
				 library->path);
	if (about->abi_ != TAFFRAIL_PROBE_LIBRARY_ABI_ ||
	    about->item_bytes_ != sizeof(struct taffrail_probe_item_))
		return call_fail(call, -ENOEXEC, "%s was built for another "
				 "version of Taffrail: build it again",
				 library->path);
	other = find_name(about->name_, strlen(about->name_));
	if (other)
		return call_fail(call, -EEXIST, "a library of the name '%s' is "
				 "loaded already: %s", about->name_,
				 other->path);
	library->about = about;
	return 0;
}

/* Unloads a library, while no thread forks. */
static void close_held(void *handle)
{
	fork_hold();
	dlclose(handle);
	fork_release();
}

/* Frees a library that is not loaded, or no longer. */
static void library_free(struct library *library)
{
	free(library->print);
	free(library);
}

int library_load(struct taffrail_call *call, const char *path,
		 const char *print)
{
	struct library *library;
	int ret;

	if (*library_link(path))
		return call_fail(call, -EEXIST, "%s is loaded already; taffrail "
				 "unload takes it out", path);
	library = malloc(sizeof(*library) + strlen(path) + 1);
	if (!library)
		return call_fail(call, -ENOMEM, "no memory");
	strcpy(library->path, path);
	library->print = *print ? strdup(print) : NULL;
	fork_hold();
	library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	fork_release();
	if (!library->handle) {
		ret = call_fail(call, -ENOEXEC, "%s", dlerror());
		library_free(library);
		return ret;
	}
	ret = about_find(call, library);
	if (ret) {
		close_held(library->handle);
		library_free(library);
		return ret;
	}
	library->next = libraries;
	libraries = library;
	call_add(call, "name=%s\n", library->about->name_);
	return 0;
}

/* The library was loaded from the path, or as a copy of that file; or it has
 * the name, as in LIB:FUNCTION. */
struct library *library_find(struct taffrail_call *call, const char *path)
{
	struct library *library = *library_link(path);
	const char *name = strrchr(path, '/');
	struct library *l;

	for (l = libraries; !library && name && l; l = l->next) {
		const char *copy = strstr(l->path, "/" REQUEST_COPY_PREFIX);

		if (copy && !strcmp(strrchr(copy, '/'), name))
			library = l;
	}
	if (!library)
		library = find_name(path, strlen(path));
	if (!library)
		call_fail(call, -ENOENT, "%s is not loaded", path);
	return library;
}

int library_unload(struct taffrail_call *call, struct library *library)
{
	void *still;

	*library_link(library->path) = library->next;
	close_held(library->handle);
	still = dlopen(library->path, RTLD_LAZY | RTLD_NOLOAD);
	if (still) {
		close_held(still);
		call_add(call, "stays=1\n");
	}
	library_free(library);
	return 0;
}

struct library *library_of(const struct taffrail_probe_library_ *about)
{
	struct library *library = libraries;

	while (library && library->about != about)
		library = library->next;
	return library;
}

void library_print(struct taffrail_call *call, struct library *library)
{
	const struct taffrail_probe_item_ *const *item = library->about->items_;

	free(library->print);
	library->print = NULL;
	for (; item < library->about->end_; item++)
		if ((*item)->kind_ == TAFFRAIL_PROBE_ITEM_CALL_ &&
		    !strcmp((*item)->name_, "print"))
			(*item)->call_(call);
}

/* Adds a name to a list that a fault tells: a word may be misspelt. A name that
 * does not fit is left out. */
static void name_add(char names[NAMES_BYTES], const char *name)
{
	size_t used = strlen(names);

	if (used + strlen(name) + 3 > NAMES_BYTES)
		return;
	stpcpy(stpcpy(names + used, used ? ", " : ""), name);
}

/* A failure lists the libraries, or the items of that kind. */
const struct taffrail_probe_item_ *
library_item(struct taffrail_call *call, const char *name, uint32_t kind,
	     struct library **library)
{
	const struct taffrail_probe_item_ *const *item;
	const struct taffrail_probe_library_ *about;
	const char *colon = strchr(name, ':');
	const struct library *other;
	char names[NAMES_BYTES] = "";

	if (!colon || colon == name || !colon[1]) {
		call_fail(call, -EINVAL, "'%s' is not LIB:FUNCTION", name);
		return NULL;
	}
	*library = find_name(name, (size_t)(colon - name));
	if (!*library) {
		for (other = libraries; other; other = other->next)
			name_add(names, other->about->name_);
		call_fail(call, -ENOENT, "no library '%.*s' is loaded%s%s; "
			  "load it with taffrail load PID LIB.so",
			  (int)(colon - name), name, *names ? ", only: " : "",
			  names);
		return NULL;
	}
	about = (*library)->about;
	for (item = about->items_; item < about->end_; item++) {
		if ((*item)->kind_ != kind)
			continue;
		if (!strcmp((*item)->name_, colon + 1))
			return *item;
		name_add(names, (*item)->name_);
	}
	call_fail(call, -ENOENT, "%s has no %s '%s'; it has: %s", about->name_,
		  kind == TAFFRAIL_PROBE_ITEM_CALL_ ? "function" : "callback",
		  colon + 1, *names ? names : "none");
	return NULL;
}
