/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads commands from its input, and says when each is done:
 *	debugged LIBRARY [sealed]
 * load and unload a library (modules-lib.c), or hit its marker; the end of the
 * input ends the program. Sealed: code cannot be written from the start on.
 */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <taffrail/marker.h>
#include <unistd.h>

static void *library;
static int hits;

/* Neither through /proc/self/mem nor by mprotect. */
static int seal(void)
{
	const unsigned int refused = SECCOMP_RET_ERRNO | 1;	/* EPERM */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
			 PROT_READ | PROT_WRITE | PROT_EXEC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, refused),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int load(const char *path)
{
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	return !library;
}

static int hit(void)
{
	void (*function)(const char *who, int n);

	*(void **)&function = dlsym(library, "modules_hit");
	if (!function)
		return 1;
	function("library", hits++);
	return 0;
}

static int obey(const char *word, const char *path)
{
	if (!strcmp(word, "load\n"))
		return load(path);
	if (!strcmp(word, "hit\n"))
		return hit();
	if (!strcmp(word, "unload\n"))
		return dlclose(library) || dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	return 1;
}

int main(int argc, char **argv)
{
	char line[32];
	int n;

	if (argc < 2)
		return 2;
	if (argc > 2 && seal())
		return 3;
	/* Yama lets only ancestors attach, unless told */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	printf("ready %d\n", getpid());
	for (n = 1; fgets(line, sizeof(line), stdin); n++) {
		TAFFRAIL_EVENT(app, obey, n);
		if (obey(line, argv[1]))
			return 1;
		printf("did %d\n", n);
	}
	return 0;
}
