/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The function with which server.c serves: the program's, or a library's.
 */
#ifndef SERVER_H
#define SERVER_H

struct conn {
	int fd;
	char peer[12];
	struct conn *next;
};

struct server {
	struct {
		long requests;
		long bytes;
	} stats;
	const char *name;
};

extern struct server server;

typedef void serve_fn(int id, struct conn *conn, const char *url);
serve_fn serve;

#endif
