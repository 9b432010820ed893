/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The socket that marks a program with GDB's agent, /tmp/gdb_ust<PID>. It is
 * there as long as the program is debugged through `taffrail gdbserver`. When a
 * program dies, `taffrail gdbserver` removes the socket.
 *
 * No thread listens at the socket. gdbserver would use it for the command
 * channel, which resumes threads that gdb has stopped, or waits for an answer
 * that never comes. But every release accepts a connection that is refused. So
 * the descriptor need not outlive the thread that makes it.
 */
#include "gdbstub/ipa/ipa.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"

static void name_it(struct sockaddr_un *address)
{
	struct text text;

	address->sun_family = AF_UNIX;
	text_open(&text, address->sun_path, sizeof(address->sun_path));
	text_add(&text, IPA_SOCKET);
	text_add_number(&text, sys_getpid());
}

COLD int ipa_socket_offer(void)
{
	struct sockaddr_un address = { 0 };
	int fd = (int)sys3(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ret;

	if (fd < 0)
		return fd;
	name_it(&address);
	ret = (int)sys3(SYS_bind, fd, &address, sizeof(address));
	if (ret == -EADDRINUSE) {
		/* left by this process before execve(2), or by a dead one */
		sys_unlink(address.sun_path);
		ret = (int)sys3(SYS_bind, fd, &address, sizeof(address));
	}
	sys_close(fd);
	/* the umask may have taken rights of the owner, who could then not
	 * connect */
	if (!ret)
		ret = (int)sys4(SYS_fchmodat, AT_FDCWD, address.sun_path, 0700,
				0);
	if (!ret)
		store_release(&ipa->offered, 1, IPA_SOCKET);
	return ret;
}

void ipa_socket_remove(void)
{
	struct sockaddr_un address;

	if (!ipa || !load_acquire(&ipa->offered, IPA_SOCKET))
		return;
	name_it(&address);
	sys_unlink(address.sun_path);
	store_release(&ipa->offered, 0, IPA_SOCKET);
}
