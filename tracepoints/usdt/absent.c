/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells which probes of a module are wanted where libtaffrail-usdt.so is not
 * there to place them.
 */
#include "tracepoints/usdt/usdt.h"

#include <errno.h>

#include "base/text.h"
#include "tracepoints/usdt/address-set.h"
#include "tracepoints/usdt/plan/note.h"

struct pass {
	struct module *module;
	const struct usdt_asking *asking;
	struct index codes;		/* a marker's nop is a probe, too */
};

/* Tells of a probe that a session wants, unless a marker is at the same nop. */
static int note_tell(const struct usdt_probe *note, void *arg)
{
	struct pass *pass = arg;
	uint64_t address = pass->module->base + note->address;
	struct rule_types types;
	struct text text;
	char id[128];

	text_open(&text, id, sizeof(id));
	text_add(&text, note->provider);
	text_add_char(&text, '/');
	text_add(&text, note->name);
	if (note->address && !text.cut &&
	    pass->asking->wanted(id, &types, pass->asking->arg) &&
	    !address_has(&pass->codes, address))
		pass->asking->untaken(pass->module, id, address, -ELIBACC);
	return 0;
}

bool usdt_absent_tell(struct module *module, const struct usdt_asking *asking)
{
	struct pass pass = { .module = module, .asking = asking };
	struct usdt_file file;
	int ret = usdt_module_map(&file, module);

	module->unread = ret == -ENOENT ? 0 : ret;
	if (ret)
		return ret != -ENOENT;
	if (!address_add_sites(&pass.codes, module))
		usdt_notes_read(&file, note_tell, &pass, NULL);
	index_clear(&pass.codes);
	usdt_module_unmap(&file);
	return true;
}
