/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs of a user who deceives root's recorder.
 *
 *	host		has 3 events, says "ready", ends with its input
 *	victim		says "ready", the address of led() and of a page; ends
 *			with its input. It has nothing to do with Taffrail. Says
 *			"led" if something leads a thread of it to led(), and
 *			"signalled" if it gets SIGNAL
 *	leaver		as host; with its first input it has its own page offer
 *			to lead a thread to led(), and becomes the victim, past
 *			libc: as a user may do with a set-user-ID program, whose
 *			process root has recorded before it gave up root
 *	copy DIR PID OFFER ENTRY PAGE
 *			copies what the host has in its directory DIR beside it,
 *			as a directory of the process PID that offers to make
 *			its service thread ("offered") or to be called by SIGNAL
 *			("signalled")
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <taffrail/marker.h>

#include "buffers/layout.h"

#define SIGNAL		(SIGRTMIN + 5)
#define FILE_BYTES	(1 << 20)
#define UUID		"0123456789abcdef"

static const char known[] = UUID;

/* A thread may be led to its beginning or WAKE_ENTRY_GO bytes behind it. */
void led(void);
__asm__(".text\n.globl led\nled: nop\nnop\nnop\nand $-16, %rsp\n"
	"jmp led_says\n");

__attribute__((used)) void led_says(void);
void led_says(void)
{
	static const char word[] = "led\n";

	_exit(write(1, word, strlen(word)) < 0);
}

static void signalled(int number)
{
	static const char word[] = "signalled\n";

	(void)number;
	if (write(1, word, strlen(word)) < 0)
		_exit(1);
}

static int wait_end(void)
{
	char byte;

	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}

static unsigned long long start_time(const char *pid)
{
	char path[64], text[1024] = "";
	unsigned long long start = 0;
	FILE *f;
	char *p;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	p = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
	for (int i = 0; p && i < 20; i++)
		p = strchr(p + 1, ' ');
	if (p)
		start = strtoull(p, NULL, 10);
	if (f)
		fclose(f);
	return start;
}

static void offer_change(struct process_page *page, int by_signal,
			 uint64_t entry, uint64_t at)
{
	page->state = PROCESS_RUNNING;
	memcpy(page->uuid, known, sizeof(page->uuid));
	page->wake = (struct process_wake){
		.state = by_signal ? WAKE_SIGNALLED : WAKE_OFFERED,
		.signal = by_signal ? (uint32_t)SIGNAL : 0,
		/* the kernel takes WAKE_ENTRY_GO bytes from it where the thread
		 * repeats a system call */
		.entry = entry, .page = at,
	};
}

static void page_change(struct process_page *page, char **argv)
{
	int pid = atoi(argv[3]);
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct stat st;

	page->pid = (uint32_t)pid;
	page->starttime = start_time(argv[3]);
	page->locked = 0;
	if (page->identity && !fstat(pidfd, &st))
		page->identity = st.st_ino;
	offer_change(page, !strcmp(argv[4], "signalled"),
		     strtoull(argv[5], NULL, 0), strtoull(argv[6], NULL, 0));
}

/* Where a page would have to be for its uuid to be at `known`. */
static uint64_t page_at(void)
{
	return (uintptr_t)known - offsetof(struct process_page, uuid);
}

static struct process_page *page_own(void)
{
	unsigned long at = 0;
	char line[4096];
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && !at && fgets(line, sizeof(line), f))
		if (strstr(line, " rw-s ") && strstr(line, "/process\n"))
			at = strtoul(line, NULL, 16);
	if (f)
		fclose(f);
	return (struct process_page *)at;
}

/* Both programs are one file, which is not linked as PIE: they have the same
 * addresses. */
static int leave(char *self)
{
	char *args[] = { self, (char *)"victim", NULL };
	char *none[] = { NULL };
	struct process_page *page;
	char byte;

	if (read(0, &byte, 1) != 1)
		return 1;
	page = page_own();
	if (!page)
		return 1;
	offer_change(page, 0, (uintptr_t)led, page_at());
	syscall(SYS_execve, self, args, none);
	return 1;
}

static int file_copy(const char *from, const char *to, char **argv)
{
	char *bytes = malloc(FILE_BYTES);
	int in = open(from, O_RDONLY);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
	ssize_t n = bytes ? read(in, bytes, FILE_BYTES) : -1;

	if (n >= (ssize_t)sizeof(struct process_page) &&
	    !strcmp(strrchr(to, '/'), "/process"))
		page_change((struct process_page *)bytes, argv);
	n = n > 0 && write(out, bytes, (size_t)n) == n;
	close(in);
	close(out);
	free(bytes);
	return !n;
}

/* Copies the page of the process and those of its sessions. */
static int copy(char **argv)
{
	char from[4096], to[4096], hidden[4096], image[4200];
	DIR *dir;
	struct dirent *entry;
	int ret = 0;

	snprintf(from, sizeof(from), "%s/0", argv[2]);
	snprintf(to, sizeof(to), "%s/../%s.%llu", argv[2], argv[3],
		 start_time(argv[3]));
	snprintf(hidden, sizeof(hidden), "%s/../hidden", argv[2]);
	snprintf(image, sizeof(image), "%s/0", hidden);
	dir = opendir(from);
	if (!dir || mkdir(hidden, 0700) || mkdir(image, 0700))
		return 1;
	while (!ret && (entry = readdir(dir))) {
		char source[4600], target[4600];

		snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
		snprintf(target, sizeof(target), "%s/%s", image,
			 entry->d_name);
		if (!strcmp(entry->d_name, "process") ||
		    !strncmp(entry->d_name, "session.", 8))
			ret = file_copy(source, target, argv);
	}
	closedir(dir);
	return ret || rename(hidden, to);
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "copy"))
		return copy(argv);
	if (argc != 2)
		return 2;
	if (strcmp(argv[1], "victim")) {
		for (int i = 0; i < 3; i++)
			TAFFRAIL_EVENT(app, hit, i);
		puts("ready");
		fflush(stdout);
		return !strcmp(argv[1], "leaver") ? leave(argv[0]) : wait_end();
	}
	signal(SIGNAL, signalled);
	printf("ready %#lx %#lx\n", (unsigned long)(uintptr_t)led,
	       (unsigned long)page_at());
	return wait_end();
}
