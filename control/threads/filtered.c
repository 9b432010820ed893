/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs that begin under a seccomp filter, which an earlier image of the
 * process or of an ancestor has installed.
 *
 * Such a filter was written for the program, not for the agent: it may kill for
 * any call that the agent's start would make. So the agent first looks for a
 * filter, by calls that the dynamic linker has just made (openat, read, close).
 * Where there is a filter it stays off and makes no further call. Exceptions:
 *
 *	TAFFRAIL_SECCOMP=trust		the user says that no filter minds
 *	TAFFRAIL_SECCOMP=trust:N	`taffrail record` has tried the agent
 *					under its own N filters; it starts under
 *					N filters or fewer
 *
 * The look into /proc/self takes a tenth of a short start. Where an agent has
 * seen the exec, it has asked the kernel for filters just before, and has told
 * the program: an exec keeps the filters of the thread that calls it. Then the
 * look is left out.
 *
 * Invariant: no other system call comes before filtered_start().
 */
#include "control/threads/filtered.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/base.h"
#include "base/host.h"
#include "base/sys.h"
#include "base/text.h"

#define STATUS_CHUNK	2048u
#define FILES_SEEN	64u	/* descriptors that are looked at */
#define TRUST		"trust"

/* From /proc/self/status; -1: the line is missing. */
struct filters {
	int64_t mode;		/* "Seccomp:" */
	int64_t number;		/* "Seccomp_filters:", since Linux 5.9 */
	int64_t tracer;		/* "TracerPid:" */
	int64_t files;		/* "FDSize:" */
	int64_t threads;	/* "Threads:" */
	int done;		/* a later line was seen */
};

static struct filters begun EARLY;	/* at start, if it was read then */
static bool unread;		/* it was not: no filter, and no tracer */
static int vouched;		/* by the user, also for programs to come */
static uint32_t allowed;	/* so many filters allow a new thread */
static int installed;		/* this process has installed a filter */

/* Takes the complete lines and moves the rest to the start; returns the rest's
 * length. Drops a line that fills the buffer: none of the lines wanted is that
 * long. */
static uint32_t lines_take(struct filters *filters, char *text, uint32_t n)
{
	static const struct {
		char name[20];
		uint16_t value;
	} lines[] = {
		{ "FDSize:\t", offsetof(struct filters, files) },
		{ "TracerPid:\t", offsetof(struct filters, tracer) },
		{ "Threads:\t", offsetof(struct filters, threads) },
		{ "Seccomp:\t", offsetof(struct filters, mode) },
		{ "Seccomp_filters:\t", offsetof(struct filters, number) },
	};
	const char *value = NULL;
	uint32_t start = 0;
	uint32_t k;

	for (uint32_t i = 0; i < n; i++) {
		if (text[i] != '\n')
			continue;
		text[i] = '\0';
		for (k = 0; k < ARRAY_SIZE(lines) && !value; k++)
			value = lines[k].name[0] == text[start] ?
				text_after(text + start, lines[k].name) : NULL;
		if (value)
			*(int64_t *)((char *)filters + lines[k - 1].value) =
				text_number(&value);
		else
			filters->done = filters->mode >= 0;
		value = NULL;
		start = i + 1;
	}
	for (uint32_t i = start; i < n; i++)
		text[i - start] = text[i];
	return n - start < STATUS_CHUNK ? n - start : 0;
}

/*
 * Returns true when there is a filter. Where /proc cannot be read, the kernel
 * is asked by prctl(2). A filter may kill for that call, but such a filter
 * would also kill for the calls of the agent's start.
 */
static bool filters_read(struct filters *filters)
{
	char text[STATUS_CHUNK];
	int fd = (int)sys_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	uint32_t used = 0;
	long n = -1;
	long mode;

	*filters = (struct filters){ -1, -1, -1, -1, -1, 0 };
	while (fd >= 0 && !filters->done &&
	       (n = sys_read(fd, text + used, STATUS_CHUNK - used)) > 0)
		used = lines_take(filters, text, used + (uint32_t)n);
	if (fd >= 0)
		sys_close(fd);
	if (n >= 0)
		return filters->mode > 0;
	mode = sys2(SYS_prctl, PR_GET_SECCOMP, 0);
	/* a kernel without filters does not know PR_GET_SECCOMP */
	return mode && mode != -EINVAL;
}

bool filtered_seen(void)
{
	struct filters filters;

	return filters_read(&filters);
}

/* Returns true if the kernel may have stopped this thread for a tracer. A
 * thread that a debugger or strace has is stopped when it is traced or executes
 * the program, and each stop is a switch to another thread. */
static bool was_stopped(void)
{
	struct rusage usage;

	return sys2(SYS_getrusage, RUSAGE_THREAD, &usage) || usage.ru_nvcsw;
}

bool filtered_start(const char *word, bool told)
{
	const char *rest = word ? text_after(word, TRUST) : NULL;
	int64_t most;

	vouched = rest && !*rest;
	if (vouched)
		allowed = INT32_MAX;
	unread = !vouched && told && !was_stopped();
	if (vouched || unread || !filters_read(&begun))
		return false;
	if (rest && *rest++ == ':') {
		most = text_number(&rest);
		if (!*rest && begun.number >= 0 && begun.number <= most) {
			allowed = (uint32_t)begun.number;
			return false;
		}
	}
	return true;
}

int filtered_tracer(void)
{
	return unread ? 0 : begun.done ? begun.tracer > 0 : -1;
}

/* Returns true if so many of the first descriptors are free. Each look takes
 * 0.2 us, and a program has few files open when it starts. */
static bool files_free(uint32_t files, uint64_t limit)
{
	uint32_t end = (uint32_t)min_u64(limit, FILES_SEEN);

	for (uint32_t fd = 0; fd < end && files; fd++)
		files -= sys2(SYS_fcntl, fd, F_GETFD) == -EBADF;
	return !files;
}

bool filtered_alone(uint32_t files)
{
	struct rlimit limit;

	return (unread || (begun.done && begun.threads == 1 &&
			   begun.files >= 0)) &&
	       !sys4(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) &&
	       (unread ? files_free(files, limit.rlim_cur) :
			 limit.rlim_cur >= (uint64_t)begun.files + files);
}

bool filtered_unread(void)
{
	return unread;
}

SIGSAFE uint32_t filtered_allowed(void)
{
	return allowed;
}

SIGSAFE bool filtered_here(void)
{
	return load_relaxed(&installed) || load_relaxed(&host_guest_confined);
}

SIGSAFE bool filtered_next(void)
{
	return !vouched && (load_relaxed(&installed) ||
			    load_relaxed(&host_guest_confined) ==
				    GUEST_FILTERED);
}

SIGSAFE void filtered_process(int yes)
{
	store_relaxed(&installed, yes);
}

SIGSAFE void filtered_guest(int here)
{
	if (load_relaxed(&host_guest_confined) != (uint32_t)here)
		store_relaxed(&host_guest_confined, (uint32_t)here);
}
