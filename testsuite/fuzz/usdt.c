/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: USDT probes, as a damaged file may have them.
 *
 * An input is a line of operands made of the words of their grammar, or a file
 * with such notes and a symbol table, some bytes changed, in memory of exactly
 * its size. For every input, compiled operands stay in the bounds that the
 * fetching code relies on, and compiling again gives the same; the strings of a
 * probe end within the file.
 */
#include "testsuite/fuzz/fuzz.h"
#include "testsuite/unit/usdt.h"

#include "tracepoints/usdt/plan/operand.h"

#define TEXT_MAX	600

static const char *const grammar[] = {
	"-4@", "8@", "1@", "-2@", "4f@", "8f@", "@", "$", "%", "-", "+", ",",
	"(", ")", "0x", "8", "16", "-8", "4", "rax", "eax", "ax", "al", "ah",
	"r8", "r9d", "r15b", "rip", "rbp", "rsp", "xmm0", "xmm15", "sym",
	"sym(%rip)", "8(%rbp)", "(%rax,%rcx,4)", "%rdi", "$1", " ", "%fs:",
	"99999999999999999999", ".", "_x",
};

static int symbol(const char *name, uint32_t n, uint64_t *address, void *priv)
{
	(void)priv;
	*address = 0x5000;
	return n >= 3 && !memcmp(name, "sym", 3);
}

static int bounded(const struct usdt_operand *operand)
{
	uint32_t bytes = operand->bytes;

	if (!operand->type || operand->type > TAFFRAIL_T_F64 ||
	    (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) ||
	    operand->scale > 3 || (operand->shift && operand->shift != 8))
		return 0;
	if (operand->place == USDT_UNKNOWN ||
	    operand->place == USDT_IMMEDIATE)
		return 1;
	if (operand->place == USDT_REGISTER || operand->place == USDT_VECTOR)
		return operand->base < 16;
	return operand->place == USDT_MEMORY &&
	       (operand->base < 16 || operand->base == USDT_NO_REGISTER) &&
	       (operand->index < 16 || operand->index == USDT_NO_REGISTER);
}

static void make_text(struct fuzz *fuzz, char *text)
{
	uint64_t parts = fuzz_less(fuzz, 40);
	size_t n = 0;

	while (parts--) {
		const char *word = grammar[fuzz_less(
			fuzz, sizeof(grammar) / sizeof(grammar[0]))];
		size_t bytes = strlen(word);

		if (n + bytes + 1 >= TEXT_MAX)
			break;
		memcpy(text + n, word, bytes);
		n += bytes;
		if (!fuzz_less(fuzz, 4))
			text[n++] = ' ';
	}
	text[n] = '\0';
	if (!fuzz_less(fuzz, 3))
		fuzz_mutate(fuzz, (uint8_t *)text, n);
}

static const char *judge(struct fuzz *fuzz, const char *text)
{
	struct usdt_operand got[TAFFRAIL_FIELDS_MAX];
	struct usdt_operand again[TAFFRAIL_FIELDS_MAX];
	uint32_t n, i;

	/* bytes between the fields are compared, too */
	memset(got, 0, sizeof(got));
	memset(again, 0, sizeof(again));
	n = usdt_operands_parse(text, got, symbol, NULL);
	if (n > TAFFRAIL_FIELDS_MAX)
		return "too many operands";
	for (i = 0; i < n; i++) {
		if (!bounded(&got[i]))
			return "an operand is out of bounds";
		fuzz->accepted += got[i].place != USDT_UNKNOWN;
	}
	if (usdt_operands_parse(text, again, symbol, NULL) != n ||
	    memcmp(got, again, n * sizeof(got[0])))
		return "another result the second time";
	return NULL;
}

/* The input of the moment. */
static struct usdt_file file;

static int see(const struct usdt_probe *probe, void *priv)
{
	const char *end = (const char *)file.bytes + file.size;
	const char *p = probe->operands;

	if (probe->provider < (const char *)file.bytes ||
	    probe->name <= probe->provider || p <= probe->name)
		*(const char **)priv = "strings lie anywhere";
	while (p < end && *p)
		p++;
	if (p >= end)
		*(const char **)priv = "a string does not end";
	return 0;
}

static const char *judge_file(struct fuzz *fuzz, const struct usdt_made *made)
{
	const char *wrong = NULL;
	uint64_t address;

	file.size = made->used;
	if (!fuzz_less(fuzz, 8))
		file.size = fuzz_less(fuzz, made->used + 1);
	file.bytes = fuzz_copy(made->bytes, file.size);
	if (!usdt_notes_read(&file, see, &wrong, NULL))
		fuzz->accepted++;
	usdt_file_symbol(&file, "two", 3, &address);
	usdt_file_symbol(&file, "nowhere", 7, &address);
	free((void *)file.bytes);
	return wrong;
}

static void make_file(struct fuzz *fuzz, struct usdt_made *made)
{
	uint64_t words[3] = { fuzz_number(fuzz), fuzz_number(fuzz),
			      fuzz_number(fuzz) };
	uint8_t notes[1024];
	uint64_t n = 0;
	uint64_t count = fuzz_less(fuzz, 4);

	while (count--)
		n += usdt_note(notes + n, "stapsdt",
			       fuzz_less(fuzz, 8) ? 3 : 4, words,
			       "provider\0name\0" "8@%rax -4@two(%rip)", 34);
	usdt_make(made, notes, n);
	if (fuzz_less(fuzz, 4))
		fuzz_mutate(fuzz, made->bytes, made->used);
}

static void try_file(struct fuzz *fuzz)
{
	static struct usdt_made made;
	const char *wrong;

	make_file(fuzz, &made);
	wrong = judge_file(fuzz, &made);
	if (wrong)
		fuzz_fail(fuzz, wrong, made.bytes, made.used);
}

static void try_text(struct fuzz *fuzz)
{
	char text[TEXT_MAX + 1];
	const char *wrong;
	size_t bytes;
	char *exact;

	make_text(fuzz, text);
	bytes = strlen(text) + 1;
	exact = fuzz_copy(text, bytes);
	wrong = judge(fuzz, exact);
	free(exact);
	if (wrong)
		fuzz_fail(fuzz, wrong, text, bytes);
}

int main(int argc, char **argv)
{
	struct fuzz fuzz;

	fuzz_open(&fuzz, "usdt", argc, argv);
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		if (fuzz.done & 1)
			try_file(&fuzz);
		else
			try_text(&fuzz);
	}
	return fuzz_end(&fuzz, 300);
}
