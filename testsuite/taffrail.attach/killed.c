/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library that a command gets by LD_PRELOAD. It sends SIGKILL to the command
 * before its call number DIES_AT of the functions below, by which a command
 * changes a process or files: so a test stops a command at each step of its
 * work. A child that shares the command's memory counts on, and goes on.
 * Without DIES_AT, prints the number of calls at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long calls, last;
static pid_t self;

static void count_nothing(void)
{
	self = 0;
}

__attribute__((constructor)) static void begin_count(void)
{
	const char *word = getenv("DIES_AT");

	last = word ? atol(word) : 0;
	self = getpid();
	pthread_atfork(NULL, NULL, count_nothing);
}

__attribute__((destructor)) static void print_count(void)
{
	if (self == getpid() && !last)
		fprintf(stderr, "calls %ld\n", calls);
}

static void take_step(void)
{
	if (!self || ++calls != last)
		return;
	kill(self, SIGKILL);
	while (getpid() == self)
		pause();
}

#define STEP(type, name, parameters, ...)                                    \
	type name parameters                                                 \
	{                                                                    \
		static type (*real) parameters;                              \
									     \
		take_step();                                                 \
		if (!real)                                                   \
			*(void **)&real = dlsym(RTLD_NEXT, #name);           \
		return real(__VA_ARGS__);                                    \
	}

STEP(ssize_t, process_vm_writev, (pid_t pid, const struct iovec *here,
	unsigned long n, const struct iovec *there, unsigned long m,
	unsigned long flags), pid, here, n, there, m, flags)
STEP(int, flock, (int fd, int how), fd, how)
STEP(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at),
	fd, from, bytes, at)
STEP(ssize_t, pwrite64, (int fd, const void *from, size_t bytes, off_t at),
	fd, from, bytes, at)
STEP(ssize_t, write, (int fd, const void *from, size_t bytes), fd, from, bytes)
STEP(int, ftruncate, (int fd, off_t bytes), fd, bytes)
STEP(int, ftruncate64, (int fd, off_t bytes), fd, bytes)
STEP(int, unlinkat, (int fd, const char *name, int flags), fd, name, flags)
STEP(int, mkdirat, (int fd, const char *name, mode_t mode), fd, name, mode)
STEP(ssize_t, send, (int fd, const void *from, size_t bytes, int flags),
	fd, from, bytes, flags)
STEP(ssize_t, recv, (int fd, void *to, size_t bytes, int flags),
	fd, to, bytes, flags)

long ptrace(enum __ptrace_request request, ...)
{
	static long (*real)(enum __ptrace_request, ...);
	void *address, *data;
	va_list words;
	pid_t pid;

	va_start(words, request);
	pid = va_arg(words, pid_t);
	address = va_arg(words, void *);
	data = va_arg(words, void *);
	va_end(words);
	take_step();
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ptrace");
	return real(request, pid, address, data);
}
