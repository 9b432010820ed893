/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TAFFRAIL_LOG=LEVEL[:FILE]: the only way in which the agent ever prints. Each
 * line is one write(2). Without FILE it goes to the program's descriptor 2; in
 * one of the agent's threads that number means another file.
 *
 * Invariant: no thread waits for FILE, and no line ends the program, even when
 * the reader has gone. A line that would do either is left out.
 */
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/threads/log.h"
#include "control/threads/thread.h"

#define LOG_LINE_BYTES	400
#define LOG_OPEN                                                       \
	(O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
#define TERMIOS_BYTES	256	/* the kernel's struct termios is less */
#define SIGSET_BYTES	8
#define SIGPIPE_BIT	(1ull << (SIGPIPE - 1))
#define SIGXFSZ_BIT	(1ull << (SIGXFSZ - 1))

static int level;
static char file[200];

/* No pointers: each would take a relocation. */
static const char words[][8] = {
	[LOG_ERROR] = "error", [LOG_WARNING] = "warning",
	[LOG_INFO] = "info", [LOG_DEBUG] = "debug",
};

void log_setup(const char *spec)
{
	for (uint32_t i = LOG_ERROR; spec && i <= LOG_DEBUG; i++) {
		const char *rest = text_after(spec, words[i]);

		if (!rest || (*rest && *rest != ':'))
			continue;
		level = (int)i;
		if (*rest)
			text_copy(file, sizeof(file), rest + 1);
	}
}

/*
 * Gets the program's descriptor 2 into the agent's private table. It is the
 * same open file, so the program and the agent do not write over each other's
 * lines. An older kernel has no such call, and a filter may deny it; then the
 * file is opened again, at the end.
 */
SIGSAFE static int descriptor_borrow(void)
{
	int process = (int)sys2(SYS_pidfd_open, sys_getpid(), 0);
	int fd = process;

	if (process >= 0) {
		fd = (int)sys3(SYS_pidfd_getfd, process, 2, 0);
		sys_close(process);
	}
	if (fd < 0)
		fd = (int)sys_open("/proc/self/fd/2", LOG_OPEN, 0);
	return fd;
}

/* Opens a regular file, a terminal, or a pipe that has a reader (O_NONBLOCK
 * fails without one). Refuses every other device. */
SIGSAFE static int file_open_log(void)
{
	int fd = (int)sys_open(file, LOG_OPEN | O_CREAT | O_NOFOLLOW, 0600);
	char termios[TERMIOS_BYTES];
	struct stat st;

	if (fd < 0)
		return fd;
	if (!sys2(SYS_fstat, fd, &st) &&
	    (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode) ||
	     (S_ISCHR(st.st_mode) && !sys3(SYS_ioctl, fd, TCGETS, termios))))
		return fd;
	sys_close(fd);
	return -EPERM;
}

SIGSAFE long log_write(int fd, const char *line, size_t n)
{
	const struct timespec none = { 0, 0 };
	const uint64_t both = SIGPIPE_BIT | SIGXFSZ_BIT;
	uint64_t pending = 0;
	uint64_t sent, mask;
	long ret;

	if (sys4(SYS_rt_sigprocmask, SIG_BLOCK, &both, &mask, SIGSET_BYTES))
		return -EINTR;
	sys2(SYS_rt_sigpending, &pending, SIGSET_BYTES);
	ret = sys_write(fd, line, n);
	sent = ret == -EPIPE ? SIGPIPE_BIT : ret == -EFBIG ? SIGXFSZ_BIT : 0;
	if (sent & ~pending)
		sys4(SYS_rt_sigtimedwait, &sent, NULL, &none, SIGSET_BYTES);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, SIGSET_BYTES);
	return ret;
}

SIGSAFE void log_fact(enum log_level at, const char *module, const char *fact,
		      int64_t number)
{
	char line[LOG_LINE_BYTES];
	struct text text;
	int fd;

	/* a filter may kill the process for a write */
	if ((int)at > level || thread_forbidden())
		return;
	text_open(&text, line, sizeof(line));
	text_add(&text, words[at]);
	text_add(&text, " taffrail[");
	text_add_number(&text, sys_getpid());
	text_add(&text, "] ");
	text_add(&text, module);
	text_add(&text, ": ");
	text_add(&text, fact);
	if (number) {
		text_add(&text, " (");
		text_add_number(&text, number);
		text_add(&text, ")");
	}
	text_add(&text, "\n");
	if (!*file && !thread_is_ours()) {
		log_write(2, line, text.used);
		return;
	}
	fd = *file ? file_open_log() : descriptor_borrow();
	if (fd < 0)
		return;
	log_write(fd, line, text.used);
	sys_close(fd);
}
