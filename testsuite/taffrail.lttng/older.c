/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program made for LTTng-UST 2.12, with the parts of its interface that a
 * provider and its call sites use; and what LTTng's libraries do with them:
 * -DLIBRARY, liblttng-ust.so.0, and -DTRACEPOINT, liblttng-ust-tracepoint.so.0.
 * -DLATER is a library that has the name of a later series.
 */
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

struct site {
	const char *name;
	const char *signature;
	int state;
	void (*probe)(void);
	void *data;
};

int lttng_probe_register(struct provider *provider);
void lttng_probe_unregister(struct provider *provider);
void sites_take(struct site *sites, int n);

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
static struct site *sites;
static int sites_n;

int __tracepoint_probe_register_queue_release(const char *name,
		void (*probe)(void), void *data, const char *signature);
int __tracepoint_probe_unregister_queue_release(const char *name,
		void (*probe)(void), void *data);
void __tracepoint_probe_prune_release_queue(void);
void tp_rcu_read_unlock_bp(void);
void urcu_bp_synchronize_rcu(void);
int urcu_bp_read_ongoing(void);

void sites_take(struct site *taken, int n)
{
	sites = taken;
	sites_n = n;
}

/* A site has one probe. LTTng, too, allocates here. */
int __tracepoint_probe_register_queue_release(const char *name,
		void (*probe)(void), void *data, const char *signature)
{
	static void *volatile memory;
	int i;

	memory = calloc(1, 64);

	for (i = 0; i < sites_n; i++) {
		if (strcmp(sites[i].name, name) != 0 ||
		    strcmp(sites[i].signature, signature) != 0)
			continue;
		sites[i].data = data;
		sites[i].probe = probe;
		sites[i].state = 1;
	}
	free(memory);
	return 0;
}

int __tracepoint_probe_unregister_queue_release(const char *name,
		void (*probe)(void), void *data)
{
	int i;

	for (i = 0; i < sites_n; i++)
		if (!strcmp(sites[i].name, name) && sites[i].data == data &&
		    sites[i].probe == probe)
			sites[i].state = 0;
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
static struct site sites[] = {
	{ .name = "older:one", .signature = "int, x, const char *, s" },
	{ .name = "older:two", .signature = "void" },
};

__attribute__((constructor)) static void provider_come(void)
{
	sites_take(sites, 2);
	printf("registered: %d\n", lttng_probe_register(&provider));
}

__attribute__((destructor)) static void provider_go(void)
{
	lttng_probe_unregister(&provider);
}

static void hit_all(void)
{
	int i;

	for (i = 0; i < 3 && sites[0].state; i++)
		((void (*)(void *, int, const char *))sites[0].probe)(
			sites[0].data, i, i ? "text" : NULL);
	if (sites[1].state)
		((void (*)(void *))sites[1].probe)(sites[1].data);
}

int main(int argc, char **argv)
{
	char line[8];

	puts(argc > 1 ? "ready" : "main");
	fflush(stdout);
	hit_all();
	while (argc > 1 && fgets(line, sizeof(line), stdin) && *line != 'e') {
		hit_all();
		if (*line == 'f' && !fork()) {
			hit_all();
			_exit(0);
		}
		wait(NULL);
		fputs(line, stdout);
		fflush(stdout);
	}
	(void)argv;
	return 0;
}
#endif
