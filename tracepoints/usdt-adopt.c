/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From a note in a module's file to a marker.
 *
 * A note is believed only where all it names lies in its own module, the file
 * is the one that is loaded, and a nop is at its address.
 */
#include "tracepoints/usdt.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "buffers/base.h"
#include "buffers/sys.h"
#include "buffers/text.h"
#include "tracepoints/arena.h"
#include "tracepoints/index.h"
#include "tracepoints/usdt-note.h"

struct pass {
	struct module *module;
	usdt_wanted *wanted;
	void *arg;
	const struct patcher *patcher;
	struct usdt_file file;
	uint32_t seen;
	uint32_t came;
};

/* Does the module have n bytes there, in a segment with these flags? The file
 * and the loaded module have the same program headers. */
static int loaded(const struct pass *pass, uint64_t address, uint64_t n,
		  uint32_t flags)
{
	const struct module *module = pass->module;
	Elf64_Ehdr header;
	Elf64_Phdr ph;
	uint32_t i;

	__builtin_memcpy(&header, pass->file.bytes, sizeof(header));
	for (i = 0; i < header.e_phnum; i++) {
		uint64_t start;

		__builtin_memcpy(&ph, pass->file.bytes + header.e_phoff +
					      i * sizeof(ph), sizeof(ph));
		start = module->base + ph.p_vaddr;
		if (ph.p_type == PT_LOAD && (ph.p_flags & flags) == flags &&
		    address >= start && address - start < ph.p_memsz &&
		    n <= ph.p_memsz - (address - start))
			return 1;
	}
	return 0;
}

/* Is the file what is loaded? Its headers, in memory, say so. */
static int same_file(const struct pass *pass)
{
	const uint8_t *memory = (const uint8_t *)pass->module->start;
	Elf64_Ehdr header;
	uint64_t bytes;

	if (pass->file.size < sizeof(header) ||
	    pass->module->end - pass->module->start < sizeof(header) ||
	    __builtin_memcmp(memory, pass->file.bytes, sizeof(header)))
		return 0;
	__builtin_memcpy(&header, memory, sizeof(header));
	bytes = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr);
	return header.e_phentsize == sizeof(Elf64_Phdr) &&
	       header.e_phoff < 4096 && bytes <= 4096 - header.e_phoff &&
	       header.e_phoff + bytes <= pass->file.size &&
	       !__builtin_memcmp(memory + header.e_phoff,
				 pass->file.bytes + header.e_phoff, bytes);
}

/* The code that markers have in the module: a marker of our own declares its
 * nop as a probe, too. Made for a pass. */
static struct index codes;

static uint64_t code_hash(uint64_t address)
{
	return index_hash(INDEX_HASH, &address, sizeof(address));
}

static int same_code(uint64_t value, const void *address)
{
	return (uint64_t)((const struct code *)value)->address ==
	       *(const uint64_t *)address;
}

static int codes_learn(const struct module *module)
{
	const struct object *object;
	const struct code *code;
	int ret = 0;

	for (object = module->objects; object; object = object->next)
		for (code = object->codes; code && !ret; code = code->next)
			ret = index_add(&codes,
					code_hash((uint64_t)code->address),
					(uint64_t)code);
	return ret;
}

static int known(uint64_t address)
{
	return !!index_find(&codes, code_hash(address), same_code, &address);
}

static int symbol_find(const char *name, uint32_t length, uint64_t *address,
		       void *priv)
{
	struct pass *pass = priv;

	if (!usdt_file_symbol(&pass->file, name, length, address))
		return 0;
	*address += pass->module->base;
	return 1;
}

/* Fields are the arguments that can be fetched, by their numbers. */
static void fields_set(struct usdt_adopted *probe, struct text *text,
		       const char *operands, struct pass *pass)
{
	struct usdt_operand parsed[TAFFRAIL_FIELDS_MAX];
	uint32_t n = usdt_operands_parse(operands, parsed, symbol_find, pass);
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct usdt_operand *operand = &probe->operands[probe->count];

		if (parsed[i].place == USDT_UNKNOWN)
			continue;
		*operand = parsed[i];
		probe->in_memory += parsed[i].place == USDT_MEMORY;
		probe->site.types[probe->count] = operand->type;
		probe->site.fixed_bytes =
			(uint16_t)(probe->site.fixed_bytes + operand->bytes);
		text_add(text, probe->count++ ? ", arg" : "arg");
		text_add_unsigned(text, i + 1);
	}
	probe->site.nfields = (uint8_t)probe->count;
}

/* The next one: what cannot be placed costs no memory. */
static struct usdt_adopted *spare;

static struct usdt_adopted *probe_make(const struct usdt_probe *note,
				       const char *texts[static 4],
				       struct pass *pass)
{
	struct usdt_adopted *probe;
	struct text text;

	if (!spare)
		spare = arena_keep(sizeof(*spare));
	probe = spare;
	if (!probe)
		return NULL;
	__builtin_memset(probe, 0, sizeof(*probe));
	probe->address = pass->module->base + note->address;
	probe->site.version = TAFFRAIL_SITE_VERSION;
	probe->site.kind = TAFFRAIL_KIND_EVENT;
	text_open(&text, probe->text, sizeof(probe->text));
	texts[0] = probe->text;
	text_add(&text, note->provider);
	text_add_bytes(&text, "", 1);
	texts[1] = probe->text + text.used;
	text_add(&text, note->name);
	text_add_bytes(&text, "", 1);
	texts[2] = probe->text + text.used;
	fields_set(probe, &text, note->operands, pass);
	text_add_bytes(&text, "", 1);
	texts[3] = probe->text + text.used;
	probe->site.text_bytes = (uint32_t)text.used + 1;
	return text.cut ? NULL : probe;
}

static int probe_adopt(const struct usdt_probe *note, struct pass *pass)
{
	uint64_t semaphore = pass->module->base + note->semaphore;
	struct code code = { 0 };
	const char *texts[4];
	struct usdt_adopted *probe = probe_make(note, texts, pass);
	struct object *object;

	if (!probe || usdt_place(probe, &code.stub, pass->patcher))
		return 0;
	code.address = (uint8_t *)probe->address;
	if (note->semaphore && !(semaphore & 1) &&
	    loaded(pass, semaphore, 2, PF_R | PF_W))
		code.semaphore = (uint16_t *)semaphore;
	object = registry_add(pass->module, &probe->site, texts, &code);
	if (!object) {
		usdt_gone(probe);
		return 0;
	}
	spare = NULL;
	object->shape.narrow = 1;
	object->adopted = probe;
	pass->came++;
	return 0;
}

static int note_seen(const struct usdt_probe *note, void *arg)
{
	struct pass *pass = arg;
	uint64_t address = pass->module->base + note->address;
	char id[128];
	struct text text;

	text_open(&text, id, sizeof(id));
	text_add(&text, note->provider);
	text_add_char(&text, '/');
	text_add(&text, note->name);
	if (text.cut || !loaded(pass, address, 5, PF_R | PF_X))
		return 0;
	pass->seen++;
	if (!pass->wanted(id, pass->arg) || known(address))
		return 0;
	return probe_adopt(note, pass);
}

static int file_map(struct usdt_file *file, const char *path)
{
	int fd = (int)sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	struct stat st;
	long got = -1;

	if (fd < 0)
		return 0;
	if (!sys2(SYS_fstat, fd, &st) && st.st_size > 0) {
		file->size = (uint64_t)st.st_size;
		got = sys_mmap(0, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	sys_close(fd);
	file->bytes = (const uint8_t *)got;
	return got > 0;
}

uint32_t usdt_adopt(struct module *module, usdt_wanted *wanted, void *arg,
		    const struct patcher *patcher)
{
	struct pass pass = { .module = module, .wanted = wanted, .arg = arg,
			     .patcher = patcher };

	if (!module->path[0] || module->usdt_none ||
	    !file_map(&pass.file, module->path))
		return 0;
	if (same_file(&pass) && !codes_learn(module))
		usdt_notes_read(&pass.file, note_seen, &pass, NULL);
	index_clear(&codes);
	module->usdt_none = !pass.seen;
	sys_munmap(pass.file.bytes, pass.file.size);
	return pass.came;
}
