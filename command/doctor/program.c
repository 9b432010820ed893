/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The subjects of a program that is not running: the file that would be
 * executed, and whether record brings the agent into it.
 *
 * Invariant: the program is not run, nor is an interpreter of it. d->image is
 * "" unless it is an ELF file that can be read; later checks do nothing then.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "command/common/installed.h"
#include "command/doctor/private.h"
#include "command/elf/elfnotes.h"
#include "command/record/agentless.h"
#include "command/symboliser/symboliser.h"
#include "tracepoints/program/executable.h"

#define AGENT		"libtaffrail.so"
#define SCRIPTS_MAX	5	/* interpreters of interpreters, in Linux */

/* Gives the interpreter of a script. Returns false if the file is none, or
 * cannot be read. */
static bool script_of(const char *file, char interpreter[PATH_MAX])
{
	char line[PATH_MAX], *p = line + 2;

	first_line(line, sizeof(line), file);
	if (strncmp(line, "#!", 2))
		return false;
	p += strspn(p, " \t");
	p[strcspn(p, " \t")] = '\0';
	snprintf(interpreter, PATH_MAX, "%s", p);
	return *p;
}

/* Says why a file cannot be executed, by the cause that record would tell;
 * `what` stands before the name of an interpreter, else it is "". Returns true,
 * and says nothing, when it can. */
static bool can_execute(struct finding *f, const char *file, const char *what)
{
	char path[PATH_MAX + 32];
	struct stat st;
	int error = stat(file, &st) || access(file, X_OK) ? errno :
		    S_ISREG(st.st_mode) ? 0 : EACCES;

	if (!error)
		return true;
	snprintf(path, sizeof(path), "%s%s", what, file);
	found_fill(f, cause_execute(file, error),
		   &(struct cause_slots){ .path = path, .error = error });
	if (*what && error == ENOENT)
		f->id = CAUSE_EXECUTE_INTERPRETER;
	return false;
}

/*
 * Finds the file that execve(2) would load, and sets d->file and d->image.
 * "no" where the kernel would refuse; "limited" where it cannot be told whether
 * an agent gets into the program.
 */
void look_program(struct doctor *d, struct finding *f)
{
	struct symboliser_module module;
	char next[PATH_MAX], head[4] = "";
	bool elf;
	int fd;

	if (installed_program(d->file, sizeof(d->file), d->program[0])) {
		d->file[0] = '\0';
		found_fill(f, cause_execute(d->program[0], ENOENT),
			   &(struct cause_slots){ .path = d->program[0],
						  .error = ENOENT });
		return;
	}
	if (!symboliser_read(&module, d->file) && module.library) {
		d->library = true;
		memcpy(d->image, d->file, sizeof(d->image));
		found(f, FILE_IS_LIBRARY, .path = d->file);
		return;
	}
	if (!can_execute(f, d->file, "")) {
		d->file[0] = '\0';
		return;
	}
	/* follows scripts to the file that is loaded, as execve(2) does: a
	 * script's interpreter may be a script again */
	snprintf(d->image, sizeof(d->image), "%s", d->file);
	for (int i = 0; i < SCRIPTS_MAX && script_of(d->image, next); i++) {
		if (!can_execute(f, next, "its interpreter "))
			goto none;
		memcpy(d->image, next, sizeof(next));
	}
	if (access(d->image, R_OK)) {
		found(f, FILE_UNREADABLE, .path = d->image);
		goto none;
	}
	fd = open(d->image, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	elf = fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) &&
	      !memcmp(head, "\177ELF", sizeof(head));
	if (fd >= 0)
		close(fd);
	if (!elf) {
		found(f, FILE_NO_PROGRAM, .path = d->image);
		goto none;
	}
	if (strcmp(d->image, d->file))
		found_as(f, DOCTOR_OK, "%s, a script of %s", d->file, d->image);
	else
		found_as(f, DOCTOR_OK, "%s", d->file);
	if (!symboliser_read(&module, d->image) && *module.interpreter)
		can_execute(f, module.interpreter, "its dynamic linker ");
	return;
none:
	d->image[0] = '\0';
}

/*
 * Says how the agent would come into the program. The reasons why it would not
 * are those of record (image_look()), and one that record cannot see before the
 * start: capabilities of the file make the dynamic linker ignore LD_PRELOAD.
 */
void look_how(struct doctor *d, struct finding *f)
{
	char *environment[] = { NULL };
	struct image image = {
		.fd = AT_FDCWD, .path = d->file,
	};
	struct symboliser_module module;
	struct cause cause;

	if (!*d->image)
		return;
	if (d->library) {
		symboliser_read(&module, d->image);
		found_as(f, DOCTOR_OK, symboliser_needs(&module, AGENT) ?
			 "it is linked to " AGENT ", and brings it into programs"
			 : "it has that of the program that loads it");
		return;
	}
	image_look(&image, environment);
	if (image.why) {
		cause_fill(&cause, 0, AGENTLESS_CAUSE(image.why),
			   &(struct cause_slots){ 0 });
		found_cause(f, DOCTOR_NO, &cause);
	} else if (geteuid() &&
		   getxattr(d->image, "security.capability", NULL, 0) > 0) {
		/* root has them anyway */
		found(f, FILE_CAPABLE);
	} else if (symboliser_read(&module, d->image) || !*module.interpreter) {
		found_as(f, DOCTOR_OK, "libtaffrail.a is linked into it, or it "
			 "is a dynamic linker");
	} else if (strstr(module.interpreter, "ld-musl")) {
		found(f, FILE_LIBC_OTHER, .path = module.interpreter);
	} else if (symboliser_needs(&module, AGENT)) {
		found_as(f, DOCTOR_OK, "it is linked to " AGENT);
	} else {
		found_as(f, DOCTOR_OK, "record preloads it");
	}
}

/* The markers of the file alone: libraries that it loads have theirs, which
 * list shows by the library's file. */
void look_markers(struct doctor *d, struct finding *f)
{
	struct marker_list list = { 0 };
	char error[ELFNOTES_ERROR_BYTES];

	if (!*d->image)
		return;
	if (!elfnotes_read(&list, d->image, SYMBOLISER_LTTNG, error))
		found_markers(f, &list);
	if (error[0])
		found(f, MARKERS_UNREAD, .path = d->image, .text = error);
	marker_list_free(&list);
}

/* As look_markers(); the plan says which probes would need a trap. A file that
 * cannot be read has been told by look_markers(). */
void look_probes(struct doctor *d, struct finding *f)
{
	struct marker_list list = { 0 };
	char error[ELFNOTES_ERROR_BYTES];

	if (!*d->image ||
	    elfnotes_read(&list, d->image, SYMBOLISER_PLAN, error))
		return;
	found_probes(d, f, &list);
	marker_list_free(&list);
}
