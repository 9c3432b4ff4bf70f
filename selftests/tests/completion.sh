# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Completion of the command line in bash, by its function. To be sourced after tap.sh.
# shellcheck shell=bash

# shellcheck source=ulib/system/bash-completion
. "$top/ulib/system/bash-completion"
# It is called by this test, not by readline
compopt() { :; }

# complete_words WORD...: candidates for the last word
complete_words()
{
	COMP_WORDS=(rdmaev "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_rdmaev
	echo "${COMPREPLY[*]}"
}
