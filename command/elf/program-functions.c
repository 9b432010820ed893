/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of programs, libraries and processes. See program-functions.h.
 *
 * Invariant: each file is read once, whatever names it.
 */
#include "command/elf/program-functions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "command/common/installed.h"
#include "command/elf/elfnotes.h"
#include "command/elf/process-markers.h"
#include "command/procfs/module-names.h"
#include "command/procfs/process.h"
#include "command/sandbox/opener.h"

#define FILES_MAX	512

bool function_name(char name[FUNCTION_NAME_BYTES], const struct marker *m,
		   int i)
{
	const char *symbol = m->id + strlen("fn/");

	snprintf(name, FUNCTION_NAME_BYTES, "%s%s%s", i ? m->file : "",
		 i ? ":" : "", symbol);
	return !i || (i == 1 && *m->file);
}

/* The files of a program: those that were read, then those to read. */
struct files {
	char *paths[FILES_MAX];
	char *called[FILES_MAX];	/* the same by other names */
	size_t n;
	char beside[PATH_MAX];		/* the program's folder */
	char runtime[PATH_MAX];		/* that of this command's libc */
};

/* Adds a file that is there and not known. Returns false if there is none. */
static bool file_add(struct files *files, const char *folder, size_t bytes,
		     const char *name)
{
	char path[PATH_MAX], real[PATH_MAX];

	if (snprintf(path, sizeof(path), "%.*s%s%s", (int)bytes, folder,
		     bytes ? "/" : "", name) >= (int)sizeof(path) ||
	    !realpath(path, real))
		return false;
	for (size_t i = 0; i < files->n; i++)
		if (!strcmp(files->paths[i], real))
			return true;
	if (files->n < FILES_MAX) {
		files->paths[files->n] = strdup(real);
		files->called[files->n] = strdup(name);
		files->n += files->paths[files->n] && files->called[files->n];
	}
	return true;
}

/* Cuts a path behind its folder. */
static void folder_keep(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/* Notes the folder of the C library that this command runs with. */
static int find_runtime(const struct process_mapping *m, void *arg)
{
	struct files *files = arg;
	const char *name = strrchr(m->path, '/');

	if (!name || (strncmp(name, "/libc.so", 8) != 0 &&
		      strncmp(name, "/libc-", 6) != 0))
		return 0;
	snprintf(files->runtime, sizeof(files->runtime), "%s", m->path);
	folder_keep(files->runtime);
	return 1;
}

/* Adds the libraries that a file is linked to. */
static void add_needed(struct files *files, const char *path)
{
	static struct symboliser_module module;
	const char *name, *list;
	size_t n;
	bool found;

	if (symboliser_read(&module, path))
		return;
	for (name = module.needed; *name; name += strlen(name) + 1) {
		found = false;
		for (list = getenv("LD_LIBRARY_PATH"); list && *list && !found;
		     list += n + (list[n] == ':')) {
			n = strcspn(list, ":");
			found = n && file_add(files, list, n, name);
		}
		if (!found && !file_add(files, files->beside,
					strlen(files->beside), name))
			file_add(files, files->runtime, strlen(files->runtime),
				 name);
	}
}

/* Calls `take` for the files of a program, until a call returns another value
 * than 0, which is returned. */
static int each_path(const char *program,
		     int (*take)(const char *path, const char *called,
				 void *arg), void *arg)
{
	struct files files = { .n = 0 };
	char path[PATH_MAX];
	int ret = 0;

	process_each_mapping(getpid(), find_runtime, &files);
	if (!installed_program(path, sizeof(path), program))
		file_add(&files, "", 0, path);
	if (files.n)
		snprintf(files.beside, sizeof(files.beside), "%s",
			 files.paths[0]);
	folder_keep(files.beside);
	for (size_t i = 0; i < files.n; i++) {
		if (!ret && !file_is_agents(files.paths[i]))
			ret = take(files.paths[i], files.called[i], arg);
		if (!ret)
			add_needed(&files, files.paths[i]);
	}
	while (files.n--) {
		free(files.paths[files.n]);
		free(files.called[files.n]);
	}
	return ret;
}

void file_names(char names[FILE_NAMES_BYTES], const char *path)
{
	static struct symboliser_module module;
	char link[32], called[PATH_MAX] = "";
	struct opener_file file;
	bool read = false;

	if (!opener_open(&file, path, 0)) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", file.fd);
		if (!file.copied && readlink(link, called, PATH_MAX - 1) < 0)
			*called = '\0';
		read = !symboliser_read_open(&module, &file);
		opener_close(&file);
	}
	module_names(names, path, called, read ? module.soname : NULL);
}

/* The callers of the functions below. */
struct passing {
	process_wanted *wanted;
	functions_take *take;
	process_opened *opened;
	uint32_t how;
	void *arg;
};

static int pass_functions(const char *path, const char *called, void *arg)
{
	const struct passing *passing = arg;
	char error[ELFNOTES_ERROR_BYTES], names[FILE_NAMES_BYTES];
	struct marker_list list = { 0 };
	int ret = 0;

	if (passing->wanted && !passing->wanted(path, passing->arg))
		return 0;
	if (!elfnotes_read(&list, path, SYMBOLISER_FUNCTIONS | passing->how,
			   error)) {
		if (called)
			module_names(names, path, called, NULL);
		else
			file_names(names, path);
		ret = passing->take(path, names, &list, passing->arg);
	}
	marker_list_free(&list);
	return ret;
}

static int pass_file(const char *path, const char *called, void *arg)
{
	const struct passing *passing = arg;
	struct opener_file file;
	int ret;

	if (opener_open(&file, path, 0))
		return 0;
	ret = passing->opened(path, called, &file, passing->arg);
	opener_close(&file);
	return ret;
}

int functions_of_program(const char *program, uint32_t how,
			 process_wanted *wanted, functions_take *take,
			 void *arg)
{
	struct passing passing = { .wanted = wanted, .take = take, .how = how,
				   .arg = arg };

	return each_path(program, pass_functions, &passing);
}

int functions_of_files(char *const *paths, size_t n, process_wanted *wanted,
		       functions_take *take, void *arg)
{
	struct passing passing = { .wanted = wanted, .take = take, .arg = arg };
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = pass_functions(paths[i], NULL, &passing);
	return ret;
}

int files_of_program(const char *program, process_opened *opened, void *arg)
{
	struct passing passing = { .opened = opened, .arg = arg };

	return each_path(program, pass_file, &passing);
}

static int pass_module(const char *path, const char *names,
		       struct marker_list *functions, void *arg)
{
	const struct passing *passing = arg;

	return passing->take(path, names, functions, passing->arg);
}

/* The agent's own modules are not read. */
static bool wants_module(const char *path, void *arg)
{
	const struct passing *passing = arg;

	return !file_is_agents(path) &&
	       (!passing->wanted || passing->wanted(path, passing->arg));
}

int functions_of_process(pid_t pid, uint32_t how, process_wanted *wanted,
			 functions_take *take, void *arg)
{
	struct passing passing = { .wanted = wanted, .take = take, .arg = arg };

	if (process_handles_faults(pid))
		how |= SYMBOLISER_HANDLES;
	return process_each_module(pid, SYMBOLISER_FUNCTIONS | how,
				   wants_module, pass_module, &passing);
}
