/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of modules. See module-names.h.
 */
#include "command/procfs/module-names.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/text.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"
#include "tracepoints/conditions/rule-split.h"

#define PAGE_BYTES	4096u

static const char mark[] = " (deleted)";

/* Takes the kernel's mark away. */
static void mark_cut(char *path)
{
	size_t n = strlen(path), bytes = strlen(mark);

	if (n > bytes && !strcmp(path + n - bytes, mark))
		path[n - bytes] = '\0';
}

void module_names(char names[FILE_NAMES_BYTES], const char *path,
		  const char *called, const char *soname)
{
	const char *others[] = { called, soname }, *name;
	size_t used, first;

	snprintf(names, FILE_NAMES_BYTES, "%s", text_file_name(path));
	mark_cut(names);
	first = used = strlen(names);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		name = others[i] ? text_file_name(others[i]) : "";
		if (!*name || strchr(name, *RULE_OR) ||
		    used + strlen(name) + 2 > FILE_NAMES_BYTES ||
		    (strlen(name) == first && !strncmp(name, names, first)))
			continue;
		used += (size_t)sprintf(names + used, "%s%s", RULE_OR, name);
	}
}

/* Reads the path with which a process was executed; from another user's, or
 * where Yama forbids to read memory, the first argument. Returns false if there
 * is none. */
static bool path_read(char path[PATH_MAX], pid_t pid)
{
	char bytes[2048];
	const Elf64_auxv_t *aux = (const Elf64_auxv_t *)bytes;
	ssize_t n = process_text(pid, 0, "auxv", bytes, sizeof(bytes));
	uint64_t at = 0;
	size_t used, some;

	for (; n >= (ssize_t)sizeof(*aux); aux++, n -= (ssize_t)sizeof(*aux))
		if (aux->a_type == AT_EXECFN)
			at = aux->a_un.a_val;
	for (used = 0; at && used < PATH_MAX; used += some) {
		some = PAGE_BYTES - (at + used) % PAGE_BYTES;
		some = some < PATH_MAX - used ? some : PATH_MAX - used;
		if (process_memory(pid, at + used, path + used, some))
			break;
		if (memchr(path + used, '\0', some))
			return true;
	}
	return process_text(pid, 0, "cmdline", path, PATH_MAX) > 0;
}

/* Tells whether a path of a process leads to one of two files. */
static bool leads_to(const char *path, const struct stat *file,
		     const struct stat *now)
{
	struct stat st;

	return !opener_stat(path, &st) &&
	       ((st.st_dev == file->st_dev && st.st_ino == file->st_ino) ||
		(st.st_dev == now->st_dev && st.st_ino == now->st_ino));
}

const char *process_called(char called[PATH_MAX], pid_t pid, const char *path)
{
	char link[32], own[PATH_MAX], place[2 * PATH_MAX];
	struct stat file, now = { 0 };
	const char *name;
	ssize_t n;

	pid = process_shown(pid);
	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	n = readlink(link, own, sizeof(own) - 1);
	own[n > 0 ? n : 0] = '\0';
	if (strcmp(own, path) != 0 || opener_stat(link, &file) ||
	    !path_read(called, pid))
		return NULL;
	mark_cut(own);
	snprintf(place, sizeof(place), "/proc/%d/root%s", pid, own);
	/* it may have been replaced */
	if (opener_stat(place, &now))
		now = file;
	name = text_file_name(called);
	snprintf(place, sizeof(place), "/proc/%d/%s/%s", pid,
		 *called == '/' ? "root" : "cwd", called);
	if (leads_to(place, &file, &now))
		return called;
	/* by a path from a folder that it has left */
	snprintf(place, sizeof(place), "/proc/%d/root%.*s%s", pid,
		 (int)(text_file_name(own) - own), own, name);
	return leads_to(place, &file, &now) ? called : NULL;
}
