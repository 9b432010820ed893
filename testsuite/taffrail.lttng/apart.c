/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * apart MODE PLUGIN [LIBRARY...]: hits three events in PLUGIN, this file with
 * -DPLUGIN, a provider. Before that, MODE
 *
 *	local		loads LTTng's libraries by their paths, for itself alone
 *	upgraded	does so, and puts other files in place of them
 *	elsewhere	loads PLUGIN into another namespace. Then reads lines
 *			until "end", and hits three events at each
 *	both		does so with the LIBRARY, a plugin, too, whose events it
 *			hits as well
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

static void plugin_run(void *plugin)
{
	void (*hit)(void) = (void (*)(void))dlsym(plugin, "plugin_hit");

	/* another plugin has no such function */
	if (hit)
		hit();
	puts("hit");
}

static int elsewhere_run(const char *path)
{
	void *plugin = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
	char line[16];

	if (!plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	plugin_run(plugin);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		plugin_run(plugin);
		fflush(stdout);
	}
	return dlclose(plugin);
}

int main(int argc, char **argv)
{
	void *plugin;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "elsewhere"))
		return elsewhere_run(argv[2]);
	for (int i = 3; i < argc && strcmp(argv[1], "both"); i++)
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
	plugin_run(plugin);
	if (!strcmp(argv[1], "both") && elsewhere_run(argv[3]))
		return 1;
	return dlclose(plugin);
}
#endif
