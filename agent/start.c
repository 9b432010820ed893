/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start and end of the agent in a program.
 *
 * The shared library is marked initfirst: the constructor runs before any
 * other, libc's included. So it takes the environment from the arguments and
 * calls little of libc. Code that opens files runs aside.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/attached-private.h"
#include "agent/control-private.h"
#include "agent/fork-private.h"
#include "agent/fork.h"
#include "agent/image/lacking.h"
#include "agent/late.h"
#include "agent/private.h"
#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"
#include "buffers/clock.h"
#include "buffers/words.h"
#include "control/service/demand.h"
#include "control/service/service.h"
#include "control/sessions/place.h"
#include "control/sessions/quota.h"
#include "control/sessions/session.h"
#include "control/threads/filtered.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "control/threads/thread.h"
#include "control/threads/vectors.h"
#include "gdbstub/ipa/ipa.h"
#include "gdbstub/stub/open.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/program/memory.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/usdt/load.h"

/* ThreadSanitizer keeps state in thread-local memory that libc makes. The
 * agent's threads have none: an agent built with ThreadSanitizer would end the
 * process, so it stays off. Unit tests of single parts make no such threads. */
#ifdef __SANITIZE_THREAD__
#define THREADS_SANITIZED	1
#else
#define THREADS_SANITIZED	0
#endif

/*
 * Asks for rings in core dumps. core(5): bit 3 of the filter stands for files
 * that are mapped shared, as rings are. fork and execve keep the filter. The
 * kernel shows it in hexadecimal digits without "0x", but needs "0x" when it
 * reads them.
 */
static int core_ask(void)
{
	char line[20] = "0x";
	struct text text;
	uint64_t filter = 0;
	int fd = (int)sys_open("/proc/self/coredump_filter",
			       O_RDWR | O_CLOEXEC, 0);
	long n = fd < 0 ? fd : sys_read(fd, line + 2, sizeof(line) - 3);
	const char *p;

	for (p = line + 2; n > 0 && *p && *p != '\n'; p++)
		filter = filter << 4 | (uint64_t)(*p <= '9' ? *p - '0' :
							      *p - 'a' + 10);
	text_open(&text, line, sizeof(line));
	text_add(&text, "0x");
	text_add_hex(&text, filter | 1u << 3, 8);
	if (n > 0)
		n = sys_write(fd, line, text.used);
	if (fd >= 0)
		sys_close(fd);
	return n < 0 ? (int)n : 0;
}

static const struct service_hooks hooks = {
	.serve = control_serve,
	.begin = gdb_start,
	.resting = gdb_resting,
	.files = fork_files,
	.look = gdb_look,
};

/* Logs the variables whose word is unknown: their default holds. */
static void words_log(void)
{
	char fact[120];
	struct text text;

	for (int i = 0; i < WORDS_VARIABLES; i++) {
		if (!(settings.words_unknown & 1u << i))
			continue;
		text_open(&text, fact, sizeof(fact));
		text_add(&text, words_name(i));
		text_add(&text, " is none of ");
		text_add(&text, words_list(i));
		text_add(&text, "; the default is used");
		log_fact(LOG_WARNING, "start", fact, 0);
	}
}

static bool libc_unknown(void)
{
	return libc_suits && !libc_suits();
}

static bool channels_begin(void)
{
	int ret = channels_setup();

	agent_off = ret == -EINVAL ? "the kernel wipes no memory at fork "
				     "(MADV_WIPEONFORK, Linux 4.14)" :
				     "no memory";
	return !ret;
}

static void agent_set_up(void)
{
	int tsc = PR_TSC_ENABLE;
	bool late, deferred;

	log_setup(settings.log);
	if (libc_unknown()) {
		agent_off = "the program's libc is not glibc";
		return;
	}
	/* a library for LD_AUDIT may have made threads */
	if (filtered_start(settings.seccomp, settings.unfiltered &&
			   !settings.audit && agent_begins_alone())) {
		agent_off = "the program began under a seccomp filter";
		/* makes no system call, not even for a line of the log */
		thread_forbid(HOST_FILTERED);
		return;
	}
	words_log();
	/* the setting survives execve() */
	sys2(SYS_prctl, PR_GET_TSC, &tsc);
	if (tsc == PR_TSC_SIGSEGV) {
		agent_off = "the program may not read the time stamp counter";
		return;
	}
	if (!host_may_ask()) {
		agent_off = "the program may not execute CPUID";
		return;
	}
	if (leaves_setup)
		leaves_setup();
	if (modules_setup)
		modules_setup();
	deferred = deferred_look();
	if (!deferred)
		agent_learn();
	object_setup();
	collect_kept = vectors_kept;
	host_setup();
	agent_rseq = write_rseq_test();
	if (setting_is(settings.core, "on") && core_ask())
		log_fact(LOG_ERROR, "start", "core dumps cannot have the "
			 "buffers: /proc/self/coredump_filter", 0);
	/* who may load libraries may trace; Yama's level 1 knows only this */
	if (setting_is(settings.load, "on"))
		sys2(SYS_prctl, PR_SET_PTRACER, (long)PR_SET_PTRACER_ANY);
	if (quota_setup(settings.quota)) {
		agent_off = "TAFFRAIL_QUOTA is not a number of bytes, K, M or G";
		session_environment_off(agent_off);
		return;
	}
	if (deferred)
		channels_defer();
	else if (!channels_begin())
		return;
	agent_off = "no memory";
	if (thread_setup())
		return;
	agent_rseq &= !patch_setup();
	late = attach_loads();
	fork_setup(!late);
	if (!late && library_pin)
		library_pin();
	service_hooks = &hooks;
	demand_setup(service_main, ipa_awaits, control_called);
	if (agent_signal && setting_is(settings.gdb, "on"))
		log_fact(LOG_WARNING, "start", "gdb's stub needs a service "
			 "thread: no TAFFRAIL_GDB=on with "
			 "TAFFRAIL_SERVICE=signal", 0);
	memory_learn();
	usdt_load_learn();
	if (deferred && deferred_start())
		return;
	if (deferred && !channels_begin())
		return;
	if (deferred)
		agent_learn();
	agent_begin();
}

__attribute__((constructor(101))) static void agent_start(int argc,
							  char **argv,
							  char **environment)
{
	if (getauxval(AT_SECURE)) {
		agent_off = "the program is set-user-ID, set-group-ID or has "
			    "capabilities (AT_SECURE)";
		return;
	}
	if (THREADS_SANITIZED) {
		agent_off = "the program is built with ThreadSanitizer";
		return;
	}
	/* Only glibc passes arguments to constructors. Where the program has
	 * changed the environment since the kernel made it, behind the
	 * arguments, and `taffrail attach` loads the agent, another thread may
	 * change it now: a copy is read. This makes no system call when a
	 * program starts, and only those of filtered_start() under a filter. */
	if (libc_unknown())
		environment = environ;
	else if (environment != argv + argc + 1 && !filtered_seen() &&
		 attach_loads())
		environment = attach_environment(environment);
	settings_read(environment);
	agent_set_up();
	if (!agent_off)
		return;
	log_fact(LOG_ERROR, "start", agent_off, 0);
	if (agent_off != agent_another_copy)
		lacking_tell(agent_lacks, agent_off, NULL);
}

static COLD void end_here(void)
{
	if (thread_forbidden()) {
		process.page->state = PROCESS_EXITED;
		return;
	}
	/* a child of vfork() shares the parent's page */
	if (process.pid != (uint32_t)sys_getpid())
		return;
	ipa_end(IPA_END_EXIT);
	ipa_socket_remove();
	quiet_end();
	/* the service thread may be making its socket */
	registry_lock();
	place_close(session_remove_spent());
	registry_unlock();
}

/* A child that never wrote has no files: fork() has wiped the mark. For such a
 * child this makes no system call. */
FORK_TEXT __attribute__((destructor(101))) static void agent_end(void)
{
	if (fork_hooks)
		fork_hooks->end();
	if (start_deferred)
		fork_wait();
	if (!agent_off && process.page && load_relaxed(fork_mark))
		end_here();
	if (unload_end)
		unload_end();
}
