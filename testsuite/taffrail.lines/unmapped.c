/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives memory of its own file away, as the argument says: unmap, map (over
 * it), move, file (one that ends before it). Calls work() before and after. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES	(16 * 4096)

struct item {
	int n;
	char name[16];
};

static char room[BYTES] __attribute__((aligned(4096)));
static struct item *volatile there = (struct item *)(room + BYTES / 2);

__attribute__((noinline)) static int work(struct item *item, int k)
{
	int sum = k * 3;

	sum++;	/* line 25 */
	__asm__ volatile("" : "+r"(sum) : "r"(item));
	return sum;
}

static void *mapped(int prot, int flags, int fd)
{
	return mmap(room, BYTES, prot, flags | MAP_FIXED, fd, 0);
}

static int room_give(const char *how)
{
	char name[] = "unmapped.XXXXXX";
	void *other;

	if (!strcmp(how, "unmap"))
		return munmap(room, BYTES);
	if (!strcmp(how, "map"))
		return mapped(PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1) !=
		       room;
	if (!strcmp(how, "file"))
		return mapped(PROT_READ, MAP_SHARED, mkstemp(name)) != room ||
		       unlink(name);
	other = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	return mremap(room, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
		      other) != other;
}

int main(int argc, char **argv)
{
	int sum;

	there->n = 42;
	strcpy(there->name, "pear");
	sum = work(there, 1);
	if (argc > 1 && room_give(argv[1]))
		perror(argv[1]);
	printf("%d\n", sum + work(there, 2));
	return 0;
}

#ifdef OWN
#include <stdarg.h>
#include <sys/syscall.h>

/* As an allocator in the program has them: the agent's are never called. */
int munmap(void *address, size_t n)
{
	return (int)syscall(SYS_munmap, address, n);
}

void *mmap(void *address, size_t n, int prot, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, address, n, prot, flags, fd, offset);
}

void *mremap(void *address, size_t n, size_t become, int flags, ...)
{
	va_list ap;
	void *to;

	va_start(ap, flags);
	to = va_arg(ap, void *);
	va_end(ap);
	return (void *)syscall(SYS_mremap, address, n, become, flags, to);
}
#endif
