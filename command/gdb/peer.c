/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdb --listen: finds the user of the peer of a TCP connection.
 *
 * gdb's protocol has no password, and a TCP socket does not tell the peer's
 * user as a Unix socket does (SO_PEERCRED): any user of the machine can connect
 * to a port of the loopback interface. But both ends are sockets of this
 * machine, and the kernel's tables name the user that made each.
 *
 * Invariant: a peer that is not in the table is refused. Only an established
 * connection counts: the table gives user 0 for a closed one. The peer's port
 * cannot become another socket's while our end is open.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "command/gdb/gdb.h"

#define STATE_ESTABLISHED	1	/* of the table */
#define NAME_BYTES		48

/* In a user namespace, the tables have this id for each user that has no id
 * there, so it identifies no user. */
#define USER_UNKNOWN		65534

/* Writes an address as the table has it: words in the machine's order. */
static void name_address(char name[NAME_BYTES],
			 const struct sockaddr_storage *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	const uint32_t *word = v6->sin6_addr.s6_addr32;

	if (address->ss_family == AF_INET)
		snprintf(name, NAME_BYTES, "%08X:%04X", v4->sin_addr.s_addr,
			 ntohs(v4->sin_port));
	else
		snprintf(name, NAME_BYTES, "%08X%08X%08X%08X:%04X", word[0],
			 word[1], word[2], word[3], ntohs(v6->sin6_port));
}

int gdb_check_peer(int fd, const char **why)
{
	struct sockaddr_storage ours, theirs;
	socklen_t nours = sizeof(ours), ntheirs = sizeof(theirs);
	char from[NAME_BYTES], to[NAME_BYTES];
	char line[512], local[NAME_BYTES], remote[NAME_BYTES];
	unsigned int state, user;
	bool found = false;
	FILE *table;

	*why = "it cannot be told whose it is";
	if (getsockname(fd, (void *)&ours, &nours) ||
	    getpeername(fd, (void *)&theirs, &ntheirs) ||
	    ours.ss_family != theirs.ss_family)
		return -ESRCH;
	name_address(from, &theirs);
	name_address(to, &ours);
	table = fopen(ours.ss_family == AF_INET ? "/proc/net/tcp" :
						  "/proc/net/tcp6", "re");
	/* the peer's socket is the one at `from` that is connected to `to` */
	while (table && !found && fgets(line, sizeof(line), table))
		found = sscanf(line, " %*d: %47s %47s %x %*s %*s %*s %u",
			       local, remote, &state, &user) == 4 &&
			state == STATE_ESTABLISHED && !strcmp(local, from) &&
			!strcmp(remote, to);
	if (table)
		fclose(table);
	if (!found)
		return -ESRCH;
	*why = "it is another user's";
	if (!user || (user == geteuid() && user != USER_UNKNOWN))
		return 0;
	return -EPERM;
}
