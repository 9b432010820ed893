/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rights of threads, read and adopted.
 *
 * Left out are rights that count only at execve(2) (bounding and ambient set,
 * no_new_privs), which the agent's threads never call, and the file system ids,
 * which a program changes for one access at a time.
 */
#include "control/threads/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <stdbool.h>

#include "base/base.h"
#include "base/file.h"
#include "base/sys.h"
#include "base/text.h"

#define STATUS_BYTES	(8192u + 12 * RIGHTS_GROUPS_MAX)

static int caps_read(struct rights *rights, int tid)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
		.pid = tid,
	};

	/* valgrind believes that the kernel writes only the first half */
	__builtin_memset(rights->caps, 0, sizeof(rights->caps));
	return (int)sys2(SYS_capget, &head, rights->caps);
}

static int caps_set(const struct __user_cap_data_struct *caps)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};

	return (int)sys2(SYS_capset, &head, caps);
}

SIGSAFE int rights_read(struct rights *rights)
{
	long n = sys2(SYS_getgroups, RIGHTS_GROUPS_MAX, rights->groups);

	if (n < 0)
		return (int)n;
	rights->ngroups = (uint32_t)n;
	sys3(SYS_getresuid, &rights->uid[0], &rights->uid[1], &rights->uid[2]);
	sys3(SYS_getresgid, &rights->gid[0], &rights->gid[1], &rights->gid[2]);
	return caps_read(rights, 0);
}

static bool groups_equal(const struct rights *a, const struct rights *b)
{
	return a->ngroups == b->ngroups &&
	       !__builtin_memcmp(a->groups, b->groups,
				 a->ngroups * sizeof(*a->groups));
}

#define SAME(a, b, what) \
	(!__builtin_memcmp((a)->what, (b)->what, sizeof((a)->what)))

static bool rights_equal(const struct rights *a, const struct rights *b)
{
	return SAME(a, b, uid) && SAME(a, b, gid) && SAME(a, b, caps) &&
	       groups_equal(a, b);
}

int rights_adopt(const struct rights *wanted)
{
	const uint32_t *uid = wanted->uid, *gid = wanted->gid;
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3];
	struct rights now;
	long dumpable;
	int ret = rights_read(&now);

	if (ret)
		return ret;
	if (rights_equal(&now, wanted))
		return 0;
	dumpable = sys5(SYS_prctl, PR_GET_DUMPABLE, 0, 0, 0, 0);
	sys5(SYS_prctl, PR_SET_KEEPCAPS, 1, 0, 0, 0);
	/* all permitted capabilities are effective while ids are changed */
	for (uint32_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		caps[i] = now.caps[i];
		caps[i].effective = caps[i].permitted;
	}
	caps_set(caps);
	/* the groups first: they need the rights that go with the uid */
	if (!groups_equal(&now, wanted))
		sys2(SYS_setgroups, wanted->ngroups, wanted->groups);
	if (!SAME(&now, wanted, gid))
		sys3(SYS_setresgid, gid[0], gid[1], gid[2]);
	if (!SAME(&now, wanted, uid))
		sys3(SYS_setresuid, uid[0], uid[1], uid[2]);
	caps_set(wanted->caps);
	sys5(SYS_prctl, PR_SET_KEEPCAPS, 0, 0, 0, 0);
	/* The flag belongs to the memory, not to the thread, and the kernel has
	 * just cleared it. */
	if (dumpable == 1)
		sys5(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0);
	ret = rights_read(&now);
	if (!ret && !rights_equal(&now, wanted))
		ret = -EPERM;
	return ret;
}

/* Returns the text behind "\nWORD:", or NULL. */
static const char *status_find(const char *status, const char *word)
{
	const char *p;

	for (p = status; *p; p++) {
		const char *rest = *p == '\n' ? text_after(p + 1, word) : NULL;

		if (rest && *rest == ':')
			return rest + 1;
	}
	return NULL;
}

/* Reads numbers up to the line's end; returns how many, at most `most`. */
static uint32_t status_numbers(const char *p, uint32_t *out, uint32_t most)
{
	uint32_t n = 0;

	while (p && n < most) {
		while (*p == ' ' || *p == '\t')
			p++;
		if (*p < '0' || *p > '9')
			break;
		out[n++] = (uint32_t)text_number(&p);
	}
	return n;
}

static uint64_t status_hex(const char *p)
{
	uint64_t value = 0;

	while (p && (*p == '\t' || *p == ' '))
		p++;
	for (; p && *p > ' '; p++)
		value = value << 4 |
			(uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
	return value;
}

static int status_read(const char *path, char *status)
{
	int fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC, 0);
	uint32_t used = 0;
	long n = 0;

	if (fd < 0)
		return fd;
	while (used < STATUS_BYTES - 1 &&
	       (n = sys_read(fd, status + used, STATUS_BYTES - 1 - used)) > 0)
		used += (uint32_t)n;
	sys_close(fd);
	status[used] = 0;
	return n < 0 ? (int)n : 0;
}

/* Returns the number of filters; where the kernel does not count them, the
 * seccomp mode, which is 0 without a filter. */
static uint32_t status_filters(const char *status)
{
	uint32_t n = 0;

	if (!status_numbers(status_find(status, "Seccomp_filters"), &n, 1))
		status_numbers(status_find(status, "Seccomp"), &n, 1);
	return n;
}

static int status_parse(const char *status, struct rights *rights)
{
	uint64_t set[3] = {
		status_hex(status_find(status, "CapEff")),
		status_hex(status_find(status, "CapPrm")),
		status_hex(status_find(status, "CapInh")),
	};

	if (status_numbers(status_find(status, "Uid"), rights->uid, 3) != 3 ||
	    status_numbers(status_find(status, "Gid"), rights->gid, 3) != 3)
		return -EINVAL;
	rights->ngroups = status_numbers(status_find(status, "Groups"),
					 rights->groups, RIGHTS_GROUPS_MAX);
	for (uint32_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		rights->caps[i].effective = (uint32_t)(set[0] >> 32 * i);
		rights->caps[i].permitted = (uint32_t)(set[1] >> 32 * i);
		rights->caps[i].inheritable = (uint32_t)(set[2] >> 32 * i);
	}
	return 0;
}

/* A search for a thread of the program that lives. */
struct living {
	char *status;		/* of the last thread that was read */
	uint32_t service;	/* is no thread of the program */
	int found;
};

/* Returns true for the status of a thread that has ended, but is still listed.
 */
static bool status_ended(const char *status)
{
	const char *state = status_find(status, "State");

	return state && (state[1] == 'Z' || state[1] == 'X');
}

static void living_look(int fd, const char *name, void *arg)
{
	struct living *living = arg;
	const char *p = name;
	char path[48];
	struct text text;

	if (living->found || text_number(&p) == (int64_t)living->service)
		return;
	text_open(&text, path, sizeof(path));
	text_add(&text, "/proc/self/task/");
	text_add(&text, name);
	text_add(&text, "/status");
	living->found = !status_read(path, living->status) &&
			!status_ended(living->status);
}

/* Reads the status of the first thread, or, if that has ended by
 * pthread_exit(3), of another one: libc changes the ids of living threads
 * only. */
static int status_program(char *status)
{
	struct living living = { status, (uint32_t)sys_gettid(), 0 };
	int ret = status_read("/proc/self/status", status);
	int fd;

	if (ret || !status_ended(status))
		return ret;
	fd = (int)sys_open("/proc/self/task",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	entries_each(fd, living_look, &living);
	sys_close(fd);
	return living.found ? 0 : -ESRCH;
}

int rights_follow(void)
{
	static char status[STATUS_BYTES] TABLE;
	static struct rights first TABLE, ours TABLE;
	uint32_t filters;
	int ret;

	/* without /proc, as in most directories for chroot(2), capabilities
	 * alone are compared */
	if (status_program(status))
		return !rights_read(&ours) &&
		       !caps_read(&first, (int)sys_getpid()) &&
		       SAME(&ours, &first, caps) ? 0 : -EPERM;
	ret = status_parse(status, &first);
	filters = status_filters(status);
	if (!ret)
		ret = rights_adopt(&first);
	if (!ret && filters) {
		ret = status_read("/proc/thread-self/status", status);
		if (!ret && status_filters(status) != filters)
			ret = -EPERM;
	}
	return ret;
}
