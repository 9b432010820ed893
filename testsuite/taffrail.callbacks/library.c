/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A library with a marker and a callback.
 */
#include <taffrail/marker.h>
#include <taffrail/probe.h>

int library_called;
void library_hit(void);
int library_attach(unsigned int flags);
int library_detach(unsigned int flags);
int library_once(unsigned int flags);

static int attached;
static int once;

static void called(const struct taffrail_event *event, void *priv)
{
	(void)event;
	(void)priv;
	library_called++;
	/* the last reference to this code may go with it */
	if (once)
		taffrail_probe_detach("app/one", called, NULL);
}

void library_hit(void)
{
	TAFFRAIL_EVENT(library, hit, library_called);
}

int library_attach(unsigned int flags)
{
	attached = 1;
	return taffrail_probe_attach_with("app/one", called, NULL, 0, flags);
}

int library_once(unsigned int flags)
{
	once = 1;
	return taffrail_probe_attach_with("app/one", called, NULL, 0, flags);
}

__attribute__((destructor)) static void gone(void)
{
	library_detach(0);
}

int library_detach(unsigned int flags)
{
	(void)flags;
	if (attached)
		taffrail_probe_detach("app/one", called, NULL);
	attached = 0;
	return 0;
}
