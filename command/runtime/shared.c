/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directories sessions/.shared.NAME, with rings that the processes of a
 * session share (docs/shared.md).
 *
 * Invariant: the session's rules are written after the directory is complete,
 * so an agent that finds no directory is one that does not see it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "buffers/clock.h"
#include "buffers/reader/reader.h"
#include "buffers/rings/channel.h"
#include "command/runtime/private.h"
#include "control/protocol.h"
#include "tracepoints/sites/registry.h"

static void shared_name(char file[NAME_MAX + 1], const char *name)
{
	snprintf(file, NAME_MAX + 1, PROTOCOL_SHARED_PREFIX "%s", name);
}

/* Describes this host and the clock. Returns 0 or a negative errno. */
static int page_describe(struct process_page *page)
{
	struct utsname host;
	char text[40] = "";
	unsigned int digit, n = 0;
	FILE *in;

	/* members take the same clock, or have rings of their own */
	clock_select(NULL);
	if (clock_kind() != CLOCK_KIND_TSC)
		return -ENOTSUP;
	*page = (struct process_page){
		.version = LAYOUT_VERSION,
		.pid = (uint32_t)getpid(),
		.state = PROCESS_RUNNING,
		.clock_kind = CLOCK_KIND_TSC,
		.clock_hz = clock_hz(),
		.sessions = 1,
	};
	clock_anchor_take(&page->start);
	if (getrandom(page->uuid, sizeof(page->uuid), 0) < 0)
		return -errno;
	page->uuid[6] = (page->uuid[6] & 0x0f) | 0x40;
	page->uuid[8] = (page->uuid[8] & 0x3f) | 0x80;
	if (!uname(&host))
		snprintf(page->hostname, sizeof(page->hostname), "%.*s",
			 (int)sizeof(page->hostname) - 1, host.nodename);
	snprintf(page->procname, sizeof(page->procname), "(shared)");
	snprintf(page->agent_version, sizeof(page->agent_version), "%s",
		 PACKAGE_VERSION);
	in = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (in && !fgets(text, sizeof(text), in))
		*text = '\0';
	if (in)
		fclose(in);
	for (const char *p = text; *p && n < 32; p++)
		if (sscanf(p, "%1x", &digit) == 1) {
			page->boot_id[n / 2] =
				(uint8_t)(page->boot_id[n / 2] << 4 | digit);
			n++;
		}
	page->magic = PROCESS_MAGIC;
	return 0;
}

int rundir_make_shared(struct rundir *dir, const char *name, uint32_t flags,
		       uint64_t ring_bytes)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	struct shared shared = { .cpus = 0 };
	char file[NAME_MAX + 1], image[NAME_MAX + 3], path[PATH_MAX];
	struct process_page page;
	int below, ret;

	ret = rundir_valid_name(name) ? page_describe(&page) : -EINVAL;
	below = ret ? ret : rundir_open_rules(dir, true);
	if (below < 0)
		return below;
	/* of a recorder that was killed and had this name */
	rundir_remove_shared(dir, name);
	shared_name(file, name);
	snprintf(image, sizeof(image), "%s/0", file);
	if (mkdirat(below, file, 0700) || mkdirat(below, image, 0700))
		ret = -errno;
	close(below);
	if (!ret && snprintf(path, sizeof(path), "%s/" PROTOCOL_SESSIONS_DIR
			     "/%s", dir->path, image) >= (int)sizeof(path))
		ret = -ENAMETOOLONG;
	if (!ret)
		ret = shared_make(&shared, path, &page, name, flags,
				  channel_ring_bytes(ring_bytes, cpus), cpus);
	if (!ret) {
		ret = record_share_writer(&shared);
		shared_leave(&shared);
	}
	if (ret)
		rundir_remove_shared(dir, name);
	return ret;
}

/* Returns whether a process that shares the rings lives, or the recorder. */
static bool shared_lives(const struct rundir_process *as)
{
	struct member_view member = { .number = 0 };
	struct session_view session;
	int fd = rundir_open_image(as, 0);
	bool found = false;

	if (fd < 0)
		return false;
	if (!session_view_open(&session, fd, "session.0")) {
		while (!found && session_view_member(&session, &member))
			found = rundir_alive((pid_t)member.pid,
					     member.starttime);
		session_view_close(&session);
	}
	close(fd);
	return found;
}

int rundir_find_shared(struct rundir *dir, const char *name,
		       struct rundir_process *as)
{
	int below = rundir_open_rules(dir, false);
	char file[NAME_MAX + 1];
	struct process_page page;
	struct stat st;
	int ret = -EPERM;

	if (below < 0)
		return below;
	shared_name(file, name);
	*as = (struct rundir_process){ .uid = dir->uid };
	as->fd = openat(below, file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
			     O_CLOEXEC);
	if (as->fd < 0)
		ret = -errno;
	close(below);
	if (as->fd < 0)
		return ret;
	snprintf(as->name, sizeof(as->name), "%.47s", file);
	snprintf(as->path, sizeof(as->path), "%.*s/" PROTOCOL_SESSIONS_DIR
		 "/%s", PATH_MAX / 2, dir->path, file);
	if (!fstat(as->fd, &st) && st.st_uid == dir->uid)
		ret = rundir_read_process(as, 0, &page);
	if (ret) {
		rundir_process_close(as);
		return ret;
	}
	as->pid = (pid_t)page.pid;
	as->alive = rundir_recorder(dir, name) > 0 ||
			 shared_lives(as);
	return 0;
}

int rundir_append_shared(struct rundir *dir, struct rundir_list *list)
{
	int fd = rundir_open_rules(dir, false), ret = 0;
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct rundir_process shared;
	struct dirent *entry;
	const char *name;

	if (fd >= 0 && !stream)
		close(fd);
	while (stream && !ret && (entry = readdir(stream))) {
		name = text_after(entry->d_name, PROTOCOL_SHARED_PREFIX);
		if (!name || rundir_find_shared(dir, name, &shared))
			continue;
		ret = rundir_append(list, &shared);
		if (ret)
			rundir_process_close(&shared);
	}
	if (stream)
		closedir(stream);
	return ret;
}

bool rundir_is_shared(const struct rundir_process *of)
{
	return text_after(of->name, PROTOCOL_SHARED_PREFIX);
}

bool rundir_remove_shared(struct rundir *dir, const char *name)
{
	int below = rundir_open_rules(dir, false), fd = -1;
	char file[NAME_MAX + 1];
	struct dirent *entry;
	DIR *stream = NULL;
	bool found;

	shared_name(file, name);
	if (below >= 0)
		fd = openat(below, file, O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
			    O_CLOEXEC);
	found = fd >= 0;
	/* two descriptors at once, no more: they may be why a recording ends */
	if (found) {
		close(below);
		stream = rundir_opendir(fd, "0");
	}
	while (stream && (entry = readdir(stream)))
		unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	if (found) {
		unlinkat(fd, "0", AT_REMOVEDIR);
		close(fd);
		below = rundir_open_rules(dir, false);
	}
	if (found && below >= 0)
		unlinkat(below, file, AT_REMOVEDIR);
	if (below >= 0)
		close(below);
	return found;
}
