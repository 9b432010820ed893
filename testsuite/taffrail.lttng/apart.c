/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * apart MODE PLUGIN [LIBRARY...]: hits three events in PLUGIN, this file with
 * -DPLUGIN, a provider. Before that, MODE
 *
 *	local		loads LTTng's libraries by their paths, for itself alone
 *	upgraded	does so, and puts other files in place of them
 */
#ifdef PLUGIN
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "harm.h"

void plugin_hit(void);

void plugin_hit(void)
{
	for (int i = 0; i < 3; i++)
		lttng_ust_tracepoint(harm, plain, i);
}
#else
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int upgrade(const char *library)
{
	char copy[4096];

	snprintf(copy, sizeof(copy), "%s.new", library);
	return rename(copy, library);
}

int main(int argc, char **argv)
{
	void (*hit)(void);
	void *plugin;

	if (argc < 3)
		return 2;
	for (int i = 3; i < argc; i++)
		if (!dlopen(argv[i], RTLD_NOW | RTLD_LOCAL) ||
		    (!strcmp(argv[1], "upgraded") && upgrade(argv[i]))) {
			printf("%s\n", dlerror());
			return 1;
		}
	plugin = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	hit = (void (*)(void))dlsym(plugin, "plugin_hit");
	hit();
	puts("hit");
	return dlclose(plugin);
}
#endif
