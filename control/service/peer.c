/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The peer of a socket: the ids that the kernel tells.
 */
#include "control/service/peer.h"

#include "base/sys.h"
#include "buffers/rings/channel.h"

#define PEER_GROUPS_MAX		1024

int peer_learn(int fd, struct ucred *peer)
{
	uint32_t bytes = sizeof(*peer);

	return (int)sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, peer,
			 &bytes);
}

/* Returns 1 when the kernel says that the peer is in the group that is let
 * in. */
static int peer_in_group(int fd, const struct ucred *peer)
{
	gid_t groups[PEER_GROUPS_MAX];
	uint32_t bytes = sizeof(groups);
	uint32_t i;

	if (!channel_group)
		return 0;
	if (peer->gid == channel_group)
		return 1;
	if (sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERGROUPS, groups,
		 &bytes))
		return 0;
	for (i = 0; i < bytes / sizeof(*groups); i++)
		if (groups[i] == channel_group)
			return 1;
	return 0;
}

int peer_allowed(int fd)
{
	struct ucred peer;

	return !peer_learn(fd, &peer) &&
	       (peer.uid == 0 || peer.uid == (uid_t)sys0(SYS_geteuid) ||
		peer_in_group(fd, &peer));
}
