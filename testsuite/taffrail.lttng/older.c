/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program made for LTTng-UST 2.12, with the parts of its interface that a
 * provider and its call sites use; and what LTTng's libraries do with them:
 * -DLIBRARY, liblttng-ust.so.0, and -DTRACEPOINT, liblttng-ust-tracepoint.so.0.
 * -DLATER is a library that has the name of a later series. -DSITES is the
 * program without the provider, and -DPROVIDER the provider alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct integer {
	unsigned int bits;
	unsigned short align;
	unsigned int is_signed : 1, swapped : 1;
	unsigned int base;
	int encoding;
	char padding[24];
};

struct field {
	const char *name;
	int kind;
	union {
		struct integer integer;
		void *pointer;
		char padding[272];
	} u;
	unsigned int nowrite;
	char padding[28];
};

struct description {
	const char *name;
	void (*probe)(void);
	const void *context;
	const struct field *fields;
	unsigned int n;
	const int **level;
	const char *signature;
	const char **uri;
	char padding[32];
};

struct list {
	struct list *next, *before;
};

struct provider {
	const char *name;
	const struct description **events;
	unsigned int n;
	struct list head, lazy_head;
	int lazy;
	unsigned int major, minor;
	char padding[12];
};

/* A tracer's, which a probe function reads. */
struct event {
	char to_channel[8];
	const struct {
		void *channel;
		int enabled;
		void *context;
		const int *session;
	} *channel;
	int enabled;
	char to_filters[84];
	struct list filters;
	int unfiltered;
};

struct filter {
	void *bytecode;
	uint64_t (*call)(struct filter *filter, const char *stack);
	int failed;
	struct list list;
};

struct probe {
	void (*function)(void);
	void *data;
};

struct site {
	const char *name;
	int state;
	const struct probe *probes;
	int *reference;
	const char *signature;
	char padding[16];
};

int lttng_probe_register(struct provider *provider);
void lttng_probe_unregister(struct provider *provider);

#ifdef LIBRARY
int lttng_probe_register(struct provider *provider)
{
	printf("%s comes\n", provider->name);
	fflush(stdout);
	return 0;
}

void lttng_probe_unregister(struct provider *provider)
{
	printf("%s goes\n", provider->name);
}
#elif defined(TRACEPOINT)
#define MOST	8

/* Modules with call sites, and events that are on. */
static struct {
	struct site *const *sites;
	int n;
} modules[MOST];
static struct event_on {
	const char *name;
	struct probe *probes;
} events[MOST];

int __tracepoint_probe_register_queue_release(const char *name,
		void (*probe)(void), void *data, const char *signature);
int __tracepoint_probe_unregister_queue_release(const char *name,
		void (*probe)(void), void *data);
void __tracepoint_probe_prune_release_queue(void);
int tracepoint_register_lib(struct site *const *sites, int n);
void tp_rcu_read_unlock_bp(void);
void urcu_bp_synchronize_rcu(void);
int urcu_bp_read_ongoing(void);

static void sites_set(void)
{
	int i, j, k;

	for (i = 0; i < MOST; i++)
		for (j = 0; j < modules[i].n; j++)
			for (k = 0; k < MOST; k++) {
				struct site *site = modules[i].sites[j];

				if (!events[k].name ||
				    strcmp(site->name, events[k].name) != 0)
					continue;
				if (events[k].probes)
					site->probes = events[k].probes;
				site->state = !!events[k].probes;
			}
}

int tracepoint_register_lib(struct site *const *sites, int n)
{
	int i = 0;

	while (modules[i].sites)
		i++;
	modules[i].sites = sites;
	modules[i].n = n;
	sites_set();
	return 0;
}

/* No thread is in an event then. */
static void event_set(const char *name, struct probe *probes)
{
	struct probe *before;
	int i = 0;

	while (events[i].name && strcmp(events[i].name, name) != 0)
		i++;
	before = events[i].probes;
	events[i] = (struct event_on){ name, probes };
	sites_set();
	free(before);
}

/* An event has one probe. LTTng, too, allocates here. */
int __tracepoint_probe_register_queue_release(const char *name,
		void (*probe)(void), void *data, const char *signature)
{
	struct probe *probes = calloc(2, sizeof(*probes));

	(void)signature;
	probes->function = probe;
	probes->data = data;
	event_set(name, probes);
	return 0;
}

int __tracepoint_probe_unregister_queue_release(const char *name,
		void (*probe)(void), void *data)
{
	(void)probe;
	(void)data;
	event_set(name, NULL);
	return 0;
}

void __tracepoint_probe_prune_release_queue(void)
{
}

void tp_rcu_read_unlock_bp(void)
{
}

void urcu_bp_synchronize_rcu(void)
{
}

int urcu_bp_read_ongoing(void)
{
	return 0;
}
#elif defined(LATER)
int later;
#else
#ifndef SITES
static const struct field fields[] = {
	{ .name = "x", .kind = 0,
	  .u.integer = { 32, 8, 1, 0, 10, 0, { 0 } } },
	{ .name = "hidden", .kind = 0, .nowrite = 1,
	  .u.integer = { 64, 8, 0, 0, 10, 0, { 0 } } },
	{ .name = "s", .kind = 4 },
};

/* Lays out the fields, and asks the filters, as a probe function of 2.12. */
static void one_probe(struct event *event, int x, const char *s)
{
	const int64_t words[3] = { x, x * 100, (intptr_t)s };
	struct filter *filter;
	struct list *p;
	int records = event->unfiltered;

	if (!*event->channel->session || !event->channel->enabled ||
	    !event->enabled)
		return;
	for (p = event->filters.next; p != &event->filters; p = p->next) {
		filter = (void *)((char *)p - offsetof(struct filter, list));
		records |= filter->call(filter, (const char *)words) & 1;
	}
	if (records)
		puts("LTTng would record it");
}

static void two_probe(struct event *event)
{
	one_probe(event, 2, NULL);
}

static const int level = 4;
static const int *const plevel = &level;
static const struct description one = {
	.name = "older:one", .probe = (void (*)(void))one_probe,
	.fields = fields, .n = 3, .level = (const int **)&plevel,
	.signature = "int, x, const char *, s",
};
static const struct description two = {
	.name = "older:two", .probe = (void (*)(void))two_probe,
	.signature = "void",
};
static const struct description *events[] = { &one, &two };
static struct provider provider = {
	.name = "older", .events = events, .n = 2, .major = 1,
};

__attribute__((constructor)) static void provider_come(void)
{
	printf("registered: %d\n", lttng_probe_register(&provider));
}

__attribute__((destructor)) static void provider_go(void)
{
	lttng_probe_unregister(&provider);
}
#endif
#ifndef PROVIDER
static struct site sites[] = {
	{ .name = "older:one", .signature = "int, x, const char *, s" },
	{ .name = "older:two", .signature = "void" },
};

__attribute__((section("__tracepoints_ptrs"), used))
static struct site *const pointers[] = { &sites[0], &sites[1] };

/* As a header of LTTng's does: without the library, call sites stay off. */
__attribute__((constructor)) static void sites_come(void)
{
	void *library = dlopen("liblttng-ust-tracepoint.so.0",
			       RTLD_NOW | RTLD_GLOBAL);
	int (*come)(struct site *const *, int) = NULL;

	if (library)
		*(void **)&come = dlsym(library, "tracepoint_register_lib");
	if (come)
		come(pointers, 2);
}

static void hit_all(void)
{
	const struct probe *probe;
	int i;

	for (i = 0; i < 3 && sites[0].state; i++) {
		probe = sites[0].probes;
		((void (*)(void *, int, const char *))probe->function)(
			probe->data, i, i ? "text" : NULL);
	}
	probe = sites[1].probes;
	if (sites[1].state)
		((void (*)(void *))probe->function)(probe->data);
}

static void provider_load(const char *path)
{
	static void *library;

	if (library)
		dlclose(library);
	library = library ? NULL : dlopen(path, RTLD_NOW);
}

/* "ready", then a line each: f in a child, too; l loads or unloads the file of
 * the second argument; e ends. */
int main(int argc, char **argv)
{
	char line[8];

	puts(argc > 1 ? "ready" : "main");
	fflush(stdout);
	hit_all();
	while (argc > 1 && fgets(line, sizeof(line), stdin) && *line != 'e') {
		if (*line == 'l')
			provider_load(argv[2]);
		hit_all();
		if (*line == 'f' && !fork()) {
			hit_all();
			_exit(0);
		}
		wait(NULL);
		fputs(line, stdout);
		fflush(stdout);
	}
	return 0;
}
#endif
#endif
