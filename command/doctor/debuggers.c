/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdb and gdbserver: where they are, and the consequences of their release
 * (docs/gdb-defects.md, docs/remote.md).
 *
 * Invariant: without gdb and gdbserver, nothing but the sub-commands of that
 * name is lost, so no finding here is worse than "limited".
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/doctor/private.h"
#include "command/gdb/gdb.h"

/* gdb takes seconds from a disk that is not in memory yet. */
#define SECONDS		20
#define GDB_OLDEST	13
#define OUTPUT_BYTES	512

/* Returns the major release in "GNU gdb (Debian 13.1-3) 13.1", or 0: there is
 * none; `text` gets all of it. */
static int parse_release(const char *line, char text[32])
{
	const char *last = strrchr(line, ' ');
	int major = 0;

	snprintf(text, 32, "%s", last ? last + 1 : "");
	if (isdigit((unsigned char)text[0]))
		sscanf(text, "%d", &major);
	return major;
}

/* Runs NAME --version. Returns true, and the line, when that works; else false,
 * and why it does not. */
static bool version_read(const char *name, char *line, size_t room)
{
	const char *const argv[] = { name, "--version", NULL };
	struct run run = {
		.argv = (char *const *)argv, .environment = environ,
		.seconds = SECONDS,
	};
	int status = aside_run(&run, line, room);

	line[strcspn(line, "\n")] = '\0';
	if (status > 0)
		snprintf(line, room, "--version fails (status %d)", status);
	else if (status == -ENOENT || status == -ETIMEDOUT)
		snprintf(line, room, status == -ENOENT ? "is not there" :
			 "--version does not end");
	else if (status)
		snprintf(line, room, "cannot be started (%s)",
			 strerror(-status));
	return !status;
}

/* Runs gdb once for Python and the release, which takes half of the time of two
 * runs; and again where it does not say both. A gdb without Python is told
 * before an old one: it cannot load the extension at all. */
void look_gdb(struct doctor *d, struct finding *f)
{
	const char *const both[] = {
		gdb_name(), "-nx", "-batch", "-ex", "python print(6*7)",
		"-ex", "show version", NULL
	};
	struct run run = {
		.argv = (char *const *)both, .environment = environ,
		.seconds = SECONDS,
	};
	char line[OUTPUT_BYTES], answer[OUTPUT_BYTES] = "", text[32];
	bool python;
	int major;

	aside_run(&run, answer, sizeof(answer));
	python = !strncmp(answer, "42\n", 3);
	snprintf(line, sizeof(line), "%s", python ? answer + 3 : "");
	line[strcspn(line, "\n")] = '\0';
	if (!*line && !version_read(gdb_name(), line, sizeof(line))) {
		found(f, GDB_NONE, .subject = gdb_name(), .text = line);
		return;
	}
	major = parse_release(line, text);
	if (!python) {
		found(f, GDB_PYTHONLESS, .subject = gdb_name(), .text = text);
	} else if (major && major < GDB_OLDEST) {
		found(f, GDB_OLD, .subject = gdb_name(), .text = text);
	} else if (!major) {
		found(f, GDB_UNKNOWN, .subject = gdb_name(), .text = line);
	} else {
		found_as(f, DOCTOR_OK, "%s %s with Python%s", gdb_name(), text,
			 major >= 18 ? "; it has no tsave -ctf" : "");
	}
}

/* Warns of a release that destroys registers here: by the release, because a
 * try would take a program and a trace (docs/gdb-defects.md). */
void look_gdbserver(struct doctor *d, struct finding *f)
{
	char line[OUTPUT_BYTES], text[32], fact[4096];
	bool amd = false, avx = false;
	FILE *cpu;
	int major;

	if (!version_read("gdbserver", line, sizeof(line))) {
		found(f, GDBSERVER_NONE, .text = line);
		return;
	}
	major = parse_release(line, text);
	/* a processor that keeps vector registers where an old gdbserver does
	 * not look for them? */
	cpu = fopen("/proc/cpuinfo", "re");
	while (cpu && fgets(fact, sizeof(fact), cpu) && *fact != '\n') {
		amd |= !strncmp(fact, "vendor_id", 9) &&
		       strstr(fact, "AuthenticAMD");
		avx |= !strncmp(fact, "flags", 5) && strstr(fact, " avx512f");
	}
	if (cpu)
		fclose(cpu);
	if (major && major < 16 && amd && avx) {
		found(f, GDBSERVER_DESTROYS, .subject = text,
		      .text = major == 13 ? "" : "if it is like 13.1");
		return;
	}
	found_as(f, DOCTOR_OK, "gdbserver %s%s", text, major < 17 ? "" :
		 "; alone it has no $_sdata, by taffrail gdbserver it has");
}
