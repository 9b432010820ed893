/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtaffrail-pthread.so: the pthread functions of an unmodified program as
 * events. It is preloaded and defines the functions itself. Each wrapper does:
 *
 *	FUNCTION_entry	an event: the object, other arguments that tell what is
 *			called, and the caller: the address to which it returns
 *	the real one	the next definition in the program's search order
 *	FUNCTION_exit	an event: the object and the return value
 *
 * Invariants:
 * - The program does not notice. While its events are off, a wrapper is a tail
 *   call and leaves no frame on the stack; it never reads memory of the
 *   program; errno and dlerror() are the real function's.
 * - No wrapper holds anything (memory, lock, cleanup) across the real call:
 *   a cancelled pthread_cond_wait() unwinds through the wrapper's frame. The
 *   check of __EXCEPTIONS below makes sure that tables for unwinding exist.
 * - No look-up in a call: a constructor finds every real function.
 *   Constructors of other libraries may run before it: until then the pointer
 *   leads to a function that looks it up first. Looking up may allocate, and
 *   a preloaded allocator may lock: such calls go to libc's own names.
 * - No library is needed: the sites are off until an agent finds them.
 *
 * Not covered: the definitions have no version, so they also take references
 * to the pthread_cond_* of GLIBC_2.2.5 and pass them to those of 2.3.2. Only
 * x86-64 binaries linked before 2003 refer to the old ones on purpose.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/*
 * C code compiled for exceptions gets a pthread_cleanup_push() that needs
 * libgcc_s. The other form needs libc only, and works under either flag.
 */
#ifndef __EXCEPTIONS
#error "cancellation unwinds through these functions: use -fexceptions"
#endif
#undef __EXCEPTIONS
#include <pthread.h>

/* That form's functions, and dlvsym(), are glibc's. With another libc there is
 * no agent and they are not called; but a name that the linker does not find
 * would end the program. */
#pragma weak __pthread_register_cancel
#pragma weak __pthread_unregister_cancel
#pragma weak dlvsym

/* The context `ip` is an address of the program, not of this library. Each
 * function that has a marker has this variable. */
#define TAFFRAIL_CALLER_	caller
#include <taffrail/marker.h>

#define PUBLIC	__attribute__((visibility("default")))
#define COLD	__attribute__((cold, noinline))
#define TRACED	__attribute__((noinline))
#define TLS	__thread __attribute__((tls_model("initial-exec")))

/*
 * libc's other names of its functions, for calls made while the real functions
 * are being looked up. Weak, because not every libc has them.
 */
#define ALIAS(name, ...)						\
	extern int __pthread_##name(__VA_ARGS__) __attribute__((weak))

ALIAS(mutex_lock, pthread_mutex_t *);
ALIAS(mutex_trylock, pthread_mutex_t *);
ALIAS(mutex_unlock, pthread_mutex_t *);
ALIAS(mutex_init, pthread_mutex_t *, const pthread_mutexattr_t *);
ALIAS(mutex_destroy, pthread_mutex_t *);
ALIAS(rwlock_rdlock, pthread_rwlock_t *);
ALIAS(rwlock_tryrdlock, pthread_rwlock_t *);
ALIAS(rwlock_wrlock, pthread_rwlock_t *);
ALIAS(rwlock_trywrlock, pthread_rwlock_t *);
ALIAS(rwlock_unlock, pthread_rwlock_t *);
ALIAS(rwlock_init, pthread_rwlock_t *, const pthread_rwlockattr_t *);
ALIAS(rwlock_destroy, pthread_rwlock_t *);

/* Stands for a function that libc does not have, or that is not found yet. */
static int function_absent(void)
{
	return ENOSYS;
}

/*
 * Returns the next definition of `name` after ours. If libc has two, an old one
 * of GLIBC_2.2.5 and the default of 2.3.2, some dlsym() return the old one:
 * `renewed` then asks for the default by the version. A definition of another
 * preloaded library has no such version and is preferred.
 */
static COLD void *look_up(const char *name, bool renewed)
{
	void *found = dlsym(RTLD_NEXT, name);
	void *old, *new;
	bool failed = !found;

	if (renewed && dlvsym) {
		old = dlvsym(RTLD_NEXT, name, "GLIBC_2.2.5");
		new = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
		failed |= !old || !new;
		if (new && (!found || found == old))
			found = new;
	}
	if (failed)
		dlerror();	/* the program must not see our error */
	return found;
}

/*
 * Returns the real function, never NULL; `alias` to a call that a look-up of
 * the same thread makes. Threads may look up a function at the same time: they
 * find the same.
 */
static COLD void *function_resolve(const char *name, bool renewed, void *alias)
{
	/* volatile: libc declares that dlsym() does not call this file back */
	static TLS volatile bool busy;
	int saved = errno;
	void *found = NULL;

	if (!busy) {
		busy = true;
		found = look_up(name, renewed);
		busy = false;
	}
	errno = saved;
	if (!found)
		found = alias ? alias : (void *)function_absent;
	return found;
}

#define REAL(name)	__atomic_load_n(&real_##name, __ATOMIC_RELAXED)

/*
 * real_NAME is written by find_NAME of any thread and read by every thread.
 * Relaxed, because the target existed before the process had threads.
 */
#define DEFINE_REAL(name, renewed, alias, params, args)			\
	static int first_##name params;					\
	static int (*real_##name) params = first_##name;		\
									\
	__attribute__((constructor)) static COLD void find_##name(void)	\
	{								\
		void *found;						\
									\
		found = function_resolve("pthread_" #name, renewed, alias);	\
		__atomic_store_n(&real_##name,				\
				 (__typeof__(real_##name))found,	\
				 __ATOMIC_RELAXED);			\
	}								\
									\
	static COLD int first_##name params				\
	{								\
		find_##name();						\
		return REAL(name) args;					\
	}								\
	_Static_assert(1, "")

/* An object is shown with its symbol: a mutex that is a variable has a name.
 * For the lists of fields below: in an event, this macro's name would be the
 * field's. */
#define NAMED(object)	TAFFRAIL_SYMBOL(object)

/*
 * A wrapper: name without "pthread_", parameters, arguments, and the fields
 * of its events. While both events are off it has no frame and ends in a tail
 * call: a call under way when they are switched on makes neither event. The
 * public function passes the return address on: without optimization there is
 * no tail call, and the traced one would return to the public one.
 */
#define CALLER	__builtin_extract_return_addr(__builtin_return_address(0))
#define BARE(...)	__VA_ARGS__
#define DEFINE_WRAPPER(name, params, args, ...)				\
	static TRACED int traced_##name(BARE params, void *caller)	\
	{								\
		int ret;						\
									\
		TAFFRAIL_EVENT(pthread, name##_entry, __VA_ARGS__,	\
			       TAFFRAIL_SYMBOL(caller));		\
		ret = REAL(name) args;					\
		TAFFRAIL_EVENT(pthread, name##_exit, __VA_ARGS__, ret);	\
		return ret;						\
	}								\
									\
	PUBLIC int pthread_##name params				\
	{								\
		if (TAFFRAIL_ENABLED(pthread, name##_entry))		\
			return traced_##name(BARE args, CALLER);	\
		if (TAFFRAIL_ENABLED(pthread, name##_exit))		\
			return traced_##name(BARE args, CALLER);	\
		return REAL(name) args;					\
	}								\
	_Static_assert(1, "")

#define WRAP(name, params, args, ...)					\
	DEFINE_REAL(name, false, NULL, params, args);			\
	DEFINE_WRAPPER(name, params, args, __VA_ARGS__)

#define WRAP_RENEWED(name, params, args, ...)				\
	DEFINE_REAL(name, true, NULL, params, args);			\
	DEFINE_WRAPPER(name, params, args, __VA_ARGS__)

#define WRAP_ALIASED(name, params, args, ...)				\
	DEFINE_REAL(name, false, (void *)__pthread_##name, params, args); \
	DEFINE_WRAPPER(name, params, args, __VA_ARGS__)

WRAP_ALIASED(mutex_lock, (pthread_mutex_t *mutex), (mutex), NAMED(mutex));
WRAP_ALIASED(mutex_trylock, (pthread_mutex_t *mutex), (mutex), NAMED(mutex));
WRAP_ALIASED(mutex_unlock, (pthread_mutex_t *mutex), (mutex), NAMED(mutex));
WRAP(mutex_timedlock,
     (pthread_mutex_t *mutex, const struct timespec *abstime),
     (mutex, abstime), NAMED(mutex));
WRAP(mutex_clocklock,
     (pthread_mutex_t *mutex, clockid_t clock, const struct timespec *abstime),
     (mutex, clock, abstime), NAMED(mutex));
WRAP_ALIASED(mutex_init,
	     (pthread_mutex_t *mutex, const pthread_mutexattr_t *attr),
	     (mutex, attr), NAMED(mutex));
WRAP_ALIASED(mutex_destroy, (pthread_mutex_t *mutex), (mutex), NAMED(mutex));

WRAP_ALIASED(rwlock_rdlock, (pthread_rwlock_t *rwlock), (rwlock),
	     NAMED(rwlock));
WRAP_ALIASED(rwlock_tryrdlock, (pthread_rwlock_t *rwlock), (rwlock),
	     NAMED(rwlock));
WRAP(rwlock_timedrdlock,
     (pthread_rwlock_t *rwlock, const struct timespec *abstime),
     (rwlock, abstime), NAMED(rwlock));
WRAP(rwlock_clockrdlock,
     (pthread_rwlock_t *rwlock, clockid_t clock,
      const struct timespec *abstime),
     (rwlock, clock, abstime), NAMED(rwlock));
WRAP_ALIASED(rwlock_wrlock, (pthread_rwlock_t *rwlock), (rwlock),
	     NAMED(rwlock));
WRAP_ALIASED(rwlock_trywrlock, (pthread_rwlock_t *rwlock), (rwlock),
	     NAMED(rwlock));
WRAP(rwlock_timedwrlock,
     (pthread_rwlock_t *rwlock, const struct timespec *abstime),
     (rwlock, abstime), NAMED(rwlock));
WRAP(rwlock_clockwrlock,
     (pthread_rwlock_t *rwlock, clockid_t clock,
      const struct timespec *abstime),
     (rwlock, clock, abstime), NAMED(rwlock));
WRAP_ALIASED(rwlock_unlock, (pthread_rwlock_t *rwlock), (rwlock),
	     NAMED(rwlock));
WRAP_ALIASED(rwlock_init,
	     (pthread_rwlock_t *rwlock, const pthread_rwlockattr_t *attr),
	     (rwlock, attr), NAMED(rwlock));
WRAP_ALIASED(rwlock_destroy, (pthread_rwlock_t *rwlock), (rwlock),
	     NAMED(rwlock));

WRAP_RENEWED(cond_wait, (pthread_cond_t *cond, pthread_mutex_t *mutex),
	     (cond, mutex), NAMED(cond), NAMED(mutex));
WRAP_RENEWED(cond_timedwait,
	     (pthread_cond_t *cond, pthread_mutex_t *mutex,
	      const struct timespec *abstime),
	     (cond, mutex, abstime), NAMED(cond), NAMED(mutex));
WRAP(cond_clockwait,
     (pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
      const struct timespec *abstime),
     (cond, mutex, clock, abstime), NAMED(cond), NAMED(mutex));
WRAP_RENEWED(cond_signal, (pthread_cond_t *cond), (cond), NAMED(cond));
WRAP_RENEWED(cond_broadcast, (pthread_cond_t *cond), (cond), NAMED(cond));
WRAP_RENEWED(cond_init,
	     (pthread_cond_t *cond, const pthread_condattr_t *attr),
	     (cond, attr), NAMED(cond));
WRAP_RENEWED(cond_destroy, (pthread_cond_t *cond), (cond), NAMED(cond));

WRAP(barrier_wait, (pthread_barrier_t *barrier), (barrier), NAMED(barrier));
WRAP(barrier_init,
     (pthread_barrier_t *barrier, const pthread_barrierattr_t *attr,
      unsigned int count),
     (barrier, attr, count), NAMED(barrier), count);
WRAP(barrier_destroy, (pthread_barrier_t *barrier), (barrier), NAMED(barrier));

WRAP(spin_lock, (pthread_spinlock_t *lock), (lock), NAMED(lock));
WRAP(spin_trylock, (pthread_spinlock_t *lock), (lock), NAMED(lock));
WRAP(spin_unlock, (pthread_spinlock_t *lock), (lock), NAMED(lock));
WRAP(spin_init, (pthread_spinlock_t *lock, int pshared), (lock, pshared),
     NAMED(lock));
WRAP(spin_destroy, (pthread_spinlock_t *lock), (lock), NAMED(lock));

/* A pthread_t is shown as gdb and libc show it, like an address. */
#define THREAD(thread)	TAFFRAIL_FIELD(thread, (void *)(thread))

WRAP(join, (pthread_t thread, void **retval), (thread, retval), THREAD(thread));
WRAP(tryjoin_np, (pthread_t thread, void **retval), (thread, retval),
     THREAD(thread));
WRAP(timedjoin_np,
     (pthread_t thread, void **retval, const struct timespec *abstime),
     (thread, retval, abstime), THREAD(thread));
WRAP(clockjoin_np,
     (pthread_t thread, void **retval, clockid_t clock,
      const struct timespec *abstime),
     (thread, retval, clock, abstime), THREAD(thread));
WRAP(detach, (pthread_t thread), (thread), THREAD(thread));
WRAP(cancel, (pthread_t thread), (thread), THREAD(thread));

/*
 * Facts that a new thread must know, from its creator's call until the thread
 * has copied it. Not on the heap: the traced program may be an allocator. When
 * all are taken, a new thread makes no thread_start and no thread_exit.
 */
enum { STARTS_MAX = 256 };

struct start {
	int taken;		/* any thread writes it (START_SLOT) */
	void *(*routine)(void *);
	void *arg;
	pthread_t *newthread;
};

static struct start starts[STARTS_MAX];

/* Returns a free place for a new thread, or NULL when all are taken. */
static struct start *start_take(void)
{
	struct start *start;

	for (start = starts; start < starts + STARTS_MAX; start++) {
		if (__atomic_load_n(&start->taken, __ATOMIC_RELAXED))
			continue;
		/* order: START_SLOT acquire; or the last owner could
		 * copy our stores. */
		if (!__atomic_exchange_n(&start->taken, 1, __ATOMIC_ACQUIRE))
			return start;
	}
	return NULL;
}

/* Gives a place back, after its values were copied. */
static void start_release(struct start *start)
{
	/* order: START_SLOT release; or our copy could get the next
	 * owner's stores. */
	__atomic_store_n(&start->taken, 0, __ATOMIC_RELEASE);
}

/* The argument of pthread_exit(); a thread that unwinds without a call of it is
 * cancelled. */
static TLS void *exit_value = PTHREAD_CANCELED;

/* Makes the event of a thread's end. */
static COLD void thread_ended(void *retval)
{
	void *thread = (void *)pthread_self();
	void *caller = NULL;		/* none is known */

	TAFFRAIL_EVENT(pthread, thread_exit, thread, retval);
}

static void thread_unwound(void *unused)
{
	thread_ended(exit_value);
}

/* The start routine of threads that are created while their events are on. */
static void *thread_run(void *taken)
{
	void *thread = (void *)pthread_self();
	struct start *start = taken;
	void *(*routine)(void *) = start->routine;
	void *start_routine = (void *)routine, *caller = start_routine;
	void *arg = start->arg;
	pthread_t *newthread = start->newthread;
	void *retval;

	start_release(start);
	TAFFRAIL_EVENT(pthread, thread_start, thread, newthread,
		       TAFFRAIL_SYMBOL(start_routine), arg);
	pthread_cleanup_push(thread_unwound, NULL);
	retval = routine(arg);
	pthread_cleanup_pop(0);
	thread_ended(retval);
	return retval;
}

DEFINE_REAL(create, false, NULL,
	    (pthread_t *newthread, const pthread_attr_t *attr,
	     void *(*routine)(void *), void *arg),
	    (newthread, attr, routine, arg));

/* Returns whether a new thread must make an event. */
static inline bool thread_events_enabled(void)
{
	if (TAFFRAIL_ENABLED(pthread, thread_start))
		return true;
	return TAFFRAIL_ENABLED(pthread, thread_exit);
}

static TRACED int traced_create(pthread_t *newthread,
				const pthread_attr_t *attr,
				void *(*routine)(void *), void *arg,
				void *caller)
{
	void *start_routine = (void *)routine;
	struct start *start = NULL;
	int ret;

	TAFFRAIL_EVENT(pthread, create_entry, newthread,
		       TAFFRAIL_SYMBOL(start_routine), arg,
		       TAFFRAIL_SYMBOL(caller));
	if (thread_events_enabled())
		start = start_take();
	if (start) {
		start->routine = routine;
		start->arg = arg;
		start->newthread = newthread;
		ret = REAL(create)(newthread, attr, thread_run, start);
		if (ret)
			start_release(start);
	} else {
		ret = REAL(create)(newthread, attr, routine, arg);
	}
	/* *newthread is not read: the thread may have freed it already. */
	TAFFRAIL_EVENT(pthread, create_exit, newthread, ret);
	return ret;
}

PUBLIC int pthread_create(pthread_t *newthread, const pthread_attr_t *attr,
			  void *(*routine)(void *), void *arg)
{
	if (TAFFRAIL_ENABLED(pthread, create_entry))
		return traced_create(newthread, attr, routine, arg, CALLER);
	if (TAFFRAIL_ENABLED(pthread, create_exit))
		return traced_create(newthread, attr, routine, arg, CALLER);
	if (thread_events_enabled())
		return traced_create(newthread, attr, routine, arg, CALLER);
	return REAL(create)(newthread, attr, routine, arg);
}

/* DEFINE_REAL's functions return int; pthread_exit() does not return. */
DEFINE_REAL(exit, false, NULL, (void *retval), (retval));

PUBLIC void pthread_exit(void *retval)
{
	void *caller = CALLER;

	TAFFRAIL_EVENT(pthread, exit_entry, retval, TAFFRAIL_SYMBOL(caller));
	exit_value = retval;
	REAL(exit)(retval);
	__builtin_unreachable();
}

/*
 * For a process that runs already. A command loads this library, calls the
 * function, and then has the agent lead libc's names here, as long as the word
 * is not 0 (agent/names-shared-x86_64.c). The agent makes it 2 when they lead
 * here. dlsym() finds libc's functions as the next ones, because this library
 * depends on libc alone.
 */
PUBLIC int taffrail_provider_1;
PUBLIC const char *taffrail_provide_1(void *request);

PUBLIC const char *taffrail_provide_1(void *request)
{
	/* before, libpthread had the functions, and libc others of the names */
	if (!dlvsym || !dlvsym(RTLD_NEXT, "pthread_create", "GLIBC_2.34"))
		return "its glibc is older than 2.34";
	__atomic_store_n(&taffrail_provider_1, 1, __ATOMIC_RELAXED);
	return NULL;
}
