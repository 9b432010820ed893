/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with much thread-local storage, and its rseq area below all of that
 * storage, as in glibc from 2.41 on. With -DOWN the program does the same
 * itself, on releases that have the area elsewhere
 * (GLIBC_TUNABLES=glibc.pthread.rseq=0 prevents glibc's own registration):
 *
 *	-DOWN=1	before any constructor: for an agent that is preloaded. The
 *		program's own __rseq_offset comes before the dynamic linker's.
 *	-DOWN=2	in main(): for an agent that is attached. The dynamic linker's
 *		__rseq_offset is overwritten, where the command reads it.
 *
 *	tls		prints "ready"; then lines are read from stdin:
 *	  "hit N"	app/hit, N times, in two threads; prints "hits N"
 *	  "area"	prints "area right" when the kernel has the rseq area of
 *			the service thread outside of that thread's stack
 *	  "end"		the program ends
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <taffrail/marker.h>

#ifndef BYTES
#define BYTES	9000
#endif
#define RSEQ_SIGNATURE	0x53053053
#define AREA_BYTES	32

/* From <linux/ptrace.h>, which conflicts with <sys/ptrace.h>. */
#define RSEQ_CONFIGURATION	0x420f

struct rseq_configuration {
	uint64_t pointer;
	uint32_t size, signature, flags, pad;
};

/* The area is at the lowest address, and the rest below the thread pointer. */
static __thread struct {
	uint32_t area[AREA_BYTES / 4];
	char filler[BYTES];
} tls __attribute__((aligned(32)));

#if OWN == 1
extern const long __rseq_offset;
__asm__(".pushsection .data.rel.ro, \"aw\"\n"
	".balign 8\n"
	".globl __rseq_offset\n"
	".type __rseq_offset, @object\n"
	".size __rseq_offset, 8\n"
	"__rseq_offset: .quad tls@tpoff\n"
	".popsection\n");
const unsigned int __rseq_size = 20;
#endif

#ifdef OWN
/* Calls the kernel by itself: nothing else is there when the dynamic linker
 * relocates the program. */
static long area_register(void)
{
	register long r10 __asm__("r10") = RSEQ_SIGNATURE;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(SYS_rseq), "D"(tls.area), "S"(AREA_BYTES), "d"(0),
			   "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}
#endif

#if OWN == 1
static void nothing(void)
{
}

/* clang does not see that ifunc uses it */
__attribute__((used)) static void (*early_choose(void))(void)
{
	area_register();
	return nothing;
}

void early(void) __attribute__((ifunc("early_choose")));
/* a pointer to it is filled in before any constructor runs */
void (*volatile early_wanted)(void) = early;
#endif

#if OWN == 2
static int overwrite(const char *name, const void *bytes, size_t n)
{
	char *at = dlsym(RTLD_DEFAULT, name);
	char *page = (char *)((uintptr_t)at & ~4095ul);

	if (!at || mprotect(page, 4096, PROT_READ | PROT_WRITE))
		return -1;
	memcpy(at, bytes, n);
	return mprotect(page, 4096, PROT_READ);
}

static int lead_commands(void)
{
	long offset = (char *)tls.area - (char *)__builtin_thread_pointer();
	unsigned int size = 20;

	if (area_register())
		return -1;
	return overwrite("__rseq_offset", &offset, sizeof(offset)) ||
	       overwrite("__rseq_size", &size, sizeof(size));
}
#endif

static void hit(long n)
{
	long i;

	for (i = 0; i < n; i++) {
		tls.filler[i % BYTES]++;
		TAFFRAIL_EVENT(app, hit, i);
	}
}

static void *thread_main(void *arg)
{
#ifdef OWN
	area_register();
#endif
	hit((long)arg);
	return NULL;
}

static void hit_twice(long n)
{
	pthread_t thread;

	pthread_create(&thread, NULL, thread_main, (void *)(n / 2));
	hit(n - n / 2);
	pthread_join(thread, NULL);
	printf("hits %ld\n", n);
}

static pid_t thread_named(const char *name)
{
	DIR *dir = opendir("/proc/self/task");
	char path[300], comm[32];
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
			 entry->d_name);
		file = fopen(path, "r");
		if (file && fscanf(file, "%31s", comm) == 1 &&
		    !strcmp(comm, name))
			found = atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* A child does it, because a thread may not trace another of its process. */
static int area_look(pid_t tid)
{
	struct rseq_configuration rseq = { 0 };
	struct user_regs_struct regs;
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) ||
	    ptrace(PTRACE_INTERRUPT, tid, 0, 0) ||
	    waitpid(tid, &status, __WALL) != tid ||
	    ptrace(PTRACE_GETREGS, tid, 0, &regs) ||
	    ptrace(RSEQ_CONFIGURATION, tid, sizeof(rseq), &rseq) <= 0)
		return 2;
	if (!rseq.pointer)
		return 3;
	/* asleep it has used some 200 bytes of its stack, and room that the
	 * agent keeps free lies between that and the area */
	if (rseq.pointer >= regs.rsp + 2048)
		return 0;
	fprintf(stderr, "the area is %lld from the stack pointer\n",
		(long long)(rseq.pointer - regs.rsp));
	return 1;
}

/* Repeats until the thread is there; it may just have begun. */
static void look(void)
{
	static const char *const says[] = {
		"area right", "area wrong", "area unseen", "area unregistered",
	};
	const struct timespec pause = { .tv_nsec = 1000000 };
	int status = 0, tries, verdict = 2;

	fflush(stdout);
	for (tries = 0; tries < 5000 && verdict > 1; tries++) {
		pid_t tid = thread_named("taffrail");
		pid_t child = fork();

		if (!child)
			_exit(tid ? area_look(tid) : 2);
		waitpid(child, &status, 0);
		verdict = WIFEXITED(status) ? WEXITSTATUS(status) & 3 : 2;
		nanosleep(&pause, NULL);
	}
	printf("%s\n", says[verdict]);
}

int main(void)
{
	char line[80];

#if OWN == 2
	if (lead_commands()) {
		printf("unsupported\n");
		return 1;
	}
#endif
	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strncmp(line, "end", 3)) {
		if (!strncmp(line, "area", 4))
			look();
		else
			hit_twice(atol(line + 4));
		fflush(stdout);
	}
	return 0;
}
