/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program made for LTTng-UST 2.12, with the parts of its interface that a
 * provider registers by; and (-DLIBRARY) what LTTng's library does with it.
 */
#include <stddef.h>
#include <stdio.h>

struct description {
	const char *name;
	void *members[11];
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

int lttng_probe_register(struct provider *provider);
void lttng_probe_unregister(struct provider *provider);

#ifdef LIBRARY
int lttng_probe_register(struct provider *provider)
{
	printf("%s comes\n", provider->name);
	return 0;
}

void lttng_probe_unregister(struct provider *provider)
{
	printf("%s goes\n", provider->name);
}
#else
static const struct description one = { "older:one", { NULL } };
static const struct description two = { "older:two", { NULL } };
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

int main(void)
{
	puts("main");
	return 0;
}
#endif
