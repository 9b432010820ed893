/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library, preloaded, that gives localhost both of its addresses, ::1 first,
 * as Debian's /etc/hosts does.
 */
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>

int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **found)
{
	int (*next)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **) = dlsym(RTLD_NEXT, "getaddrinfo");
	struct addrinfo *last;
	int ret;

	if (!node || strcmp(node, "localhost"))
		return next(node, service, hints, found);
	ret = next("::1", service, hints, found);
	if (ret)
		return ret;
	for (last = *found; last->ai_next; last = last->ai_next)
		;
	return next("127.0.0.1", service, hints, &last->ai_next);
}
