/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shells' scripts. Each asks `taffrail completion --words` for proposals at
 * the cursor. A line ":files", ":directories", ":programs" or ":groups" in the
 * answer means that the shell adds files, directories and so on itself.
 *
 * The program behind a "--" that follows the cursor is given as --program.
 *
 * Invariant: a script calls the taffrail that is being typed, not the one in
 * PATH: both may be of different versions.
 */
#include "command/completion/private.h"

#include <string.h>

/* bash splits words at "=" and ":"; an empty word stands for the value after a
 * "=" that ends the line. The script joins words at ":", and cuts what bash does
 * not take for a part of the word from the proposals: the text before the last
 * ":", and the description behind the tab. */
static const char bash_script[] =
	"# bash completion of taffrail\n"
	"_taffrail()\n"
	"{\n"
	"	local line word=${COMP_WORDS[COMP_CWORD]} tab=$'\\t' action=\n"
	"	local i cut= words=() program=()\n"
	"	for ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"		if [[ ${#words[@]} != 0 &&\n"
	"			( ${COMP_WORDS[i]} == : || ${words[-1]} == *: ) ]]\n"
	"		then\n"
	"			words[-1]+=${COMP_WORDS[i]}\n"
	"		else\n"
	"			words+=(\"${COMP_WORDS[i]}\")\n"
	"		fi\n"
	"	done\n"
	"	for ((; i + 1 < ${#COMP_WORDS[@]}; i++)); do\n"
	"		[[ ${COMP_WORDS[i]} != -- ]] ||\n"
	"			program=(--program \"${COMP_WORDS[i + 1]}\")\n"
	"		[[ ${COMP_WORDS[i]} != -- ]] || break\n"
	"	done\n"
	"	[[ ${words[-1]} == \"$word\" ]] || cut=${words[-1]%\"${word#:}\"}\n"
	"	[[ $word != [=:] ]] || word=\n"
	"	COMPREPLY=()\n"
	"	while IFS= read -r line; do\n"
	"		case $line in\n"
	"		:files) action=file ;;\n"
	"		:directories) action=directory ;;\n"
	"		:programs) action=command ;;\n"
	"		:groups) action=group ;;\n"
	"		*) line=${line%%\"$tab\"*}\n"
	"			COMPREPLY+=(\"${line#\"$cut\"}\"); continue ;;\n"
	"		esac\n"
	"		compopt -o filenames 2>/dev/null\n"
	"		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(\n"
	"			compgen -A \"$action\" -- \"$word\")\n"
	"	done < <(\"$1\" completion --words \"${program[@]}\" -- \\\n"
	"		\"${words[@]}\" 2>/dev/null)\n"
	"}\n"
	"complete -F _taffrail taffrail\n";

/* zsh takes a colon for the beginning of the description, so one in a word is
 * quoted. The file works in $fpath as well as by `source`. */
static const char zsh_script[] =
	"#compdef taffrail\n"
	"_taffrail()\n"
	"{\n"
	"	local line tab=$'\\t'\n"
	"	local -a found behind program\n"
	"	behind=(\"${(@Q)words[CURRENT+1,-1]}\")\n"
	"	local -i at=${behind[(ie)--]}\n"
	"	(( at >= $#behind )) || program=(--program $behind[at+1])\n"
	"	for line in ${(f)\"$(${(Q)words[1]} completion --words $program -- \\\n"
	"		\"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
	"		case $line in\n"
	"		:files) _files ;;\n"
	"		:directories) _files -/ ;;\n"
	"		:programs) _command_names -e ;;\n"
	"		:groups) _groups ;;\n"
	"		*$tab*) found+=(\"${${line%%$tab*}//:/\\\\:}"
	":${line#*$tab}\") ;;\n"
	"		*) found+=(\"${line//:/\\\\:}\") ;;\n"
	"		esac\n"
	"	done\n"
	"	(( ! $#found )) || _describe taffrail found\n"
	"}\n"
	"if [[ $funcstack[1] = _taffrail ]]; then\n"
	"	_taffrail \"$@\"\n"
	"elif (( $+functions[compdef] )); then\n"
	"	compdef _taffrail taffrail\n"
	"fi\n";

/* fish takes lines with a tab as they are. */
static const char fish_script[] =
	"# fish completion of taffrail\n"
	"function __taffrail_words\n"
	"	set -l words (commandline -opc)\n"
	"	set -l word (commandline -ct)\n"
	"	set -l all (commandline -op)\n"
	"	set -l behind $all[(math (count $words) + 1)..-1]\n"
	"	set -l program\n"
	"	if set -l at (contains -i -- -- $behind)\n"
	"		set -l next $behind[(math $at + 1)..-1]\n"
	"		set -q next[1]; and set program --program $next[1]\n"
	"	end\n"
	"	for line in ($words[1] completion --words $program -- $words[2..-1] "
	"\"$word\" 2>/dev/null)\n"
	"		switch $line\n"
	"		case :files\n"
	"			__fish_complete_path \"$word\"\n"
	"		case :directories\n"
	"			__fish_complete_directories \"$word\"\n"
	"		case :programs\n"
	"			__fish_complete_command\n"
	"		case :groups\n"
	"			__fish_complete_groups\n"
	"		case '*'\n"
	"			echo $line\n"
	"		end\n"
	"	end\n"
	"end\n"
	"complete -c taffrail -f -a '(__taffrail_words)'\n";

/* A shell a row; a NULL shell ends the table. */
static const struct {
	const char *shell;
	const char *script;
} scripts[] = {
	{ "bash", bash_script },
	{ "zsh", zsh_script },
	{ "fish", fish_script },
	{ NULL, NULL }
};

const char *completion_script(const char *shell)
{
	for (int i = 0; scripts[i].shell; i++)
		if (!strcmp(scripts[i].shell, shell))
			return scripts[i].script;
	return NULL;
}

void propose_shells(const struct proposal *p)
{
	for (int i = 0; scripts[i].shell; i++)
		propose(p, scripts[i].shell, NULL);
}
