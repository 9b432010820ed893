/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: files that the symboliser's child reads, and messages between
 * the child and the command.
 *
 * An input is a library of two tables of symbols, a marker and two USDT probes,
 * some bytes changed, in memory of exactly its size; or a request, an answer or
 * a record of any bytes. Each symbol that is found has a name, which ends, and
 * covers its address; the texts of each marker are in the file. An answer or a
 * record that passes has texts that end, and no more items than there is room
 * for.
 */
#include "testsuite/fuzz/fuzz.h"

#include "command/symboliser/serve-private.h"
#include "testsuite/unit/command/elf-made.h"

#define ADDRESSES	16
#define SYMBOLS		12

static const char names[] = "\0one\0_two\0__three\0puts@@GLIBC_2.2.5\0$d";

static void put_dynamic(struct fuzz *fuzz, struct elf_made *made)
{
	static const int64_t tags[] = { DT_NEEDED, DT_SONAME, DT_FLAGS_1 };
	Elf64_Dyn entries[4];
	uint64_t at;

	for (size_t i = 0; i < 4; i++)
		entries[i] = (Elf64_Dyn){
			.d_tag = tags[fuzz_less(fuzz, 3)],
			.d_un.d_val = fuzz_less(fuzz, sizeof(names)) };
	at = elf_add(made, entries, sizeof(entries));
	elf_segment(made, PT_DYNAMIC, at, sizeof(entries));
	elf_section(made, SHT_DYNAMIC, at, sizeof(entries),
		    sizeof(entries[0]))->sh_link = 1;
}

/* A marker that tests a flag, its note, and notes of USDT probes at the same
 * place and elsewhere. */
static void put_notes(struct fuzz *fuzz, struct elf_made *made)
{
	static const char texts[] = "channel\0name\0i\0file.c\0shown";
	struct taffrail_note note = { .flags_ = TAFFRAIL_SITE_FLAG_TESTED };
	struct {
		struct taffrail_site site;
		char texts[sizeof(texts)];
	} object = { .site = { .version_ = TAFFRAIL_SITE_VERSION,
			       .kind_ = 1 + (uint8_t)fuzz_less(fuzz, 4),
			       .nfields_ = (uint8_t)fuzz_less(fuzz, 4),
			       .text_bytes_ = sizeof(texts) } };
	struct {
		uint64_t words[3];
		char texts[sizeof("channel\0name\0-4@%eax")];
	} probe = { .texts = "channel\0name\0-4@%eax" };
	uint8_t bytes[256];
	uint64_t at, desc;
	size_t n = 0;

	memcpy(object.texts, texts, sizeof(texts));
	at = elf_add(made, &object, sizeof(object));
	desc = elf_bytes(made) + sizeof(Elf64_Nhdr) + 12;
	note.object_ = (int32_t)(at - desc) -
		       (int32_t)offsetof(struct taffrail_note, object_);
	note.code_ = (int32_t)(fuzz_less(fuzz, 64) - desc);
	n = elf_note(bytes, TAFFRAIL_NOTE_TYPE, "taffrail", &note,
		     sizeof(note));
	at = elf_add(made, bytes, n);
	elf_segment(made, PT_NOTE, at, n);
	n = 0;
	for (int i = 0; i < 2; i++) {
		probe.words[0] = fuzz_less(fuzz, 64);
		n += elf_note(bytes + n, 3, "stapsdt", &probe, sizeof(probe));
	}
	at = elf_add(made, bytes, n);
	elf_section(made, SHT_NOTE, at, n, 0);
}

static void make_file(struct fuzz *fuzz, struct elf_made *made)
{
	Elf64_Sym symbols[SYMBOLS];
	Elf64_Phdr *load;
	uint64_t at;

	elf_begin_file(made);
	at = elf_add(made, names, sizeof(names));
	elf_section(made, SHT_STRTAB, at, sizeof(names), 0);
	load = elf_segment(made, PT_LOAD, 0, 0x1000);
	load->p_flags = PF_R | PF_W | PF_X;
	elf_segment(made, PT_INTERP, at, sizeof(names));
	put_dynamic(fuzz, made);
	put_notes(fuzz, made);
	for (uint32_t table = 0; table < 2; table++) {
		for (size_t i = 0; i < SYMBOLS; i++)
			symbols[i] = (Elf64_Sym){
				.st_name = (uint32_t)fuzz_less(fuzz,
							       sizeof(names)),
				.st_info = (unsigned char)fuzz_less(fuzz, 35),
				.st_shndx = (uint16_t)fuzz_less(fuzz, 3),
				.st_value = fuzz_less(fuzz, 64),
				.st_size = fuzz_less(fuzz, 8),
			};
		at = elf_add(made, symbols, sizeof(symbols));
		elf_section(made, table ? SHT_DYNSYM : SHT_SYMTAB, at,
			    sizeof(symbols), sizeof(symbols[0]))->sh_link = 1;
	}
	load->p_filesz = load->p_memsz = elf_bytes(made);
}

static const char *symbol_judge(const struct symboliser_symbol *symbol,
			 uint64_t address)
{
	if (!symbol->rank)
		return NULL;
	if (!memchr(symbol->name, '\0', sizeof(symbol->name)))
		return "a name does not end";
	if (!*symbol->name || strchr(symbol->name + 1, '@'))
		return "no name, or a version";
	return symbol->before > address && address < 64 ?
		       "the symbol is behind the address" : NULL;
}

static const char *judge_module(const struct symboliser_module *module)
{
	const char *end = module->needed + sizeof(module->needed);

	return module->nsegments > SYMBOLISER_SEGMENTS_MAX ||
	       module->id_bytes > SYMBOLISER_ID_BYTES || end[-1] || end[-2] ||
	       !memchr(module->interpreter, '\0', SYMBOLISER_PATH_BYTES) ?
		       "a module is out of bounds" : NULL;
}

/* Returns whether all texts of a marker are in the image, and end there. */
static bool found_inside(const struct symboliser_found *found,
			 const char *image, size_t bytes)
{
	for (int i = 0; i < 4; i++) {
		const char *text = found->strings[i];

		if (*text && (text < image || text >= image + bytes ||
			      !memchr(text, '\0',
				      bytes - (size_t)(text - image))))
			return false;
	}
	return !found->shown_bytes ||
	       (found->shown > image &&
		found->shown + found->shown_bytes <= image + bytes);
}

static const char *try_markers(struct fuzz *fuzz, const char *image,
			       size_t bytes)
{
	struct symboliser_markers markers;
	const char *wrong = NULL;

	symboliser_read_markers(&markers, image, bytes, NULL,
				(uint32_t)fuzz_less(fuzz, 4));
	fuzz->accepted += markers.count > 0;
	for (size_t i = 0; i < markers.count && !wrong; i++)
		if (!found_inside(&markers.found[i], image, bytes))
			wrong = "a marker's text is outside";
	if (markers.verdict.error > 0 ||
	    (markers.verdict.error && !*markers.verdict.text))
		wrong = "an error without its reason";
	symboliser_free_markers(&markers);
	return wrong;
}

/* A record of any bytes. */
static const char *try_record(struct fuzz *fuzz)
{
	struct {
		struct symboliser_record record;
		char texts[32];
	} bytes = { .record = { .string_bytes = 24, .shown_bytes = 8 } };
	struct symboliser_found found;
	size_t n, room = sizeof(bytes) - fuzz_less(fuzz, 2);
	char *copy;

	for (size_t i = 0; i < sizeof(bytes.texts); i++)
		bytes.texts[i] = (char)fuzz_less(fuzz, 3);
	if (fuzz_less(fuzz, 3))
		bytes.texts[23] = '\0';
	if (!fuzz_less(fuzz, 3))
		fuzz_mutate(fuzz, (uint8_t *)&bytes, sizeof(bytes));
	copy = fuzz_copy(&bytes, room);
	n = symboliser_record_read(&found, copy, room);
	room = n > room || (n && !found_inside(&found, copy, n));
	free(copy);
	return room ? "a record passes" : NULL;
}

static const char *try_file(struct fuzz *fuzz, struct elf_made *input)
{
	struct symboliser_symbol found[2][ADDRESSES] = { 0 };
	struct symboliser_module module;
	uint64_t addresses[ADDRESSES], address;
	size_t bytes = elf_bytes(input);
	const char *wrong = NULL;
	char *image;

	make_file(fuzz, input);
	bytes = elf_bytes(input);
	if (fuzz_less(fuzz, 4))
		fuzz_mutate(fuzz, (uint8_t *)&input->file, bytes);
	if (!fuzz_less(fuzz, 8))
		bytes = fuzz_less(fuzz, bytes + 1);
	image = fuzz_copy(&input->file, bytes);
	for (uint64_t i = 0; i < ADDRESSES; i++)
		addresses[i] = i ? addresses[i - 1] + 1 + fuzz_less(fuzz, 5) :
				   fuzz_less(fuzz, 5);
	for (int time = 0; time < 2; time++) {
		Elf *elf = elf_memory(image, bytes);

		if (!symboliser_read_module(&module, image, bytes, elf))
			wrong = judge_module(&module);
		symboliser_find_names(found[time], addresses, ADDRESSES, elf);
		symboliser_find_address(&address, "two", elf);
		elf_end(elf);
	}
	if (!wrong)
		wrong = try_markers(fuzz, image, bytes);
	fuzz->accepted += found[0][0].rank || found[0][1].rank;
	for (size_t i = 0; i < ADDRESSES && !wrong; i++)
		wrong = symbol_judge(&found[0][i], addresses[i]);
	if (memcmp(found[0], found[1], sizeof(found[0])))
		wrong = "another result the second time";
	free(image);
	return wrong;
}

static uint32_t small(struct fuzz *fuzz)
{
	return (uint32_t)(fuzz_less(fuzz, 8) ? fuzz_less(fuzz, 6) :
					       fuzz_number(fuzz));
}

static const char *try_answer(struct fuzz *fuzz)
{
	static struct symboliser_answer answer;
	static const size_t items[] = {
		[ASK_MODULE] = sizeof(answer.module),
		[ASK_NAMES] = sizeof(answer.symbols[0]),
		[ASK_LINES] = sizeof(answer.frames[0]),
		[ASK_ADDRESS] = sizeof(answer.address),
		[ASK_CXX] = sizeof(answer.text),
		[ASK_MARKERS] = 1,
	};
	uint32_t what = 1 + (uint32_t)fuzz_less(fuzz, ASK_MARKERS);
	size_t n = ANSWER_HEAD, item = items[what];

	memset(&answer, (int)fuzz_less(fuzz, 3), sizeof(answer));
	answer.error = fuzz_less(fuzz, 3) ? 0 : (int32_t)fuzz_number(fuzz);
	answer.what = fuzz_less(fuzz, 4) ? what : small(fuzz);
	answer.count = small(fuzz);
	answer.last = small(fuzz);
	answer.module.nsegments = small(fuzz);
	if (answer.count <= SYMBOLISER_ITEMS_MAX)
		n += answer.count * item;
	if (!fuzz_less(fuzz, 4))
		n = fuzz_less(fuzz, sizeof(answer));
	if (n > sizeof(answer))
		n = sizeof(answer);
	fuzz_mutate(fuzz, (uint8_t *)&answer.module, 64);
	if (!symboliser_answer_valid(&answer, n, what))
		return NULL;
	if (answer.what != what ||
	    answer.count > (what == ASK_MARKERS ? SYMBOLISER_BYTES_MAX :
						  SYMBOLISER_ITEMS_MAX) ||
	    n != ANSWER_HEAD + answer.count * item ||
	    (what == ASK_MODULE && answer.count &&
	     answer.module.nsegments > SYMBOLISER_SEGMENTS_MAX))
		return "an answer passes";
	for (uint32_t i = 0; what == ASK_NAMES && i < answer.count; i++)
		if (strnlen(answer.symbols[i].name, SYMBOLISER_NAME_BYTES) ==
		    SYMBOLISER_NAME_BYTES)
			return "an answer's name does not end";
	return NULL;
}

static const char *try_request(struct fuzz *fuzz)
{
	static struct symboliser_request request;
	uint32_t what = small(fuzz);
	size_t n = fuzz_less(fuzz, 2) ? REQUEST_HEAD + 8 * fuzz_less(fuzz, 6) :
					fuzz_less(fuzz, sizeof(request));

	request.what = what;
	request.count = small(fuzz);
	request.ms = small(fuzz);
	for (size_t i = 0; i < 6; i++)
		request.addresses[i] = fuzz_number(fuzz);
	if (!symboliser_request_valid(&request, n, what != ASK_CXX))
		return NULL;
	if (symboliser_request_valid(&request, n, what == ASK_CXX))
		return "a request passes with and without a file";
	if (what == ASK_CXX ? !memchr(request.name, '\0', request.count) :
	    request.count > SYMBOLISER_ADDRESSES_MAX)
		return "a request passes";
	return NULL;
}

int main(int argc, char **argv)
{
	static struct elf_made made;
	struct fuzz fuzz;

	fuzz_open(&fuzz, "symbols", argc, argv);
	elf_version(EV_CURRENT);
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		const char *wrong = try_file(&fuzz, &made);

		if (wrong)
			fuzz_fail(&fuzz, wrong, &made.file, elf_bytes(&made));
		wrong = try_answer(&fuzz);
		wrong = wrong ? wrong : try_request(&fuzz);
		wrong = wrong ? wrong : try_record(&fuzz);
		if (wrong)
			fuzz_fail(&fuzz, wrong, "", 0);
	}
	return fuzz_end(&fuzz, 100);
}
