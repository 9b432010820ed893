/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program without markers. It obeys its arguments in turn:
 *
 *	rings		prints how many files of rings there are for it, and the
 *			size of the largest
 *	load LIBRARY	100 events of a library that it opens
 *	declare		100 events of a marker that it declares
 *	filter		installs a seccomp filter that allows all
 *	fork		goes on in a child, and waits for it
 *	limit		lets no file be larger than 1 MiB, unseen by the agent
 *	root		makes this directory its root
 *	few		lets it have no more descriptors
 *	small		lets it write no more to files
 *	kill		kills itself
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <taffrail/event.h>
#include <unistd.h>

#define EVENTS	100

static void rings_print(void)
{
	char pattern[4096];
	struct stat st;
	long most = 0;
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s/%d.*/*/ring.*",
		 getenv("TAFFRAIL_DIR"), getpid());
	if (glob(pattern, 0, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!stat(found.gl_pathv[i], &st) && st.st_size > most)
			most = st.st_size;
	printf("%zu rings of %ld\n", found.gl_pathc, most);
	fflush(stdout);
}

static int library_hit(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*hit)(int n) = library ?
		(void (*)(int))(uintptr_t)dlsym(library, "hit") : NULL;

	if (!hit)
		return 1;
	hit(EVENTS);
	return 0;
}

static int declared_hit(void)
{
	static const struct taffrail_event_field fields[] = {
		{ "n", TAFFRAIL_T_S32 },
	};
	struct taffrail_declared *event =
		taffrail_event_declare("app", "declared", fields, 1);

	for (int i = 0; i < EVENTS; i++)
		taffrail_event_write(event, (union taffrail_value[]){
					     taffrail_value_i64(i) });
	return !event;
}

static int filter_install(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { 1, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 1 << 20, 1 << 20 }, none = { 0, 0 };
	int wrong = 0;

	for (int i = 1; i < argc && !wrong; i++) {
		const char *word = argv[i];
		int status;

		if (!strcmp(word, "rings"))
			rings_print();
		else if (!strcmp(word, "load") && argv[i + 1])
			wrong = library_hit(argv[++i]);
		else if (!strcmp(word, "declare"))
			wrong = declared_hit();
		else if (!strcmp(word, "filter"))
			wrong = filter_install();
		else if (!strcmp(word, "limit"))
			wrong = (int)syscall(SYS_prlimit64, 0, RLIMIT_FSIZE,
					     &limit, NULL);
		else if (!strcmp(word, "root"))
			wrong = chroot(".");
		else if (!strcmp(word, "few"))
			wrong = setrlimit(RLIMIT_NOFILE, &none);
		else if (!strcmp(word, "small"))
			wrong = prlimit(0, RLIMIT_FSIZE, &none, NULL);
		else if (!strcmp(word, "kill"))
			wrong = raise(SIGKILL);
		else if (!strcmp(word, "fork") && fork())
			return wait(&status) < 0 || status;
	}
	return wrong;
}
