/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries and exits of the functions of installed files, or of files that are
 * named, as sites: the share that a jump can replace, and no branch or table of
 * jumps of the file leads into a jump (calls.h). Functions of this program as
 * its symbols declare them (functions.h).
 */
#include "testsuite/unit/unit.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/functions.h"
#include "tracepoints/usdt/plan/image.h"
#include "tracepoints/usdt/plan/plan.h"

/* Percent of all entries together, and of the entries of one file. Python is
 * compiled for its profile, which leaves no padding between functions. */
#define SHARE_ALL	99.8
#define SHARE_ONE	98.0

/* A part that is put apart and begins without a frame is listed as a function.
 * No symbol names it, so the agent makes no jump there. */
#define TRAPS_MAX	10

static const char *const installed[] = {
	"/bin/bash",
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/bin/git",
	"/usr/bin/perl",
	"/usr/bin/python3.11",
	"/usr/bin/redis-check-rdb",
	"/usr/bin/rg",
	"/usr/bin/xz",
	"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
	"/usr/lib/postgresql/15/bin/postgres",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/sbin/nginx",
};

static bool file_map(struct usdt_file *file, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	*file = (struct usdt_file){ .size = (uint64_t)st.st_size };
	file->bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	return file->bytes != MAP_FAILED;
}

/* Returns true for an address of linkage stubs, which share a frame. */
static bool in_linkage(const struct usdt_file *file, uint64_t address)
{
	const Elf64_Ehdr *header = (const void *)file->bytes;
	const Elf64_Shdr *sections = (const void *)(file->bytes +
						    header->e_shoff);
	const char *names = (const char *)file->bytes +
			    sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++)
		if (address - sections[i].sh_addr < sections[i].sh_size &&
		    sections[i].sh_flags & SHF_EXECINSTR)
			return !strncmp(names + sections[i].sh_name, ".plt", 4);
	return true;
}

/* The functions and parts that .eh_frame_hdr or others list, sorted. */
struct listed {
	struct usdt_function *functions;
	uint32_t n;
};

static int by_start(const void *one, const void *other)
{
	const struct usdt_function *a = one, *b = other;

	return a->start < b->start ? -1 : a->start > b->start;
}

static struct listed functions_list(const struct usdt_image *image)
{
	const uint8_t *table = usdt_image_at(image, image->frames, 12, PF_R,
					     NULL);
	struct listed listed = { 0 };
	const struct usdt_bounds *bounds = image->bounds;
	uint32_t count = 0;

	if (table && image->frames)
		memcpy(&count, table + 8, 4);
	listed.functions = calloc(count + bounds->count + 1,
				  sizeof(*listed.functions));
	for (uint32_t i = 0; i < bounds->count; i++)
		listed.n += !!usdt_image_function(image, bounds->list[i].start,
						  &listed.functions[listed.n]);
	for (uint32_t i = 0; i < count; i++) {
		int32_t offset;

		memcpy(&offset, table + 12 + i * 8, 4);
		listed.n += !!usdt_image_function(
			image, image->frames + (uint64_t)(int64_t)offset,
			&listed.functions[listed.n]);
	}
	qsort(listed.functions, listed.n, sizeof(*listed.functions), by_start);
	return listed;
}

/* Returns the entries among them as functions that are wanted. */
static struct usdt_wanted *entries_want(const struct usdt_image *image,
					const struct listed *listed,
					uint32_t *n)
{
	static const uint8_t marked[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	struct usdt_wanted *wanted = calloc(listed->n + 1, sizeof(*wanted));

	*n = 0;
	for (uint32_t i = 0; i < listed->n; i++) {
		const struct usdt_function *function = &listed->functions[i];
		uint64_t at = function->start;
		const uint8_t *code = usdt_image_at(image, at, 4, PF_X, NULL);

		if (function->part || function->signal ||
		    in_linkage(image->file, at))
			continue;
		if (code && !memcmp(code, marked, 4))
			at += 4;
		wanted[(*n)++] = (struct usdt_wanted){
			.address = function->start, .site = at,
			.entry = 1, .exits = 1,
		};
	}
	return wanted;
}

/* The jumps that were chosen for a file, sorted. */
struct chosen {
	struct usdt_plan *plans;
	uint32_t n;
	uint32_t entries;	/* that can be had */
	uint32_t safe;		/* of these: by a jump that cannot fault */
	uint32_t all;		/* functions of which all exits can be had */
};

static void chosen_add(struct chosen *chosen, const struct usdt_plan *plan)
{
	if (!(chosen->n & (chosen->n - 1)))
		chosen->plans = realloc(chosen->plans, (chosen->n ? chosen->n :
						1) * 2 * sizeof(*plan));
	chosen->plans[chosen->n++] = *plan;
}

static int by_address(const void *one, const void *other)
{
	const struct usdt_plan *a = one, *b = other;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* As the agent asks where the program handles faults. */
static int fault_refused(const struct usdt_plan *plan, void *arg)
{
	(void)arg;
	return plan->faults ? USDT_FAULTS : 0;
}

/* Plans entries and exits of a file, as the agent does where a program is
 * loaded. */
static struct chosen jumps_choose(const struct usdt_file *file,
				  struct usdt_wanted *wanted, uint32_t n,
				  bool handled)
{
	const Elf64_Ehdr *header = (const void *)file->bytes;
	struct chosen chosen = { 0 };
	struct usdt_calls calls;
	uint32_t i, end;
	uint64_t at;
	int why;

	if (usdt_calls_open(&calls, file, usdt_zydis(),
			    header->e_type == ET_EXEC ? 0 : 0x555555554000))
		return chosen;
	calls.refused = handled ? fault_refused : NULL;
	for (i = 0; i < n;) {
		end = i + usdt_calls_plan(&calls, wanted + i, n - i);
		for (; i < end; i++) {
			const struct usdt_plan *plan;
			int left = usdt_calls_exits(&calls, &wanted[i], &at);

			plan = usdt_calls_entry(&calls, &wanted[i], &why);
			chosen.entries += !why;
			chosen.all += !left;
			if (!why)
				chosen_add(&chosen, plan);
			for (int k = 0; !left && k < wanted[i].nexits; k++)
				chosen_add(&chosen, usdt_calls_exit(
					&calls, &calls.found[wanted[i].first +
							     (uint32_t)k]));
		}
	}
	usdt_calls_close(&calls);
	qsort(chosen.plans, chosen.n, sizeof(*chosen.plans), by_address);
	return chosen;
}

/* Ways into jumps that no jump begins at. */
struct wrong {
	uint32_t traps;		/* to an instruction: a trap each time */
	uint32_t broken;	/* to no instruction */
	uint32_t branches;	/* that were looked at */
	uint32_t entries;	/* of tables of jumps, likewise */
};

/* Looks at one place to which code leads. */
static void target_check(const struct chosen *chosen, uint64_t target,
			 struct wrong *wrong)
{
	uint32_t i = usdt_plans_before(chosen->plans, chosen->n, target);

	/* jumps may be there more than once, and do not overlap otherwise */
	for (; i-- > 0 && target - chosen->plans[i].address < USDT_PATCH_MAX;) {
		const struct usdt_plan *plan = &chosen->plans[i];
		uint64_t k = target - plan->address;

		if (!k || k >= plan->switched)
			continue;
		wrong->broken += !(plan->starts >> k & 1);
		wrong->traps += plan->starts >> k & 1 &&
				!(plan->joins >> k & 1);
		return;
	}
}

/* Tells whether an instruction of another listed function begins at an
 * address. */
static bool begins_elsewhere(const struct usdt_image *image,
			     const struct listed *listed, uint64_t address)
{
	uint32_t low = 0, high = listed->n;
	struct usdt_decoded insn;
	uint64_t at, left;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (listed->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= listed->functions[low - 1].end)
		return false;
	for (at = listed->functions[low - 1].start; at < address;
	     at += insn.length) {
		const uint8_t *bytes = usdt_image_at(image, at, 1, PF_X, &left);

		if (!bytes ||
		    !usdt_decode(usdt_zydis(), bytes, left, at, &insn))
			return false;
	}
	return at == address;
}

/* Looks at the words of a table of jumps that a function takes the address of:
 * up to the first that does not lead to an instruction of a function, as a
 * table of a part put apart leads to another one. */
static void table_check(const struct usdt_image *image,
			const struct usdt_function *function,
			const struct listed *listed, const bool *starts,
			uint64_t table, const struct chosen *chosen,
			struct wrong *wrong)
{
	struct usdt_function taken;

	/* the address of a function, whose code is no table */
	if (usdt_image_function(image, table, &taken))
		return;
	for (uint64_t at = table;; at += 4) {
		const uint8_t *word = usdt_image_at(image, at, 4, PF_R, NULL);
		uint64_t target;
		int32_t offset;

		if (!word)
			return;
		memcpy(&offset, word, 4);
		target = table + (uint64_t)(int64_t)offset;
		if (target >= function->start && target < function->end) {
			if (!starts[target - function->start])
				return;
		} else if (!begins_elsewhere(image, listed, target)) {
			return;
		}
		wrong->entries++;
		target_check(chosen, target, wrong);
	}
}

/* Looks at all direct branches of all functions and parts, and at the tables of
 * those that jump through a register. */
static void branches_check(const struct usdt_image *image,
			   const struct listed *listed,
			   const struct chosen *chosen, struct wrong *wrong)
{
	for (uint32_t i = 0; i < listed->n; i++) {
		const struct usdt_function *function = &listed->functions[i];
		struct usdt_decoded insn;
		uint64_t at, tables[64];
		bool *starts = calloc(function->end - function->start + 1, 1);
		uint32_t ntables = 0;
		bool through = false;

		for (at = function->start; at < function->end;
		     at += insn.length) {
			uint64_t left;
			const uint8_t *bytes = usdt_image_at(image, at, 1,
							     PF_X, &left);

			if (!bytes || !usdt_decode(usdt_zydis(), bytes, left,
						   at, &insn))
				break;
			starts[at - function->start] = true;
			through |= !!insn.through;
			if (insn.leads && insn.field &&
			    insn.move != USDT_CALL && ntables < 64)
				tables[ntables++] = insn.target;
			if (!insn.leads || insn.field)
				continue;
			wrong->branches++;
			target_check(chosen, insn.target, wrong);
		}
		while (through && ntables-- > 0)
			table_check(image, function, listed, starts,
				    tables[ntables], chosen, wrong);
		free(starts);
	}
}

static double percent(uint32_t n, uint32_t all)
{
	return all ? n * 100.0 / all : 0;
}

/* `share`: whether so many must be had as of the installed files; else it also
 * says how many where the program handles faults. */
static void check_shares(const char *const *paths, size_t npaths, bool share)
{
	uint32_t all = 0, all_fine = 0, all_safe = 0;
	struct wrong wrong = { 0 };

	for (size_t i = 0; i < npaths; i++) {
		struct usdt_wanted *wanted;
		struct chosen chosen;
		struct listed listed;
		struct usdt_bounds bounds;
		struct usdt_image image;
		struct usdt_file file;
		uint32_t n;

		if (!file_map(&file, paths[i]) ||
		    usdt_bounds_open(&bounds, &file))
			continue;
		file.bounds = &bounds;
		usdt_image_open(&image, &file);
		listed = functions_list(&image);
		wanted = entries_want(&image, &listed, &n);
		if (!share) {
			chosen = jumps_choose(&file, wanted, n, true);
			printf("# %s: %.2f %% where faults are handled\n",
			       paths[i], percent(chosen.entries, n));
			all_safe += chosen.entries;
			free(chosen.plans);
		}
		for (uint32_t k = 0; k < n; k++)
			wanted[k].skipped = wanted[k].pushes = 0;
		chosen = jumps_choose(&file, wanted, n, false);
		branches_check(&image, &listed, &chosen, &wrong);
		unit_check(n && (!share ||
				 percent(chosen.entries, n) >= SHARE_ONE),
			   "%s: %.2f %% of %u entries, all exits of %.1f %%",
			   paths[i], percent(chosen.entries, n), n,
			   percent(chosen.all, n));
		all += n;
		all_fine += chosen.entries;
		free(chosen.plans);
		free(wanted);
		free(listed.functions);
		usdt_bounds_close(&bounds);
		munmap((void *)file.bytes, file.size);
	}
	if (!share)
		printf("# all files: %.2f %% where faults are handled\n",
		       percent(all_safe, all));
	unit_check(!share || percent(all_fine, all) >= SHARE_ALL,
		   "all files: %.2f %% of %u entries", percent(all_fine, all),
		   all);
	unit_check(wrong.branches, "looked at: %u branches, %u words of tables",
		   wrong.branches, wrong.entries);
	unit_equal(wrong.broken, 0, "branches into an instruction of a jump");
	unit_check(wrong.traps <= TRAPS_MAX, "branches that would trap: %u",
		   wrong.traps);
}

/* Exits: two returns, a tail call, and one on a condition. */
__asm__(".pushsection .text\n .p2align 4\n"
	".globl functions_left\n .type functions_left, @function\n"
	"functions_left: .cfi_startproc\n"
	"testl %edi, %edi\n jz 1f\n"
	".byte 0x0f, 0x8f\n .4byte functions_plain - . - 4\n"
	"movl $1, %eax\n ret\n"
	"1: cmpl $3, %esi\n jne 2f\n"
	".byte 0xe9\n .4byte functions_plain - . - 4\n"
	"2: leaq functions_table(%rip), %rdx\n"
	"movslq (%rdx,%rsi,4), %rax\n addq %rdx, %rax\n jmp *%rax\n"
	"3: pushq %rbx\n popq %rbx\n repz; ret\n"
	".cfi_endproc\n .size functions_left, . - functions_left\n"
	".section .rodata\n .balign 4\n"
	"functions_table: .4byte 3b - functions_table\n"
	".popsection\n");
__asm__(".pushsection .text\n .p2align 4\n"
	".globl functions_unclear\n .type functions_unclear, @function\n"
	"functions_unclear: .cfi_startproc\n jmp *%rax\n .cfi_endproc\n"
	".size functions_unclear, . - functions_unclear\n"
	".globl functions_passes\n .type functions_passes, @function\n"
	"functions_passes: .cfi_startproc\n"
	"movq 8(%rdi), %rax\n jmp *%rax\n jmp *16(%rdi)\n .cfi_endproc\n"
	".size functions_passes, . - functions_passes\n"
	/* labels whose addresses data has: the jump may stay or leave */
	".globl functions_labels\n .type functions_labels, @function\n"
	"functions_labels: .cfi_startproc\n"
	"leaq functions_words(%rip), %rdx\n jmp *(%rdx,%rdi,8)\n"
	"5: movl $1, %eax\n ret\n .cfi_endproc\n"
	".size functions_labels, . - functions_labels\n"
	/* the stack has a register: it stays; then it leaves by a table */
	".globl functions_framed\n .type functions_framed, @function\n"
	"functions_framed: .cfi_startproc\n"
	"pushq %rbx\n .cfi_def_cfa_offset 16\n .cfi_remember_state\n"
	"movq (%rdi), %rax\n addq $8, %rdi\n jmp *%rax\n"
	"6: popq %rbx\n .cfi_def_cfa_offset 8\n ret\n"
	".cfi_restore_state\n jmp *-8(%rdi)\n .cfi_endproc\n"
	".size functions_framed, . - functions_framed\n"
	".globl functions_tabled\n .type functions_tabled, @function\n"
	"functions_tabled: .cfi_startproc\n"
	"leaq functions_words(%rip), %rdx\n jmp *(%rdx,%rdi,8)\n"
	"ret\n .cfi_endproc\n"
	".size functions_tabled, . - functions_tabled\n"
	/* parts put apart that begin without a frame: one jumps back, one
	 * never returns */
	".globl functions_split\n .type functions_split, @function\n"
	"functions_split: .cfi_startproc\n"
	"testq %rdi, %rdi\n js functions_back\n"
	"functions_middle: movl $1, %eax\n ret\n .cfi_endproc\n"
	".size functions_split, . - functions_split\n"
	".globl functions_gone\n .type functions_gone, @function\n"
	"functions_gone: .cfi_startproc\n"
	"testq %rdi, %rdi\n js functions_away\n ret\n .cfi_endproc\n"
	".size functions_gone, . - functions_gone\n"
	".globl functions_ended\n .type functions_ended, @function\n"
	"functions_ended: .cfi_startproc\n"
	"testq %rdi, %rdi\n js functions_never\n ret\n .cfi_endproc\n"
	".size functions_ended, . - functions_ended\n"
	".pushsection .text.unlikely, \"ax\", @progbits\n"
	".cfi_startproc\n .cfi_def_cfa_offset 16\n ud2\n .cfi_endproc\n"
	"functions_back: .cfi_startproc\n nop\n jmp functions_middle\n"
	".cfi_endproc\n"
	"functions_never: .cfi_startproc\n nop\n ud2\n .cfi_endproc\n"
	"functions_away: .cfi_startproc\n nop\n ret\n .cfi_endproc\n"
	".cfi_startproc\n .cfi_def_cfa_offset 16\n ud2\n .cfi_endproc\n"
	".popsection\n"
	/* .eh_frame has no epilogue, so it does not tell */
	".globl functions_undescribed\n"
	".type functions_undescribed, @function\n"
	"functions_undescribed: .cfi_startproc\n"
	"pushq %rbx\n .cfi_def_cfa_offset 16\n"
	"popq %rbx\n jmp *16(%rdi)\n"
	"popq %rbx\n ret\n .cfi_endproc\n"
	".size functions_undescribed, . - functions_undescribed\n"
	".section .data.rel.ro, \"aw\"\n .balign 8\n"
	"functions_words: .8byte 5b, 6b\n .popsection\n");

/* Finds the exits of a function of this program. */
static int exits_of(const struct usdt_file *file, const char *name,
		    struct usdt_exit *exits)
{
	struct usdt_layout layout;
	struct usdt_image image;
	uint64_t address;
	int n;

	if (usdt_image_open(&image, file) ||
	    !usdt_file_symbol(file, name, (uint32_t)strlen(name), &address))
		return -ENOENT;
	usdt_layout_open(&layout, &image);
	n = usdt_exits_find(&image, usdt_zydis(), &layout, address, exits, 8);
	usdt_layout_close(&layout);
	return n;
}

static void check_exits(void)
{
	static const uint8_t leaving[] = { USDT_JUMPS_IF, USDT_RETURNS,
					   USDT_JUMPS, USDT_RETURNS };
	struct usdt_exit exits[8];
	struct usdt_file file;

	if (!file_map(&file, "/proc/self/exe"))
		return;
	if (!unit_equal(exits_of(&file, "functions_left", exits), 4, "exits"))
		return;
	for (int i = 0; i < 4; i++)
		unit_equal(exits[i].leaving, leaving[i], "exit %d", i);
	unit_check(exits[3].count == 3 && exits[3].length == 2 &&
			   exits[3].starts[1] == exits[3].address - 1,
		   "where a jump may begin");
	unit_equal(exits[1].count, 3, "behind a jump on a condition");
	unit_equal(exits_of(&file, "functions_unclear", exits), -ENOTUNIQ,
		   "a jump that is not understood");
	unit_equal(exits_of(&file, "functions_passes", exits), 2,
		   "jumps through a register and memory");
	unit_equal(exits_of(&file, "functions_labels", exits), -ENOTUNIQ,
		   "a label of the function, or another function");
	unit_equal(exits_of(&file, "functions_framed", exits), 1,
		   "jumps that stay");
	unit_equal(exits_of(&file, "functions_tabled", exits), 2,
		   "a table of functions");
	unit_equal(exits_of(&file, "functions_undescribed", exits), -ENOTUNIQ,
		   "frames that are described in part");
	unit_equal(exits_of(&file, "functions_split", exits), 1,
		   "a part that jumps back");
	unit_equal(exits_of(&file, "functions_ended", exits), 1,
		   "code that never returns");
	unit_equal(exits_of(&file, "functions_gone", exits), -ENOTUNIQ,
		   "a part, or another function");
}

int functions_plain(int n) __attribute__((noinline));
int functions_plain(int n)
{
	__asm__ volatile("");
	return n + 1;
}

struct seen {
	uint32_t plain, parts, all;
};

static int function_seen(const struct usdt_symbol_found *found, void *priv)
{
	struct seen *seen = priv;

	seen->all++;
	seen->plain += !strcmp(found->name, "functions_plain") &&
		       found->bytes && found->site - found->address <= 4;
	seen->parts += !!strstr(found->name, ".cold");
	return 0;
}

static int function_stops(const struct usdt_symbol_found *found, void *priv)
{
	(void)found;
	(void)priv;
	return 7;
}

static void check_symbols(void)
{
	struct usdt_file file, none = { .bytes = (const uint8_t *)"none",
				       .size = 4 };
	struct seen seen = { 0 };

	if (!file_map(&file, "/proc/self/exe"))
		return;
	functions_plain(1);
	unit_equal(usdt_functions_read(&file, NULL, function_seen, &seen), 0,
		   "read");
	unit_equal(seen.plain, 1, "a function by its name");
	unit_equal(seen.parts, 0, "no parts put apart");
	unit_check(seen.all > 10, "others");
	unit_equal(usdt_functions_read(&file, NULL, function_stops, NULL), 7,
		   "stopped");
	unit_equal(usdt_functions_read(&none, NULL, function_stops, NULL),
		   -ENOEXEC, "no ELF file");
	unit_equal(usdt_functions_refused(&file), USDT_FILE_FINE,
		   "this file is not refused");
	for (uint64_t size = 0; size < file.size; size += file.size / 97) {
		struct usdt_file cut = { .bytes = file.bytes, .size = size };

		usdt_functions_read(&cut, NULL, function_seen, &seen);
		usdt_functions_refused(&cut);
	}
}

int main(int argc, char **argv)
{
	check_symbols();
	if (usdt_zydis() && argc > 1) {
		check_shares((const char *const *)argv + 1, (size_t)argc - 1,
			     false);
	} else if (usdt_zydis()) {
		check_exits();
		check_shares(installed,
			     sizeof(installed) / sizeof(installed[0]), true);
	} else {
		unit_skip("plans", "built without libzydis-dev");
	}
	return unit_end();
}
