/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Probe libraries (command/load/): which files are some, what their processes
 * allow, and how callbacks are shown.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>

#include "command/common/command.h"
#include "command/load/libraries.h"
#include "command/load/listed.h"
#include "include/taffrail/probe-library.h"
#include "testsuite/unit/command/elf-made.h"
#include "testsuite/unit/command/proc.h"
#include "testsuite/unit/command/said.h"

#define PID	4711

static struct elf_made made;

/* Makes a file with a note, or with part of it. */
static void put_library(uint32_t type, const char *owner)
{
	uint8_t notes[128];
	size_t n = elf_note(notes, 5, "GNU", "property", 8);

	n += elf_note(notes + n, type, owner, "name", 5);
	elf_begin_file(&made);
	elf_segment(&made, PT_NOTE, elf_add(&made, notes, n), n)->p_align = 4;
	elf_segment(&made, PT_LOAD, 0, elf_bytes(&made));
}

/* Checks the file; `why` is NULL for a library. */
static void check_file(const char *path, int want, const char *why,
		       const char *name)
{
	const char *text;
	int ret;

	command_name("load");
	said_begin(STDERR_FILENO);
	ret = load_check_file(path);
	text = said_end();
	unit_equal(ret, want, "%s", name);
	unit_check(why ? !!strstr(text, why) : !*text, "%s: why", name);
}

static void check_made(int want, const char *why, const char *name)
{
	check_file(made_bytes("lib.so", &made.file, elf_bytes(&made)), want,
		   why, name);
}

#define NOTE	TAFFRAIL_PROBE_LIBRARY_NOTE_

static void check_files(void)
{
	put_library(NOTE, "Taffrail");
	check_made(0, NULL, "a probe library");
	made.used -= 8;
	check_made(-ENOEXEC, "it is cut", "a library that is cut");
	put_library(NOTE, "Taffrail");
	made.file.ph[1].p_offset = elf_bytes(&made);
	check_made(-ENOEXEC, "it is cut", "a segment behind the end");
	made.file.ph[1].p_filesz = 0;
	check_made(0, NULL, "an empty segment at the end");
	made.file.ph[1].p_offset++;
	check_made(-ENOEXEC, "it is cut", "an empty segment behind the end");
	put_library(NOTE, "Taffrail");
	made.file.ph[1].p_filesz++;
	check_made(-ENOEXEC, "it is cut", "a segment that is a byte too long");
	put_library(NOTE, "Taffrai");
	check_made(-ENOEXEC, "it has no TAFFRAIL_PROBE_LIBRARY",
		   "another owner's note");
	put_library(NOTE + 1, "Taffrail");
	check_made(-ENOEXEC, "it has no TAFFRAIL_PROBE_LIBRARY",
		   "another note");
	put_library(NOTE, "Taffrail");
	made.file.header.e_type = ET_EXEC;
	check_made(-ENOEXEC, "build it with -shared -fPIC", "a program");
	made.file.header.e_type = ET_DYN;
	made.file.header.e_machine = EM_386;
	check_made(-ENOEXEC, "it is built for another machine",
		   "another machine's");
	check_file(made_file("lib.so", "text"), -ENOEXEC, "it is no ELF file",
		   "a text");
	check_file(made_root, -ENOEXEC, "it is a directory", "a directory");
	check_file(made_path("none"), -ENOENT, strerror(ENOENT), "no file");
}

static void check_process(void)
{
	static const struct {
		const char *environ;	/* with blanks for NULs */
		const char *status;
		const char *why;	/* NULL: it allows them */
	} rows[] = {
		{ "A=b", "NoNewPrivs:\t0\n", NULL },
		{ "A=b", "NoNewPrivs:\t1\n", "no_new_privs" },
		{ "TAFFRAIL_LOAD=on", "NoNewPrivs:\t1\n", NULL },
		{ "TAFFRAIL_LOAD=off", "NoNewPrivs:\t0\n",
		  "TAFFRAIL_LOAD is 'off'" },
		{ "TAFFRAIL_LOADER=off XTAFFRAIL_LOAD=off",
		  "NoNewPrivs:\t0\n", NULL },
		{ "TAFFRAIL_LOAD=on TAFFRAIL_LOAD=off", "", NULL },
	};
	char text[128];

	made_file("proc/4711/maps", "1-2 r-xp 0 0:0 7 /a/libx.so.1\n");
	unit_check(load_has_file(PID, "libx.so"), "a file that is loaded");
	unit_check(!load_has_file(PID, "liby.so"), "one that is not");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].environ) + 1;
		const char *said;
		int status;

		memcpy(text, rows[i].environ, n);
		for (char *p = text; (p = strchr(p, ' '));)
			*p++ = '\0';
		made_bytes("proc/4711/environ", text, n);
		made_file("proc/4711/status", rows[i].status);
		said_begin(STDERR_FILENO);
		status = load_check_process(PID);
		said = said_end();
		unit_equal(status, rows[i].why ? COMMAND_FAILED : COMMAND_DONE,
			   "process %zu", i);
		unit_check(rows[i].why ? !!strstr(said, rows[i].why) : !*said,
			   "process %zu: why", i);
	}
}

static void check_requests(void)
{
	char *words[] = { (char *)"a=1", (char *)"b", NULL };
	struct load_wish wish = {
		.rule = "app/*", .function = "lib:f", .words = words,
	};
	struct client_request request = { 0 };

	load_add_connect(&request, &wish);
	unit_equal_string(request.text, "do=connect\nrule=app/*\n"
			  "function=lib:f\nword=a=1\nword=b\n", "connect");
	client_request_release(&request);
	wish.enable = true;
	words[0] = NULL;
	load_add_connect(&request, &wish);
	unit_equal_string(request.text, "do=connect\nrule=app/*\n"
			  "function=lib:f\nenable=1\n", "connect and enable");
	client_request_release(&request);
}

static void check_shown(void)
{
	struct shown shown = { 0 };
	struct json json = { .file = stdout };
	const struct shown_callback *c;
	size_t at = 0;

	said_begin(STDOUT_FILENO);
	shown_print(&shown, "\n");
	unit_equal_string(said_end(), "", "no callback");
	shown_take(&shown, 7, "enabled\t2\t0\t0\tlib:f\tapp/*");
	shown_take(&shown, 8, "enabled\t0\t1\t2\tlib:g\tapp/x if n > 1");
	shown_take(&shown, 9, "connected\t0\t0\t0\tlib:h\tapp/x");
	shown_take(&shown, 9, "cut");
	unit_equal((long long)shown.count, 4, "callbacks");
	c = shown_of(&shown, "app/x", &at);
	unit_equal_string(c ? c->name : NULL, "lib:f", "the first of a marker");
	c = shown_of(&shown, "app/x", &at);
	unit_equal_string(c ? c->name : NULL, "lib:g", "the second");
	unit_check(!shown_of(&shown, "app/x", &at),
		   "one that is not enabled is not called");
	unit_equal_string(shown.callbacks[3].rule, "", "a line that is cut");
	said_begin(STDOUT_FILENO);
	shown.count = 3;
	shown_print(&shown, "\n");
	unit_equal_string(said_end(),
		"\ncallbacks:\n"
		"      PID CALLBACK                 STATE      RULE\n"
		"        7 lib:f                    enabled    app/*\n"
		"        8 lib:g                    enabled    app/x if n > 1\n"
		"          no marker calls it\n"
		"          not called for 1 hit in callbacks, and 2 hits in "
		"signal handlers\n"
		"        9 lib:h                    connected  app/x\n",
		"a table");
	said_begin(STDOUT_FILENO);
	shown.count = 1;
	shown_json(&shown, &json);
	unit_equal_string(said_end(), "\"callbacks\":[{\"pid\":7,\"callback\":"
			  "\"lib:f\",\"rule\":\"app/*\",\"state\":\"enabled\","
			  "\"markers\":2,\"missed_in_callbacks\":0,"
			  "\"missed_in_handlers\":0}]", "JSON");
	shown.count = 4;
	shown_free(&shown);
}

int main(void)
{
	made_open();
	check_files();
	check_process();
	check_requests();
	check_shown();
	made_close();
	return unit_end();
}
