/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where an export goes (command/export/target.c): a name that the user gave has
 * its old file until the new one is complete.
 */
#include "testsuite/unit/unit.h"

#include <dirent.h>
#include <errno.h>

#include "command/common/command.h"
#include "command/export/target.h"
#include "testsuite/unit/command/made.h"
#include "testsuite/unit/command/said.h"

static const struct export_format stream = { .target = EXPORT_STREAM };
static const struct export_format tables = { .target = EXPORT_TABLES };
static const struct export_format file = { .target = EXPORT_FILE };

/* Returns the text of a file, or "-" without one. */
static const char *text_of(const char *name)
{
	static char text[256];
	int fd = open(made_path(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return "-";
	text[n] = '\0';
	return text;
}

static int mode_of(const char *name)
{
	struct stat st;

	return stat(made_path(name), &st) ? -1 : (int)(st.st_mode & 07777);
}

/* Returns how many files a directory has. */
static int count_files(const char *name)
{
	DIR *dir = opendir(made_path(name));
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static void open_fails(const struct export_format *format, const char *path,
		       int want, const char *why, const char *name)
{
	struct target target;
	const char *text;
	int status;

	command_name("export");
	said_begin(STDERR_FILENO);
	status = target_open(&target, format, path, false);
	text = said_end();
	unit_check(strstr(text, why), "%s: why", name);
	unit_equal(status, want, "%s", name);
	target_drop(&target);
}

static void check_output(void)
{
	struct target target;

	unit_equal(target_open(&target, &stream, NULL, false), COMMAND_DONE,
		   "standard output");
	unit_equal(target.fd, STDOUT_FILENO, "its descriptor");
	unit_equal(target_keep(&target), COMMAND_DONE, "it is kept");
	unit_check(fcntl(STDOUT_FILENO, F_GETFD) >= 0, "and not closed");
	open_fails(&stream, "", COMMAND_USAGE, "-o: the name is empty",
		   "an empty name");
	open_fails(&stream, "-", COMMAND_USAGE, "/dev/stdout is standard "
		   "output", "a hyphen");
}

static void check_file(void)
{
	struct target target;

	umask(027);
	open_fails(&stream, made_path("out/f"), COMMAND_FAILED,
		   strerror(ENOENT), "a file in no directory");
	made_above("out/f");
	unit_equal(target_open(&target, &stream, made_path("out/f"), false),
		   COMMAND_DONE, "a new file");
	unit_equal_string(text_of("out/f"), "-", "it has no name yet");
	dprintf(target.fd, "one");
	unit_equal(target_keep(&target), COMMAND_DONE, "it is kept");
	unit_equal_string(text_of("out/f"), "one", "now it has its name");
	unit_equal(mode_of("out/f"), 0640, "and the user's mode");
	chmod(made_path("out/f"), 0604);
	target_open(&target, &stream, made_path("out/f"), false);
	dprintf(target.fd, "two");
	unit_equal_string(text_of("out/f"), "one", "the old file stays");
	target_drop(&target);
	unit_equal_string(text_of("out/f"), "one", "also when it fails");
	unit_equal(count_files("out"), 1, "and nothing is left");
	target_open(&target, &stream, made_path("out/f"), false);
	dprintf(target.fd, "three");
	target_keep(&target);
	unit_equal_string(text_of("out/f"), "three", "a file is replaced");
	unit_equal(mode_of("out/f"), 0604, "and keeps its mode");
	made_link("link", "out/f");
	target_open(&target, &stream, made_path("link"), false);
	dprintf(target.fd, "four");
	target_keep(&target);
	unit_equal_string(text_of("out/f"), "four", "a link's file");
	unit_equal(readlink(made_path("link"), (char[8]){ 0 }, 8), 5,
		   "the link stays");
	open_fails(&stream, made_path("out"), COMMAND_FAILED,
		   "is a directory: give the name of a file", "a directory");
	open_fails(&stream, made_path("new/"), COMMAND_FAILED,
		   "is the name of a directory", "a directory's name");
	open_fails(&file, "/dev/null", COMMAND_FAILED, "/dev/null is no file",
		   "a device, for a database");
	unit_equal(target_open(&target, &stream, "/dev/null", false), COMMAND_DONE,
		   "a device");
	unit_check(!target.made, "it is written directly");
	unit_equal(target_keep(&target), COMMAND_DONE, "and closed");
}

/* A file that another library opens by its name. */
static void check_named(void)
{
	struct target target;

	unit_equal(target_open(&target, &file, made_path("link"), false),
		   COMMAND_DONE, "a database");
	unit_equal(target.fd, -1, "is opened by name");
	unit_check(target.made && !strstr(target.made, "/link."),
		   "which has no link");
	target_drop(&target);
	unit_equal_string(text_of("out/f"), "four", "a file that stays");
}

static void check_directory(void)
{
	struct target target;

	unit_equal(target_open(&target, &tables, made_path("tables///"), false),
		   COMMAND_DONE, "a new directory");
	unit_check(target.folder >= 0, "it is open");
	close(openat(target.folder, "a.csv", O_CREAT | O_WRONLY, 0600));
	unit_equal(mode_of("tables"), -1, "it has no name yet");
	unit_equal(target_keep(&target), COMMAND_DONE, "it is kept");
	unit_equal(count_files("tables"), 1, "with its file");
	unit_equal(mode_of("tables"), 0750, "and the user's mode");
	open_fails(&tables, made_path("tables"), COMMAND_FAILED,
		   "is not empty", "a directory with a file");
	open_fails(&tables, made_path("out/f"), COMMAND_FAILED,
		   "is no directory", "a file, for tables");
	unlink(made_path("tables/a.csv"));
	unit_equal(target_open(&target, &tables, made_path("tables"), false),
		   COMMAND_DONE, "an empty directory");
	close(openat(target.folder, "b.csv", O_CREAT | O_WRONLY, 0600));
	target_drop(&target);
	unit_equal(count_files("tables"), 0, "it stays when it fails");
	unit_equal(count_files(""), 3, "and nothing is left");
}

int main(void)
{
	made_open();
	check_output();
	check_file();
	check_named();
	check_directory();
	made_close();
	return unit_end();
}
