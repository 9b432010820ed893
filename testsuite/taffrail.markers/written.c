/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values that are recorded as text, in C and C++. With an argument, the program
 * prints "ready" and hits its markers until its input ends.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <arpa/inet.h>
#include <taffrail/marker.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static int evaluated;

static const void *once(const void *p)
{
	evaluated++;
	return p;
}

struct peer {
	unsigned char id[16];
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un path;
	struct sockaddr_storage other;
};

static void peer_make(struct peer *peer)
{
	static const char uuid[] = {
		0x55, 0x0e, '\204', 0, '\342', '\233', 0x41, '\324',
		'\247', 0x16, 0x44, 0x66, 0x55, 0x44, 0, 0,
	};

	memset(peer, 0, sizeof(*peer));
	memcpy(peer->id, uuid, sizeof(peer->id));
	peer->v4.sin_family = AF_INET;
	peer->v4.sin_port = htons(8080);
	inet_pton(AF_INET, "192.0.2.17", &peer->v4.sin_addr);
	peer->v6.sin6_family = AF_INET6;
	peer->v6.sin6_port = htons(443);
	inet_pton(AF_INET6, "fe80:0:0:7::1", &peer->v6.sin6_addr);
	peer->v6.sin6_scope_id = 3;
	peer->path.sun_family = AF_UNIX;
	strcpy(peer->path.sun_path, "/run/peer.sock");
	peer->other.ss_family = AF_UNIX;
}

static void hit(const struct peer *p)
{
	static const char *const addresses[] = {
		"::", "::1", "1::", "2001:db8::8:800:200c:417a", "1:0:0:2::3",
		"1:0:2:3:4:5:6:7", "::ffff:192.0.2.128", "::1.2.3.4",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	};
	struct sockaddr_un name = p->path;
	struct in6_addr in6;
	const char *text;
	size_t i;

	memcpy(name.sun_path, "\0app\0x", 6);
	TAFFRAIL_EVENT(app, uuid, TAFFRAIL_UUID(p->id), TAFFRAIL_UUID(NULL),
		       TAFFRAIL_FIELD(given, TAFFRAIL_UUID(once(p->id))));
	TAFFRAIL_EVENT(app, address, TAFFRAIL_IPV4(&p->v4.sin_addr),
		       TAFFRAIL_IPV6(&p->v6.sin6_addr));
	TAFFRAIL_EVENT(app, sockets,
		       TAFFRAIL_SOCKADDR(&p->v4, sizeof(p->v4)),
		       TAFFRAIL_SOCKADDR(&p->v6, sizeof(p->v6)),
		       TAFFRAIL_SOCKADDR(&p->path, sizeof(p->path)),
		       TAFFRAIL_SOCKADDR(&name,
				offsetof(struct sockaddr_un, sun_path) + 6),
		       TAFFRAIL_SOCKADDR(&p->other, sizeof(sa_family_t)),
		       TAFFRAIL_SOCKADDR(&p->v4, 7),
		       TAFFRAIL_SOCKADDR(&p->v6, 1),
		       TAFFRAIL_SOCKADDR((struct sockaddr *)0, 16));
	for (i = 0; i < sizeof(addresses) / sizeof(*addresses); i++) {
		text = addresses[i];
		inet_pton(AF_INET6, text, &in6);
		TAFFRAIL_EVENT(app, v6, text, TAFFRAIL_IPV6(&in6));
	}
	TAFFRAIL_EVENT(app, wide, TAFFRAIL_INT128((wide)-5),
		       TAFFRAIL_FIELD(least, TAFFRAIL_INT128((wide)1 << 127)),
		       TAFFRAIL_FIELD(most, TAFFRAIL_INT128(~(unsigned_wide)0)),
		       TAFFRAIL_FIELD(ten, TAFFRAIL_INT128(
				(wide)10000000000000000000u * 10)),
		       TAFFRAIL_INT128(7u), TAFFRAIL_INT128(evaluated), 8);
}

#ifdef __cplusplus
static void hit_objects(const struct peer *p)
{
	wide big = (wide)1 << 100;
	const struct sockaddr &any = (const struct sockaddr &)p->v4;

	TAFFRAIL_EVENT(app, objects, p->v4, p->v6, p->path, p->other,
		       p->v4.sin_addr, any, big, (unsigned_wide)9);
}
#endif

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };
	struct peer peer;

	(void)argv;
	peer_make(&peer);
	hit(&peer);
#ifdef __cplusplus
	hit_objects(&peer);
#endif
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit(&peer);
	}
	printf("%d\n", evaluated);
	return 0;
}
