# SPDX-License-Identifier: LGPL-2.1-or-later
packages='tmux'
target='tmux: server'
# shellcheck disable=SC2016
command=(bash -c '
	export TERM=screen
	tmux="tmux -S $PWD/socket -f /dev/null"
	$tmux new-session -d -x 80 -y 24 "seq 1000; echo end; sleep 100"
	$tmux split-window "bash --norc -c \"for i in {1..9}; do echo \\\$i; done; sleep 100\""
	$tmux set -g status off
	sleep 2
	$tmux capture-pane -p -t 0
	$tmux capture-pane -p -t 1
	$tmux list-panes -F "#{pane_index} #{pane_width} #{pane_height}"
	$tmux kill-server')
