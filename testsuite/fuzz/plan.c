/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: where jumps take the place of probes in a damaged program.
 *
 * An input is this program's own file, some bytes changed in what the planner
 * goes by: headers, frames, tables of call sites and of jumps, relocations,
 * notes, and the functions below. Whatever comes: a plan is in the bounds that
 * those who write code by it rely on, and the same a second time.
 */
#include "testsuite/fuzz/fuzz.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"


#define PROBES_MAX	64
#define REGIONS_MAX	64
#define WINDOW		256u

/* A probe as <sys/sdt.h> has it. */
#define PROBE(name, value)						\
	__asm__ volatile("990: nop\n"					\
		".pushsection .note.stapsdt, \"\", \"note\"\n"		\
		".balign 4\n .4byte 8, 993f - 991f, 3\n"		\
		".asciz \"stapsdt\"\n"					\
		"991: .8byte 990b, 0, 0\n"				\
		".asciz \"fuzz\"\n .asciz \"" #name "\"\n .asciz \"\"\n"	\
		"993: .balign 4\n .popsection\n"			\
		:							\
		: "r"(value))

static volatile int sink;

static void tidy(const int *p)
{
	sink += *p;
}

/* What a compiler makes of probes: before and behind branches, in loops, in
 * tables, in functions that clean up, before calls, side by side. */
__attribute__((noinline)) static int straight(int a, int b)
{
	PROBE(first, a);
	a += b * 3;
	PROBE(second, a);
	PROBE(beside, b);
	return a ^ b;
}

__attribute__((noinline)) static int turns(const int *p, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		PROBE(turn, i);
		sum += p[i & 3];
		if (sum & 1)
			PROBE(odd, sum);
	}
	return sum;
}

__attribute__((noinline)) static int chooses(int what)
{
	switch (what) {
	case 0:
		PROBE(zero, what);
		return straight(1, 2);
	case 1:
		PROBE(one, what);
		return sink;
	case 2:
		PROBE(two, what);
		return sink * 3;
	case 3:
		PROBE(three, what);
		return -sink;
	case 4:
		PROBE(four, what);
		return sink << 2;
	case 5:
		PROBE(five, what);
		return sink ^ what;
	default:
		return 0;
	}
}

__attribute__((noinline)) static int cleans(int a)
{
	__attribute__((cleanup(tidy))) int held = a;

	PROBE(held, a);
	held += chooses(a);
	PROBE(behind, held);
	if (__builtin_expect(held == 1234, 0)) {
		PROBE(rare, held);
		abort();
	}
	return held;
}

/* The file, and those parts of it that a planner reads. */
struct region {
	size_t at, bytes;
};

static struct usdt_file file;
static uint8_t *bytes;
static struct region regions[REGIONS_MAX];
static size_t nregions;
static uint64_t probes[PROBES_MAX];
static uint32_t nprobes;

static void region_add(size_t at, size_t n)
{
	if (nregions < REGIONS_MAX && n && at + n <= file.size)
		regions[nregions++] = (struct region){ at, n };
}

static void regions_find(void)
{
	static const char *const names[] = {
		".dynamic", ".eh_frame_hdr", ".eh_frame", ".rodata",
		".gcc_except_table", ".rela.dyn", ".note.stapsdt", ".symtab",
	};
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);
	const char *texts =
		(const char *)bytes + sections[header->e_shstrndx].sh_offset;

	region_add(0, sizeof(*header));
	region_add(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr));
	region_add(header->e_shoff, header->e_shnum * sizeof(*sections));
	for (uint32_t i = 0; i < header->e_shnum; i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strcmp(texts + sections[i].sh_name, names[k]))
				region_add(sections[i].sh_offset,
					   sections[i].sh_size);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return *left < *right ? -1 : *left > *right;
}

static int see(const struct usdt_probe *probe, void *priv)
{
	(void)priv;
	if (nprobes < PROBES_MAX)
		probes[nprobes++] = probe->address;
	return 0;
}

/* Makes the file one without .eh_frame_hdr, or with it. */
static void table_hide(bool hide)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	Elf64_Phdr *ph = (void *)(bytes + header->e_phoff);

	for (uint32_t i = 0; i < header->e_phnum; i++)
		if (ph[i].p_type == (hide ? PT_GNU_EH_FRAME : PT_LOOS))
			ph[i].p_type = hide ? PT_LOOS : PT_GNU_EH_FRAME;
}

/* The code around a probe, twice as likely as all else. */
static void code_add(uint64_t address)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Phdr *ph = (const void *)(bytes + header->e_phoff);

	for (uint32_t i = 0; i < header->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && address >= ph[i].p_vaddr &&
		    address - ph[i].p_vaddr < ph[i].p_filesz)
			region_add(ph[i].p_offset + (address - ph[i].p_vaddr) -
					   32, 96);
}

static int load(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	bytes = malloc((size_t)st.st_size);
	if (!bytes || read(fd, bytes, (size_t)st.st_size) != st.st_size)
		return -1;
	close(fd);
	file.bytes = bytes;
	file.size = (uint64_t)st.st_size;
	regions_find();
	if (usdt_notes_read(&file, see, NULL, NULL) || !nprobes)
		return -1;
	qsort(probes, nprobes, sizeof(*probes), by_value);
	for (uint32_t i = 0; i < nprobes; i++)
		code_add(probes[i]);
	return 0;
}

static const char *judge_plan(const struct usdt_plan *plan)
{
	int last = 0;

	if (plan->reason >= USDT_REASONS)
		return "an unknown reason";
	if (plan->reason)
		return NULL;
	if (plan->switched < USDT_JUMP_BYTES ||
	    plan->switched > USDT_PATCH_MAX ||
	    plan->covered < plan->switched ||
	    plan->covered > USDT_COVERED_MAX ||
	    plan->count > USDT_MOVED_MAX || plan->starts >> plan->switched ||
	    plan->joins & ~plan->starts || plan->beside >= plan->switched)
		return "a plan is out of bounds";
	for (int i = 0; i < plan->count; i++) {
		const struct usdt_moved *moved = &plan->moved[i];

		if (moved->at < last || !moved->length ||
		    moved->at + moved->length > plan->covered ||
		    moved->move >= USDT_STAYS ||
		    moved->field > moved->length)
			return "what moves is out of bounds";
		last = moved->at + moved->length;
	}
	return NULL;
}

static const char *judge(struct fuzz *fuzz)
{
	static struct usdt_plan plans[PROBES_MAX], again[PROBES_MAX];
	const char *wrong = NULL;
	struct usdt_bounds bounds;
	uint32_t fine = 0;

	usdt_bounds_open(&bounds, &file);
	file.bounds = &bounds;
	memset(plans, 0, sizeof(plans));
	for (uint32_t i = 0; i < nprobes; i++)
		plans[i].address = probes[i];
	memcpy(again, plans, sizeof(plans));
	usdt_plan(&file, usdt_zydis(), plans, nprobes);
	for (uint32_t i = 0; i < nprobes && !wrong; i++) {
		wrong = judge_plan(&plans[i]);
		fine += !plans[i].reason;
	}
	fuzz->accepted += fine > 0;
	usdt_plan(&file, usdt_zydis(), again, nprobes);
	if (!wrong && memcmp(plans, again, sizeof(plans)))
		wrong = "another result the second time";
	usdt_bounds_close(&bounds);
	file.bounds = NULL;
	return wrong;
}

static void try_one(struct fuzz *fuzz)
{
	const struct region *region = &regions[fuzz_less(fuzz, nregions)];
	size_t n = region->bytes < WINDOW ? region->bytes : WINDOW;
	size_t at = region->at + fuzz_less(fuzz, region->bytes - n + 1);
	uint64_t size = file.size;
	uint8_t kept[WINDOW], changed[WINDOW];
	const char *wrong;

	table_hide(fuzz->done & 1);
	memcpy(kept, bytes + at, n);
	fuzz_mutate(fuzz, bytes + at, n);
	memcpy(changed, bytes + at, n);
	if (!fuzz_less(fuzz, 32))
		file.size = fuzz_less(fuzz, size + 1);
	wrong = judge(fuzz);
	if (wrong)
		fuzz_fail(fuzz, wrong, changed, n);
	file.size = size;
	memcpy(bytes + at, kept, n);
	table_hide(false);
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;

	fuzz_open(&fuzz, "plan", argc, argv);
	sink = cleans(turns(argv ? &argc : NULL, argc & 1));
	if (!usdt_zydis() || load()) {
		printf("# built without libzydis-dev, or no file\n"
		       "PASS: fuzz plan\n");
		return 0;
	}
	for (; fuzz.done < fuzz.inputs; fuzz.done++)
		try_one(&fuzz);
	return fuzz_end(&fuzz, 300);
}
