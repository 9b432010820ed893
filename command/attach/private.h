/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of attach: its memory (access.c), what the process is (target.c,
 * modules.c), the memory it gets (memory.c), the thread that is stopped
 * (stop.c, thread-x86_64.c, turns.c), what /proc tells of threads
 * (threads.c), forks under way (forks.c, forking.c), the order of it all
 * (load.c).
 */
#ifndef COMMAND_ATTACH_PRIVATE_H
#define COMMAND_ATTACH_PRIVATE_H

#include <stddef.h>

#include "command/attach/attach.h"
#include "command/attach/stub.h"

#define ATTACH_MODULES_MAX	1024

/* A module of the process, as its dynamic linker has it. */
struct attach_module {
	uint64_t map;			/* struct link_map there */
	uint64_t base;			/* l_addr */
	uint64_t dynamic;
	char name[256];			/* file name without its folder */
	/* of PT_TLS; tls_bytes is 0 without */
	uint64_t tls_image, tls_image_bytes, tls_bytes;
	uint64_t code, code_end;	/* what is executable of it */
	uint64_t data, data_end;	/* what can be written */
};

/* Functions and data of libc's that are needed. */
struct attach_names {
	uint64_t create, detach, dlopen, dlsym, dlerror, atfork, munmap;
	uint64_t fork, fork_bytes;
	uint64_t fork_alone, fork_alone_bytes;	/* _Fork, or 0 */
	uint64_t single;		/* __libc_single_threaded, or 0 */
	uint64_t rseq_offset, rseq_size; /* or 0 */
	uint64_t tls_offset, tid;	/* _thread_db_...: descriptors */
	uint64_t agent;			/* taffrail_attach, or 0 */
	bool foreign_malloc;		/* or may be: not libc's */
};

struct attach_target {
	pid_t pid;
	int image;			/* attach_image_open() */
	char *error;
	uint64_t phdr, nphdr;		/* of the program, from auxv */
	struct attach_module *modules;
	size_t nmodules;
	const struct attach_module *libc, *linker;
	struct attach_names names;
	/* read from it */
	uint32_t at_tls_offset, at_tid;	/* offsets in libc's structures */
	int64_t rseq_offset;		/* from the thread pointer */
	uint32_t rseq_bytes;		/* 0: libc does not register */
	uint64_t syscall;		/* a syscall instruction */
};

/* What the process is to get, built here. */
struct attach_memory {
	uint8_t *bytes;
	size_t size;			/* to be mapped: room for the image */
	struct attach_block *block;	/* in `bytes` */
	size_t stack_top;		/* offsets from the start of it */
	size_t thread_pointer;
	size_t dtv;
	size_t end;			/* of what is in `bytes` */
	size_t image_bytes;		/* of the library, at `end`; or 0 */
};

/* The stop of one thread. */
struct attach_stop {
	pid_t tid;			/* out: which */
	uint64_t base;			/* out: where the memory is now */
	uint64_t stall_ns;		/* out */
};

/* Writes target->error, returns `error`. */
int attach_fact(const struct attach_target *t, int error, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* Another process's memory: 0 or a negative errno. */
int attach_read(const struct attach_target *t, uint64_t from, void *to,
		size_t bytes);
int attach_write(const struct attach_target *t, uint64_t to, const void *from,
		 size_t bytes);

/*
 * Binds the target to the program that the process executes now: a process
 * executes another one at any moment, and what was read of the first is wrong
 * there. Returns 0, or a negative errno and then no image is the same.
 * attach_image_same() reads an address of the first program: it does not find
 * it after execve(2), but in a child of vfork(2), whose parent still has it.
 */
int attach_image_open(struct attach_target *t);
bool attach_image_same(const struct attach_target *t, uint64_t address);
void attach_image_close(struct attach_target *t);

/* May the user, and can the process? Nothing is touched. */
int attach_target_open(struct attach_target *t, pid_t pid);
void attach_target_close(struct attach_target *t);

/* The linker's list of modules, and names in libc. */
int attach_modules_read(struct attach_target *t);

/* Builds code, block, stack and thread-local storage; `foreign`: with the
 * library's bytes, else its path. */
int attach_memory_build(struct attach_memory *memory,
			const struct attach_target *t, const char *library,
			bool foreign);
void attach_memory_release(struct attach_memory *memory);
/* What depends on where it is mapped, and what threads inherit: `header` is the
 * beginning of the stopped thread's control block. Then copies it there. */
#define ATTACH_HEADER_BYTES	64
int attach_memory_place(struct attach_memory *memory,
			const struct attach_target *t, uint64_t base,
			const uint8_t header[ATTACH_HEADER_BYTES]);
/* The library's bytes, if it has no path. */
int attach_memory_image(const struct attach_memory *memory,
			const struct attach_target *t, uint64_t base,
			const char *library);

/* Where the agent's code is that makes the service thread, and how to tell that
 * it is this program's (buffers/wake.h). `most`: a thread with more seccomp
 * filters than that is left alone. */
struct attach_wake {
	uint64_t entry;
	uint64_t page;
	uint8_t uuid[16];
	long most;
};

/* What a thread is stopped for: */
struct attach_job {
	struct attach_target *t;
	struct attach_stop *stop;
	const struct attach_wake *wake;	/* to make the service thread, or: */
	struct attach_memory *memory;	/* to make the helper, or NULL: */
	size_t bytes;			/* to unmap at stop->base */
	uint64_t *sp, *pc;		/* not NULL: only to be seen */
	int ret;
};

/* Stops stop->tid where that is safe, and does the job; or looks at it. In a
 * thread of ours whose signals are blocked. 0; -ESRCH, -ENXIO, -ETIMEDOUT: not
 * this thread; or another negative errno. */
int attach_thread_work(const struct attach_job *job);
int attach_thread_look(const struct attach_job *job);
/* How long a thread's turns are from now on; 0: as they are usually. Returns
 * how long they were, for the thread to be given back. */
#define ATTACH_TURN_NS	100000
uint64_t attach_turns(pid_t tid, uint64_t ns);
/* How many seccomp filters a thread has; 0: none. */
long attach_filters(pid_t tid);
/* Is a signal in a set of a thread, as /proc calls it: "SigIgn", "SigBlk",
 * "SigCgt"? */
bool attach_signal_in(pid_t pid, pid_t tid, const char *set, int number);

/* The process's threads, those first that are best stopped; how many. Where
 * each waits for a child of vfork(2) or for a disk, one of them. */
#define ATTACH_THREADS_MAX	64
int attach_threads_list(pid_t pid, pid_t tids[ATTACH_THREADS_MAX]);
/* Does each wait so? */
bool attach_threads_blocked(pid_t pid);

/* Stops a thread, and lets it go where it makes the helper. */
int attach_stop_run(struct attach_stop *stop, struct attach_target *t,
		    struct attach_memory *memory);
/* Stops a thread to make the service thread of an agent that has none. */
int attach_stop_wake(struct attach_target *t, const struct attach_wake *wake);
/* Stops a thread to unmap what was mapped. */
int attach_stop_unmap(struct attach_target *t, uint64_t base, size_t bytes);

/* Stops a thread to see where it is. */
int attach_stop_look(struct attach_target *t, pid_t tid, uint64_t *sp,
		     uint64_t *pc);

/* Is a thread that is there in fork(3), in this process? What is left on its
 * stack from an earlier one may look so, too. */
enum attach_forking {
	FORKING_NO,
	FORKING_MAYBE,		/* it has called something from there */
	FORKING_HANDLER,	/* a handler, it seems */
	FORKING_INSIDE,		/* it is in its code */
};
enum attach_forking attach_forking_at(const struct attach_target *t,
				      uint64_t sp, uint64_t pc);
/* Where a thread is that waits for something. 0; -EAGAIN: it runs; -ESRCH. */
int attach_thread_waits(pid_t pid, pid_t tid, uint64_t *sp, uint64_t *pc);

/*
 * When all who begin to fork wait: until nobody is in a fork that began before.
 * `base` is where the stub is. 0, or -EAGAIN: it takes too long.
 */
int attach_forks_wait(struct attach_target *t, uint64_t base);

/* Has the process a thread of that name? */
bool attach_thread_named(pid_t pid, const char *name);

uint64_t attach_now_ns(void);

#endif
