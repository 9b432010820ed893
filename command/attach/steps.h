/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of attach: access to the process's memory (access.c), checks of the
 * process (target.c, modules.c), the memory that it gets (memory.c), the stop
 * of one thread (stop.c, thread-x86_64.c), threads as /proc shows them
 * (threads.c), forks under way (forks.c, forking.c), turns of commands
 * (turns.c), the order of the steps (load.c).
 *
 * Invariant: only the stop of a thread changes the process, after all checks.
 * So a process that is refused is as it was.
 */
#ifndef COMMAND_ATTACH_STEPS_H
#define COMMAND_ATTACH_STEPS_H

#include <limits.h>
#include <stddef.h>
#include <sys/user.h>

#include "command/attach/attach.h"
#include "command/attach/stub.h"

#define ATTACH_MODULES_MAX	1024
/* The folder of a library that has no path in the process. */
#define ATTACH_FILELESS		"/proc/thread-self/fd/"

/* A module of the process, from the dynamic linker's list. */
struct attach_module {
	uint64_t map;			/* struct link_map there */
	uint64_t base;			/* l_addr */
	uint64_t dynamic;
	char name[256];			/* file name without the folder */
	bool fileless;			/* came by ATTACH_FILELESS */
	/* of PT_TLS; tls_bytes is 0 without */
	uint64_t tls_image, tls_image_bytes, tls_bytes;
	uint64_t code, code_end;	/* the executable part */
	uint64_t data, data_end;	/* the writable part */
};

/* The functions and data of libc that attach needs. */
struct attach_names {
	uint64_t create, detach, dlopen, dlsym, dlerror, dlclose, atfork;
	uint64_t munmap, finalize;
	uint64_t fork, fork_bytes;
	uint64_t fork_alone, fork_alone_bytes;	/* _Fork, or 0 */
	uint64_t single;		/* __libc_single_threaded, or 0 */
	uint64_t rseq_offset, rseq_size; /* or 0 */
	uint64_t tls_offset, tid;	/* _thread_db_...: descriptors */
	uint64_t agent;			/* taffrail_attach, or 0 */
	uint64_t unload;		/* taffrail_unload_N, or 0 */
	uint64_t library;		/* struct link_map of those, or 0 */
	uint64_t probe;			/* taffrail_probe_request_N, or 0 */
	bool foreign_malloc;		/* malloc is, or may be, not libc's */
};

struct attach_target {
	pid_t pid;
	bool brief;	      /* the caller's: a loader that waits is given
			       * up soon */
	int image;	      /* attach_image_open() */
	pid_t shown;	      /* process_shown(), or 0 */
	bool loads;	      /* the caller's: attach_turn() is wanted */
	struct cause *cause;  /* filled where a step fails */
	uint64_t phdr, nphdr; /* of the program, from auxv */
	struct attach_module *modules;
	size_t nmodules;
	const struct attach_module *libc, *linker;
	bool probes;			/* libtaffrail-probe.so is loaded */
	struct attach_names names;
	/* read from the process */
	uint32_t at_tls_offset, at_tid;	/* offsets in libc's structures */
	int64_t rseq_offset;		/* from the thread pointer */
	uint32_t rseq_bytes;		/* 0: libc does not register */
	uint64_t syscall;		/* a syscall instruction */
	uint64_t stub;			/* with the agent's handlers of fork(3),
					 * once it is unloaded */
};

/*
 * Fills the target's cause, with the process, and returns `ret`.
 *
 *	return attach_cause(t, -EACCES, PTRACE_REFUSED, .error = error);
 */
#define attach_cause(t, ret, name, ...) \
	cause_set((t)->cause, ret, name, .pid = (t)->pid, __VA_ARGS__)

/* The loader's task in the process. */
struct attach_plan {
	const char *library;	/* to load, unless `function` is known */
	bool foreign;		/* out: the process cannot see that path */
	const char *entry;	/* the name of the function to call there */
	uint64_t function;	/* the entry, if the library is loaded */
	const char *request;	/* its argument (control/request.h), or NULL:
				 * it is taffrail_attach() */
	bool patient;		/* wait for the function without end */
	/* The library to unload afterwards (struct link_map), or 0. prove()
	 * waits until nothing in the process uses it: `facts` is the address of
	 * struct unload_facts, `base` of the stub that asks. Returns 0; or a
	 * negative errno and the cause. */
	uint64_t unloads;
	int (*prove)(struct attach_target *t, uint64_t facts, uint64_t base,
		     size_t bytes);
	struct attach_answer *answer;	/* out, for a request */
};

/* The memory that the process gets, built here. */
struct attach_memory {
	uint8_t *bytes;
	size_t size;			/* to map, with room for the image */
	struct attach_block *block;	/* in `bytes` */
	size_t stack_top;		/* offsets from the start of `bytes` */
	size_t thread_pointer;
	size_t dtv;
	size_t end;			/* of the used part of `bytes` */
	size_t image_bytes;		/* of the library, at `end`; or 0 */
	bool asks;			/* the function gets the request */
};

/* The stop of one thread. */
struct attach_stop {
	pid_t tid;			/* out: the thread */
	uint64_t base;			/* out: address of the memory */
	uint64_t stall_ns;		/* out: how long it was stopped */
};

/* Read or write the process's memory. Return 0 or a negative errno. */
int attach_read(const struct attach_target *t, uint64_t from, void *to,
		size_t bytes);
int attach_write(const struct attach_target *t, uint64_t to, const void *from,
		 size_t bytes);

/*
 * Binds the target to the program that the process executes now: a process may
 * execute another program at any moment, and addresses of the first one are
 * wrong there. Returns 0; or a negative errno, and attach_image_same() is then
 * false for any program. attach_image_same() reads an address of the first
 * program: the read fails after execve(2), except in a child of vfork(2) while
 * the parent still has the first program.
 */
int attach_image_open(struct attach_target *t);
bool attach_image_same(const struct attach_target *t, uint64_t address);
void attach_image_close(struct attach_target *t);

/*
 * Waits for the turn to load something into the process, and then ends what the
 * load of a command that was killed still does there. The caller has opened the
 * image, whose close ends the turn, as attach_turn_end() does. Returns 0, or a
 * negative errno and target->cause.
 */
#define ATTACH_TURN_MS	30000
int attach_turn(struct attach_target *t, unsigned int wait_ms);
void attach_turn_end(struct attach_target *t);

/* Checks that the user may attach and that the process can have an agent; with
 * target->loads, takes the turn first. Changes nothing in the process. Returns
 * 0, or a negative errno and target->cause. */
int attach_target_open(struct attach_target *t, pid_t pid);
void attach_target_close(struct attach_target *t);

/* Reads the linker's list of modules, and the addresses of names in libc.
 * Returns 0, or a negative errno and target->cause. */
int attach_modules_read(struct attach_target *t);

/* Returns the address of a name that a module of the process defines; 0 if the
 * process has no such module, or the module no such name. */
uint64_t attach_name_find(const struct attach_target *t, const char *module,
			  const char *name);

/* Builds code, block, stack and thread-local storage; with the library's bytes
 * if it is foreign, else with the path. Returns 0 or a negative errno; the
 * caller releases the memory in both cases. */
int attach_memory_build(struct attach_memory *memory,
			const struct attach_target *t,
			const struct attach_plan *plan);
void attach_memory_release(struct attach_memory *memory);
/* Fills in the words that depend on the address `base`, and the words that
 * threads inherit: `header` is the beginning of the stopped thread's control
 * block. Then copies the memory into the process, but for the first `placed`
 * bytes, which are there. Returns 0 or a negative errno. */
#define ATTACH_HEADER_BYTES	64
int attach_memory_place(struct attach_memory *memory,
			const struct attach_target *t, uint64_t base,
			const uint8_t header[ATTACH_HEADER_BYTES],
			size_t placed);
/* Copies the library's bytes into the process, if it has no path there. Returns
 * 0 or a negative errno. */
int attach_memory_image(const struct attach_memory *memory,
			const struct attach_target *t, uint64_t base,
			const char *library);

/* The evidence for a process: the directory's owner, and the page in the
 * directory. */
struct attach_owner {
	uid_t uid;
	uint64_t page;		/* where the process is said to map it */
	char file[96];		/* the end of the page's path */
};

/* Returns 0 if this command may act on the process by that evidence; -EXDEV:
 * the directory is another user's, and the process is not; or -ESTALE: the
 * process does not map the page, so the page is another program's. Another
 * user's directory may name any process; and a page is written by a program
 * that may have given up root, and executed a set-user-ID one. */
int attach_owner_check(pid_t pid, const struct attach_owner *owner);

/* The address of the agent's code that makes the service thread, and the uuid
 * that tells that the code is this program's (buffers/wake.h). A thread with
 * more than `most` seccomp filters is left alone. */
struct attach_wake {
	struct attach_owner owner;
	uint64_t entry;
	uint8_t uuid[16];
	long most;
	bool first;	/* only the first thread, unless that has ended: other
			 * threads may have other Landlock domains */
};

/* The work for which a thread is stopped. */
struct attach_job {
	struct attach_target *t;
	struct attach_stop *stop;
	const struct attach_wake *wake;	/* to make the service thread, or: */
	struct attach_memory *memory;	/* to make the helper, or NULL: */
	size_t bytes;			/* to unmap at stop->base */
	uint64_t *sp, *pc;		/* for a look; NULL: how system calls
					 * are dispatched */
	struct attach_proof *proof;	/* to look at all threads */
	bool look;			/* only attach_thread_look() */
	bool unblock;			/* only attach_threads_unblock() */
	int ret;
};

/*
 * Stops stop->tid where that is safe, and does the job; or stops it anywhere,
 * and reads the registers, or only looks at how its system calls are
 * dispatched. Run in a thread of this command that blocks all signals. Return
 * 0; -ESRCH, -ENXIO, -ETIMEDOUT, or -ENOSYS (the thread's system calls are
 * dispatched to a handler of the program, as far as the kernel tells): try
 * another thread; or another negative errno.
 */
int attach_thread_work(const struct attach_job *job);
int attach_thread_look(const struct attach_job *job);
/* Sets how long a thread's turns are from now on; 0: the usual length. Returns
 * the previous value, for the caller to restore. */
#define ATTACH_TURN_NS	100000
uint64_t attach_turns(pid_t tid, uint64_t ns);
/* Returns how many seccomp filters a thread has. */
long attach_filters(pid_t tid);
/* Returns true when a signal is in a set of a thread. /proc names the sets
 * "SigIgn", "SigBlk", "SigCgt". */
bool attach_signal_in(pid_t pid, pid_t tid, const char *set, int number);

/* The search for a use of the agent's memory: proof.c. */
struct attach_proof;

/* Look at one of the threads, all of which are stopped, and at the memory of
 * the process. `rseq` is the thread's area for restartable sequences, or 0.
 * Return 0; -EAGAIN: there is a use, which may end; or another negative
 * errno. */
int attach_proof_thread(struct attach_proof *proof, pid_t tid,
			const struct user_regs_struct *regs, uint64_t rseq);
int attach_proof_memory(struct attach_proof *proof);

/* Returns true for a thread that blocks SIGTRAP, other than in a function of
 * libc, or that may when a wait ends which has a mask of its own (ppoll(2),
 * sigwait(3)). */
bool attach_thread_blocks_traps(pid_t pid, pid_t tid);
/* Does attach_unblock_traps(). */
int attach_threads_unblock(const struct attach_job *job);

/* Stops all threads of the process, has them looked at, and lets them go.
 * Returns 0, or a negative errno. */
int attach_threads_prove(const struct attach_job *job);
int attach_stop_prove(struct attach_target *t, struct attach_proof *proof);

/* Lists the process's threads, the best ones to stop first; returns how many.
 * If each waits for a child of vfork(2) or for a disk, lists one of them. */
#define ATTACH_THREADS_MAX	64
int attach_threads_list(pid_t pid, pid_t tids[ATTACH_THREADS_MAX]);
/* Returns true when each thread waits for a child of vfork(2) or for a disk. */
bool attach_threads_blocked(pid_t pid);

/* Stop a thread, have it do a job, and let it go: to make the helper; to make
 * the service thread of an agent that has none; to unmap the memory. Return 0,
 * or a negative errno and target->cause. */
int attach_stop_run(struct attach_stop *stop, struct attach_target *t,
		    struct attach_memory *memory);
int attach_stop_wake(struct attach_target *t, const struct attach_wake *wake);
int attach_stop_unmap(struct attach_target *t, uint64_t base, size_t bytes);

/* Stops a thread, to tell whether a handler gets the thread's system calls.
 * Returns false where that cannot be known. */
bool attach_stop_dispatched(pid_t pid, pid_t tid);

/* Says why the process cannot make a thread, or the memory for it. `error` is a
 * negative errno, -EAGAIN of pthread_create(3), or -EUSERS, which is clone(2)'s
 * EAGAIN. Returns it, and -EAGAIN for -EUSERS. */
int attach_threadless(const struct attach_target *t, int error);

/* Stops a thread to read the stack pointer and program counter. Returns 0 or a
 * negative errno: -ESRCH it has exited. */
int attach_stop_look(struct attach_target *t, pid_t tid, uint64_t *sp,
		     uint64_t *pc);

/* Tells whether a thread with these registers is in fork(3). Addresses that an
 * earlier fork left on the stack may look the same. */
enum attach_forking {
	FORKING_NO,
	FORKING_MAYBE,		/* the stack has an address of fork(3) */
	FORKING_HANDLER,	/* it seems to be in a handler */
	FORKING_INSIDE,		/* it is in the code of fork(3) */
};
enum attach_forking attach_forking_at(const struct attach_target *t,
				      uint64_t sp, uint64_t pc);
/* Reads the registers of a thread that waits in a system call, without a stop.
 * Returns 0; -EAGAIN: the thread runs; -ESRCH. */
int attach_thread_waits(pid_t pid, pid_t tid, uint64_t *sp, uint64_t *pc);

/*
 * Waits, while new forks are held in our handler, until no thread is in a fork
 * that began before. `base` is the address of the stub. Returns 0, or -EAGAIN
 * if that takes too long.
 */
int attach_forks_wait(struct attach_target *t, uint64_t base);

/* Writes the path of a library that was installed with this command. Returns 0,
 * or a negative errno and the cause. */
int attach_library_find(const struct attach_target *t, char path[PATH_MAX],
			const char *name);

/* Has a thread of the process execute the plan, with the library's bytes where
 * the process cannot open the path. Sets plan->foreign. Returns 0, or a
 * negative errno and the cause. */
int attach_load(struct attach_target *t, struct attach_plan *plan,
		struct attach_report *report);

/* Returns true for a SCHED_DEADLINE thread, in which clone(2) fails unless the
 * new thread gets another policy (SCHED_RESET_ON_FORK). */
bool attach_thread_deadline(pid_t tid);

/* Returns true for a thread that the kernel has made in the process, for
 * io_uring or vhost. It runs no code of the program, and may stop late. */
bool attach_thread_worker(pid_t pid, pid_t tid);

/* Returns true for a thread that waits for a child of vfork(2) or for a disk:
 * it stops when the wait ends. */
bool attach_thread_blocked(pid_t pid, pid_t tid);

/* Returns true when the first thread of the process has ended, and the others
 * go on. */
bool attach_first_ended(pid_t pid);

/* Returns true when the process has a thread of that name. */
bool attach_thread_named(pid_t pid, const char *name);

#endif
