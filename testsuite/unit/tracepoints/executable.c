/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that are about to be executed, as far as LD_PRELOAD is concerned
 * (tracepoints/program/executable.c), and the agent's libraries in LD_PRELOAD
 * (base/preload.c).
 */
#include "testsuite/unit/unit.h"

#include <elf.h>
#include <stddef.h>

#include "base/base.h"
#include "base/preload.h"
#include "testsuite/unit/command/made.h"
#include "tracepoints/program/executable.h"

/* of this program */
static Elf64_Ehdr own;

struct made_elf {
	Elf64_Ehdr head;
	Elf64_Phdr first, second;
	Elf64_Dyn dynamic[3];
	struct {
		uint32_t gap;		/* a word without an owner */
		Elf64_Nhdr head;
		char owner[16];
		Elf64_Nhdr more;
		char other[16];
	} notes;
};

static char *const no_environment[] = { NULL };

static struct made_elf elf_of(int type, uint32_t second)
{
	struct made_elf e = {
		.head = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64,
				     ELFDATA2LSB, EV_CURRENT },
			.e_type = (Elf64_Half)type, .e_machine = own.e_machine,
			.e_phoff = offsetof(struct made_elf, first),
			.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2,
		},
		.first = { .p_type = PT_LOAD },
		.second = { .p_type = second,
			    .p_offset = offsetof(struct made_elf, dynamic),
			    .p_filesz = sizeof(((struct made_elf *)0)->dynamic),
		},
		.dynamic = { { .d_tag = DT_DEBUG },
			     { .d_tag = DT_FLAGS_1,
			       .d_un.d_val = DF_1_PIE | DF_1_NOW } },
	};

	if (second != PT_NOTE)
		return e;
	e.second.p_offset = offsetof(struct made_elf, notes);
	e.second.p_filesz = sizeof(e.notes);
	e.notes.head = (Elf64_Nhdr){ .n_namesz = 14, .n_type = 1 };
	strcpy(e.notes.owner, "taffrail-other");
	e.notes.more = (Elf64_Nhdr){ .n_namesz = 15, .n_type = 1 };
	strcpy(e.notes.other, "taffrail-agent");
	return e;
}

static void make_program(const char *name, const struct made_elf *e)
{
	chmod(made_bytes(name, e, sizeof(*e)), 0755);
}

static struct image look_at(const char *path, char *const *environment)
{
	struct image image = { .fd = AT_FDCWD, .path = path };

	image_look(&image, environment);
	return image;
}

static void check_files(void)
{
	struct made_elf e = elf_of(ET_EXEC, PT_LOAD);
	struct image image;

#define LOOK(name, want, held) do {					\
	make_program("file", &e);					\
	image = look_at(made_path("file"), no_environment);		\
	unit_equal(image.why, want, name);				\
	unit_equal(image.withhold, held, name ": withheld");		\
} while (0)
	LOOK("a static program", LACKING_STATIC, 0);
	unit_equal_string(image.found, made_path("file"), "its path");
	e.head.e_phnum = 0;
	LOOK("no segment", LACKING_NOT, 0);
	e = elf_of(ET_DYN, PT_DYNAMIC);
	LOOK("a static program at any address", LACKING_STATIC, 0);
	e.dynamic[1].d_un.d_val = DF_1_NOW;
	LOOK("a library", LACKING_NOT, 0);
	e = elf_of(ET_DYN, PT_DYNAMIC);
	e.dynamic[0].d_tag = DT_NULL;
	LOOK("flags behind the table's end", LACKING_NOT, 0);
	e = elf_of(ET_DYN, PT_INTERP);
	LOOK("a dynamic program", LACKING_NOT, 0);
	e.head.e_machine = EM_386;
	LOOK("another machine's", LACKING_MACHINE, 1);
	e = elf_of(ET_EXEC, PT_LOAD);
	e.head.e_machine = EM_386;
	LOOK("another machine's, static", LACKING_MACHINE, 0);
	e.head.e_machine = own.e_machine;
	e.head.e_ident[EI_DATA] = ELFDATA2MSB;
	LOOK("the other byte order", LACKING_MACHINE, 1);
	e.head.e_ident[EI_DATA] = ELFDATA2LSB;
	e.head.e_ident[EI_CLASS] = ELFCLASS32;
	LOOK("32 bits", LACKING_MACHINE, 0);
	e = elf_of(ET_EXEC, PT_NOTE);
	LOOK("a static program with the agent", LACKING_NOT, 0);
	e.notes.other[0] = 'T';
	LOOK("another note", LACKING_STATIC, 0);
	e = elf_of(ET_EXEC, PT_NOTE);
	e.second.p_filesz = offsetof(typeof(e.notes), more);
	LOOK("a note behind the segment's end", LACKING_STATIC, 0);
	e = elf_of(ET_EXEC, PT_LOAD);
	e.head.e_ident[1] = 'e';
	LOOK("no program", LACKING_NOT, 0);
	e = elf_of(ET_EXEC, PT_LOAD);
	e.head.e_phoff = 1025;
	LOOK("segments beyond what is read", LACKING_NOT, 0);
}

static void check_scripts(void)
{
	struct made_elf e = elf_of(ET_EXEC, PT_LOAD);
	char text[1200];

	make_program("static", &e);
	sprintf(text, "#!%s\n", made_path("static"));
	made_file("plain", text);
	unit_equal(look_at(made_path("plain"), no_environment).why,
		   LACKING_STATIC, "a script");
	unit_equal_string(look_at(made_path("plain"), no_environment).found,
			  made_path("plain"), "the script's path");
	sprintf(text, "#! \t%s -x\ty\n", made_path("static"));
	made_file("words", text);
	unit_equal(look_at(made_path("words"), no_environment).why,
		   LACKING_STATIC, "blanks and arguments");
	sprintf(text, "#!%s", made_path("static"));
	made_file("short", text);
	unit_equal(look_at(made_path("short"), no_environment).why,
		   LACKING_STATIC, "no end of the line");
	made_file("none", "#");
	unit_equal(look_at(made_path("none"), no_environment).why,
		   LACKING_NOT, "no script");
	for (int i = 1; i <= 6; i++) {
		char name[16];

		sprintf(name, "%d", i - 1);
		sprintf(text, "#!%s\n", made_path(i > 1 ? name : "static"));
		sprintf(name, "%d", i);
		made_file(name, text);
		unit_equal(look_at(made_path(name), no_environment).why,
			   i <= 5 ? LACKING_STATIC : LACKING_NOT,
			   "%d scripts before the program", i);
	}
	made_link("loop", "loop");
	unit_equal_string(look_at(made_path("loop"), no_environment).found, "",
			  "no file");
}

/* Of a path, a descriptor, and by PATH. */
static void check_opened(void)
{
	struct made_elf e = elf_of(ET_EXEC, PT_LOAD);
	char path[3000];
	char *const search[] = { (char *)"PATH=/nowhere", path, NULL };
	struct image image;
	int fd;

	make_program("bin/prog", &e);
	made_file("first/prog", "no execution");
	chmod(made_path("first/prog"), 0600);
	make_program("second/prog", &e);
	made_above("third/prog/x");
	made_link("link", "bin/prog");
	snprintf(path, sizeof(path), "PATH=%s:/nowhere:%s:%s",
		 made_path("third"), made_path("bin"), made_path("second"));
	image = (struct image){ .fd = AT_FDCWD, .path = "prog",
				.search = search };
	image_look(&image, no_environment);
	unit_equal_string(image.found, made_path("bin/prog"),
			  "the first in PATH that is a file");
	unit_equal(image.why, LACKING_STATIC, "it is looked at");
	image.path = made_path("second/prog");
	image_look(&image, no_environment);
	unit_equal_string(image.found, made_path("second/prog"),
			  "a path with a slash is not searched");
	image.path = "none";
	image_look(&image, no_environment);
	unit_equal_string(image.found, "", "none in PATH");
	image = (struct image){ .fd = AT_FDCWD, .path = made_path("link") };
	image_look(&image, no_environment);
	unit_equal(image.why, LACKING_STATIC, "a symbolic link");
	image.flags = AT_SYMLINK_NOFOLLOW;
	image_look(&image, no_environment);
	unit_equal_string(image.found, "", "which is not followed");
	fd = open(made_path("bin/prog"), O_PATH | O_CLOEXEC);
	image = (struct image){ .fd = fd };
	image_look(&image, no_environment);
	unit_equal_string(image.found, made_path("bin/prog"), "a descriptor");
	unit_equal(image.why, LACKING_STATIC, "it is looked at");
	image = (struct image){ .fd = fd, .path = "",
				.flags = AT_EMPTY_PATH };
	image_look(&image, no_environment);
	unit_equal_string(image.found, made_path("bin/prog"),
			  "a descriptor and an empty path");
	close(fd);
}

/* Returns the environment without the agent's libraries, as one text. */
static const char *without(char *const *environment)
{
	static char text[512];
	static char room[4096];
	char **next = preload_without(environment, room);

	text[0] = '\0';
	for (; *next; next++)
		sprintf(text + strlen(text), "[%s]", *next);
	return text;
}

static void check_preload(void)
{
	static const struct {
		const char *value;
		bool named;
		const char *without;	/* NULL: no variable is left */
	} rows[] = {
		{ "LD_PRELOAD=libtaffrail.so", true, NULL },
		{ "LD_PRELOAD=/a/libtaffrail-pthread.so", true, NULL },
		{ "LD_PRELOAD=a.so:/b/libtaffrail.so c.so", true,
		  "LD_PRELOAD=a.so:c.so" },
		{ "LD_PRELOAD=libtaffrail.so:a.so", true, "LD_PRELOAD=a.so" },
		{ "LD_PRELOAD=libtaffrails.so", false,
		  "LD_PRELOAD=libtaffrails.so" },
		{ "LD_PRELOAD=libtaffrail", false, "LD_PRELOAD=libtaffrail" },
		{ "LD_PRELOAD=/libtaffrail.so/a.so", false,
		  "LD_PRELOAD=/libtaffrail.so/a.so" },
		{ "LD_PRELOADS=libtaffrail.so", false,
		  "LD_PRELOADS=libtaffrail.so" },
	};
	char there[300], gone[300];
	char *seen[] = { there, NULL }, *unseen[] = { gone, NULL };
	struct made_elf e = elf_of(ET_DYN, PT_INTERP);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *const environment[] = { (char *)"A=1",
					      (char *)rows[i].value,
					      (char *)"B=2", NULL };
		char want[128];

		snprintf(want, sizeof(want), "[A=1]%s%s%s[B=2]",
			 rows[i].without ? "[" : "",
			 rows[i].without ? rows[i].without : "",
			 rows[i].without ? "]" : "");
		unit_equal(preload_named(environment), rows[i].named, "%s",
			   rows[i].value);
		unit_equal_string(without(environment), want, "without %s",
				  rows[i].value);
	}
	make_program("program", &e);
	made_file("libtaffrail.so", "");
	snprintf(there, sizeof(there), "LD_PRELOAD=x.so:%.200s",
		 made_path("libtaffrail.so"));
	snprintf(gone, sizeof(gone), "LD_PRELOAD=%.200s:/nowhere/"
		 "libtaffrail-a.so", made_path("libtaffrail.so"));
	unit_check(preload_seen(seen), "the library is there");
	unit_check(!preload_seen(unseen), "one of two is not");
	unit_equal(look_at(made_path("program"), seen).why, LACKING_NOT,
		   "a program that sees the library");
	unit_equal(look_at(made_path("program"), unseen).why, LACKING_UNSEEN,
		   "a program that does not");
	unit_equal(look_at(made_path("program"), unseen).withhold, 1,
		   "it would complain");
}

int main(void)
{
	FILE *file = fopen("/proc/self/exe", "r");

	if (!file || fread(&own, sizeof(own), 1, file) != 1)
		return unit_end();
	fclose(file);
	made_open();
	check_files();
	check_scripts();
	check_opened();
	check_preload();
	made_close();
	return unit_end();
}
