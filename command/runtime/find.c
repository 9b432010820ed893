/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a pid to the process directory, through the process itself: the map
 * names the files that the agent shares, and its root has them. So another
 * environment, a chroot and a container make no difference.
 *
 * Invariant: the process chose those paths, so each component is opened without
 * following symlinks, the directory must belong to the process's user, and the
 * page in it must name this very process.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "command/causes/cause.h"
#include "command/common/inode.h"
#include "command/common/limits.h"
#include "command/procfs/mapped-file.h"
#include "command/procfs/process.h"
#include "command/runtime/private.h"
#include "command/sandbox/opener.h"

/* Of a kernel thread, in /proc/PID/stat (linux/sched.h). */
#define PF_KTHREAD	0x200000ul

#define REPLACED_PAUSE_NS	5000000

struct target {
	pid_t pid;		/* here */
	pid_t tid;		/* a thread that still has a map and a root */
	pid_t inner;		/* in the process's own PID namespace */
	uid_t uid;		/* real, effective */
	uid_t euid;
	uint64_t starttime;
	bool clock;		/* start times are by this command's clock */
	bool renamed;		/* the directory that is tried has another start
				 * time in its name than the process */
	pid_t origin; /* the process whose pages it maps, or 0 */
	bool removed; /* the agent is at work, and the files are gone */
	bool asleep;  /* it was at work, and was detached */
	bool outside; /* the files are not below the root directory */
	struct rundir_process *found;	/* that the caller gets */
	struct cause *cause;
};

/* Returns true when this command, or the system, has no descriptor left: then
 * nothing is known of the process. */
static bool is_starved(int ret)
{
	return ret == -EMFILE || ret == -ENFILE;
}

/* Says that the process could not be read. Returns `ret`. */
static int process_unread(struct target *t, int ret)
{
	return cause_set(t->cause, ret, PROCESS_UNREAD, .pid = t->pid,
			 .error = ret);
}

/* Reads the process's numbers and users. Returns 0, or a negative errno and the
 * cause. */
static int read_target(struct target *t, pid_t pid)
{
	char line[512], state = '\0';
	unsigned int uid, euid;
	int tgid = pid, ret;
	FILE *f;

	t->pid = t->tid = pid;
	f = process_stream(pid, 0, "status");
	if (!f && is_starved(-errno))
		return process_unread(t, -errno);
	if (!f && limits_blind())
		return cause_set(t->cause, -ENOSYS, NO_PROC);
	if (!f) {
		process_missing(pid, t->cause);
		return -ESRCH;
	}
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Tgid: %d", &tgid);
		if (sscanf(line, "Uid: %u %u", &uid, &euid) == 2) {
			t->uid = uid;
			t->euid = euid;
		}
	}
	fclose(f);
	if (tgid != pid)
		return cause_set(t->cause, -ESRCH, PROCESS_IS_THREAD,
				 .pid = pid, .n = tgid);
	t->inner = process_inner_pid(pid);
	t->clock = !process_namespace_differs(pid, "time");
	ret = rundir_stat_living(pid, &state, &t->starttime);
	if (is_starved(ret))
		return process_unread(t, ret);
	if (ret && state == 'Z')
		return cause_set(t->cause, -ESRCH, PROCESS_ZOMBIE, .pid = pid);
	if (ret)
		return cause_set(t->cause, -ESRCH, PROCESS_NONE, .pid = pid);
	if (state == 'Z')
		t->tid = rundir_living_thread(pid);
	return 0;
}

bool rundir_parse_file(char *path, pid_t *pid, uint64_t *starttime,
		       uint32_t *image, char name[NAME_MAX + 1])
{
	char *file, *number, *process, *end;
	const char *rest;

	file = strrchr(path, '/');
	if (!file || strlen(file) > NAME_MAX)
		return false;
	/* "process", "session.N" and "ring.N.X", where X has decimal digits,
	 * dots, and an L */
	rest = !strcmp(file, "/process") ? "" :
	       !strncmp(file, "/session.", 9) ? file + 9 :
	       !strncmp(file, "/ring.", 6) ? file + 6 : NULL;
	if (!rest || rest[strspn(rest, "0123456789.L")])
		return false;
	strcpy(name, file + 1);
	*file = '\0';
	number = strrchr(path, '/');
	if (!number || !isdigit((unsigned char)number[1]))
		return false;
	*image = strtoul(number + 1, &end, 10);
	*number = '\0';
	process = strrchr(path, '/');
	return !*end && process && rundir_parse_name(process + 1, pid,
						     starttime);
}

/*
 * Opens an absolute directory path below `root`, component by component, so no
 * symlink in it is followed.
 */
static int path_walk(const char *root, const char *path)
{
	char component[NAME_MAX + 1];
	int next, fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (; *path; path += strcspn(path, "/")) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (!n)
			break;
		if (n > NAME_MAX)
			goto refuse;
		memcpy(component, path, n);
		component[n] = '\0';
		if (!strcmp(component, ".."))
			goto refuse;
		next = openat(fd, component, O_PATH | O_DIRECTORY |
			      O_NOFOLLOW | O_CLOEXEC);
		if (next < 0) {
			next = -errno;
			close(fd);
			return next;
		}
		close(fd);
		fd = next;
	}
	next = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (next < 0)
		next = -errno;
	close(fd);
	return next;
refuse:
	close(fd);
	return -ELOOP;
}

/* Tries the directory below one root. Returns 0 when the target has made it,
 * and leaves it open; else a negative errno. The name may have another start
 * time (`renamed`) if the page has the target's identity. */
static int try_root(const char *root, const char *path, void *target)
{
	struct target *t = target;
	struct rundir_process *p = t->found;
	char whole[PATH_MAX + 64];
	int identity;
	struct process_page page;
	struct stat st;
	int ret;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	if (opener_stat(whole, &st) == -ETIMEDOUT)
		return -ETIMEDOUT;
	p->fd = path_walk(root, path);
	if (p->fd < 0)
		return p->fd;
	ret = -EPERM;
	if (fstat(p->fd, &st) ||
	    (st.st_uid != t->uid && st.st_uid != t->euid &&
	     st.st_uid != geteuid()))
		goto fail;
	p->uid = st.st_uid;
	ret = rundir_read_process(p, p->image, &page);
	if (ret && ret != -EPROTO)	/* the agent will tell which version */
		goto fail;
	identity = ret ? -1 : rundir_is(t->pid, page.identity);
	if ((!ret && page.pid != (uint32_t)t->inner) ||
	    (t->renamed && identity <= 0)) {
		ret = -ENXIO;
		goto fail;
	}
	p->identity = identity > 0 ? page.identity : 0;
	snprintf(p->path, sizeof(p->path), "%s%s",
		 strcmp(root, "/") ? root : "", path);
	return 0;
fail:
	rundir_process_close(p);
	return ret;
}

/* Looks at a page whose file was removed. An agent that sleeps keeps the
 * mapping, too. */
static void page_look(struct target *t, const char *line)
{
	struct process_page page = { 0 };
	struct iovec here = { &page, sizeof(page) };
	struct iovec there = { NULL, sizeof(page) };

	there.iov_base = (void *)strtoul(line, NULL, 16);
	if (process_vm_readv(t->pid, &here, 1, &there, 1, 0) !=
		    (ssize_t)sizeof(page) ||
	    page.magic != PROCESS_MAGIC || page.pid != (uint32_t)t->inner)
		return;
	if (page.state == PROCESS_RUNNING)
		t->removed = true;
	else
		t->asleep = true;
}

/* Tries one line of the map. Returns 1 when it names no page of the target; 0
 * when the directory is found, or a negative errno. */
static int try_line(struct target *t, char *line)
{
	char name[NAME_MAX + 1], root[64], *path = strchr(line, '/'), *p;
	const char *inside;
	uint64_t starttime, namespace;
	bool deleted;
	size_t n;
	pid_t pid;
	int ret = -ENOENT;

	line[strcspn(line, "\n")] = '\0';
	if (!path)
		return 1;
	/* the kernel writes a newline as \012, and a backslash as it is */
	for (p = path; (p = strstr(p, "\\012")); p++) {
		*p = '\n';
		memmove(p + 1, p + 4, strlen(p + 4) + 1);
	}
	/* the mark that the kernel puts behind the path of a removed file */
	n = strlen(path);
	deleted = n >= 10 && !strcmp(path + n - 10, " (deleted)");
	if (deleted)
		path[n - 10] = '\0';
	if (!rundir_parse_file(path, &pid, &starttime, &t->found->image, name))
		return 1;
	t->renamed = t->clock && PLACE_STARTTIME(starttime) != t->starttime;
	/* a child still maps the parent's; in another PID namespace, it may
	 * have the parent's pid and start time */
	namespace = PLACE_NAMESPACE(starttime) ? rundir_namespace(t->pid) : 0;
	if (pid != t->inner ||
	    (namespace && namespace != PLACE_NAMESPACE(starttime))) {
		t->origin = pid;
		return 1;
	}
	if (deleted) {
		if (!strcmp(name, "process"))
			page_look(t, line);
		return 1;
	}
	snprintf(t->found->name, sizeof(t->found->name), "%s",
		 strrchr(path, '/') + 1);
	inside = process_path_inside(t->tid, path);
	if (inside) {
		snprintf(root, sizeof(root), "/proc/%d/task/%d/root", t->pid,
			 t->tid);
		ret = try_root(root, inside, t);
	}
	if (ret)
		ret = try_root("/", path, t);
	t->outside = !inside;
	/* a process that has changed the root directory since does not see the
	 * files; another one of the same mount namespace may */
	if (ret && !is_starved(ret) && !inside &&
	    !process_each_beside(t->tid, path, try_root, t))
		ret = 0;
	if (ret && t->renamed && !is_starved(ret)) {
		t->origin = pid;
		return 1;
	}
	return ret;
}

/* Tries the newest image in DIRECTORY/PID.STARTTIME. The kernel does not show
 * the PID namespace of another user's process: a process with one number is in
 * ours. */
static int try_place(struct target *t, const char *directory)
{
	struct rundir_process *p = t->found;
	uint32_t images[RUNDIR_IMAGES_MAX];
	struct process_page page;
	char path[PATH_MAX];
	uint64_t namespace = t->inner == t->pid ? rundir_namespace(getpid()) :
						  0;
	int n, ret;

	snprintf(p->name, sizeof(p->name), "%d.%llu", t->inner,
		 (unsigned long long)(t->starttime | namespace));
	snprintf(path, sizeof(path), "%s/%s", directory, p->name);
	p->fd = path_walk("/", path);
	if (p->fd < 0)
		return p->fd;
	n = rundir_images(p, images, RUNDIR_IMAGES_MAX);
	rundir_process_close(p);
	t->renamed = false;
	for (ret = -ENXIO; ret && n-- > 0;) {
		p->image = images[n];
		ret = try_root("/", path, t);
		/* an earlier process with this number and start time */
		if (!ret && !p->identity && !rundir_read_process(p, p->image,
								  &page) &&
		    !rundir_is(t->pid, page.identity)) {
			rundir_process_close(p);
			ret = -ENXIO;
		}
	}
	return ret;
}

/*
 * The command cannot read the map of another user, even where that user has let
 * in a group of ours, nor that of a process which is not dumpable. Then the
 * files are in a default place, or where ours are. Returns 0 or -EACCES.
 */
static int search_places(struct target *t)
{
	static const char *const places[] = {
		"/dev/shm/taffrail-%u", "/run/user/%u/taffrail",
		"/tmp/taffrail-%u",
	};
	const char *own = getenv("TAFFRAIL_DIR");
	const char *home = getenv("XDG_RUNTIME_DIR");
	char path[PATH_MAX];
	int ret = own && *own ? try_place(t, own) : -ENOENT;

	if (ret && home && *home) {
		snprintf(path, sizeof(path), "%s/taffrail", home);
		ret = try_place(t, path);
	}
	for (size_t i = 0; ret && i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), places[i], (unsigned int)t->euid);
		ret = try_place(t, path);
	}
	return ret ? -EACCES : 0;
}

/* Says why no directory of the process was found: `ret` is 1 where the map of
 * the process names none. */
static int find_failed(struct target *t, int ret)
{
	char path[32], text[1024];
	unsigned long flags = PF_KTHREAD;
	struct stat st;
	ssize_t n;

	if (is_starved(ret))
		return process_unread(t, ret);
	if (!rundir_alive(t->pid, t->starttime))
		return cause_set(t->cause, -ESRCH, PROCESS_ENDED,
				 .pid = t->pid);
	if (ret > 0 && t->removed)
		return cause_set(t->cause, -ENOTCONN, AGENT_FILES_REMOVED,
				 .pid = t->pid);
	if (ret > 0 && t->origin)
		return cause_set(t->cause, -ECHILD, AGENT_FORKED, .pid = t->pid,
				 .n = t->origin);
	if ((ret > 0 || ret == -ENXIO) && process_status(t->pid, "Seccomp") > 0)
		return cause_set(t->cause, -ENXIO, AGENT_FILTERED,
				 .pid = t->pid);
	/* neither a kernel thread nor a thread that exits executes a file */
	snprintf(path, sizeof(path), "/proc/%d/exe", t->tid);
	if (ret > 0 && readlink(path, text, sizeof(text)) < 0 &&
	    errno == ENOENT) {
		n = process_text(t->tid, 0, "stat", text, sizeof(text));
		if (n >= 0)
			sscanf(process_stat_field(text, 9), "%lu", &flags);
		if (n == -ENOENT || (n >= 0 && !(flags & PF_KTHREAD)))
			return cause_set(t->cause, -ESRCH, PROCESS_ENDED,
					 .pid = t->pid);
		if (n >= 0)
			return cause_set(t->cause, -ENXIO, PROGRAM_OF_KERNEL,
					 .pid = t->pid);
	}
	if ((ret > 0 || ret == -ENXIO) && t->tid != t->pid)
		return cause_set(t->cause, -ENXIO, PROCESS_LEADERLESS,
				 .pid = t->pid);
	if ((ret > 0 || ret == -ENXIO) && t->asleep)
		return cause_set(t->cause, -ENXIO, AGENT_ASLEEP, .pid = t->pid);
	if ((ret > 0 || ret == -ENXIO) &&
	    process_maps_file(t->pid, "libtaffrail.so"))
		return cause_set(t->cause, -ENXIO, AGENT_UNSTARTED,
				 .pid = t->pid);
	if (ret > 0 || ret == -ENXIO)
		return cause_set(t->cause, -ENXIO, AGENT_NONE, .pid = t->pid);
	if (ret == -ENOENT && t->outside)
		return cause_set(t->cause, ret, AGENT_ROOT_CHANGED,
				 .pid = t->pid);
	if (ret != -EACCES && ret != -EPERM)
		return cause_set(t->cause, ret, AGENT_DIRECTORY_UNREACHED,
				 .pid = t->pid, .error = ret);
	if (geteuid() && t->uid != geteuid())
		return cause_set(t->cause, -EACCES, PROCESS_OF_USER_NO_GROUP,
				 .pid = t->pid, .n = t->uid);
	snprintf(path, sizeof(path), "/proc/%d/maps", t->pid);
	if (!stat(path, &st) && st.st_uid != geteuid())
		return cause_set(t->cause, -EACCES,
				 PROCESS_NOT_DUMPABLE_NO_FILES, .pid = t->pid);
	return cause_set(t->cause, -EACCES, PROCESS_CLOSED, .pid = t->pid);
}

int rundir_find(struct rundir_process *process, pid_t pid, struct cause *cause)
{
	struct target target = { .cause = cause, .found = process };
	char *line = NULL;
	size_t room = 0;
	FILE *map;
	int ret;

	memset(process, 0, sizeof(*process));
	process->fd = -1;
	ret = read_target(&target, pid);
	if (ret)
		return ret;
	map = process_stream(pid, target.tid, "maps");
	ret = map ? 1 : -errno;
	while (ret > 0 && getline(&line, &room, map) > 0)
		ret = try_line(&target, line);
	if (ret > 0 && ferror(map))
		ret = -EACCES;
	free(line);
	if (map)
		fclose(map);
	if (ret == -EACCES && geteuid())
		ret = search_places(&target);
	if (ret)
		return find_failed(&target, ret);
	/* another process may have got the number meanwhile */
	if (!rundir_alive(pid, target.starttime)) {
		rundir_process_close(process);
		return cause_set(cause, -ESRCH, PROCESS_ENDED, .pid = pid);
	}
	process->pid = pid;
	process->starttime = target.starttime;
	process->alive = true;
	return 0;
}

void rundir_end_replaced(struct rundir_process *process, int *looks)
{
	const struct timespec pause = { .tv_nsec = REPLACED_PAUSE_NS };
	struct rundir_process now;
	struct stat here, there;
	struct cause cause;
	bool over;

	if (!process->alive || process->unseen || !rundir_unlocked(process))
		return;
	for (;;) {
		over = true;
		if (!rundir_find(&now, process->pid, &cause)) {
			over = fstat(process->fd, &here) ||
			       fstat(now.fd, &there) ||
			       !inode_same(&here, &there);
			rundir_process_close(&now);
		}
		if (!over || (*looks)-- <= 0)
			break;
		nanosleep(&pause, NULL);
	}
	process->alive = !over;
	process->replaced = over;
}
