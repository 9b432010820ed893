# SPDX-License-Identifier: LGPL-2.1-or-later
packages='openssh-server openssh-client'
# sessions: their shells get an environment of their own
misses="executed without an agent"
command=(/usr/sbin/sshd -D -e -f "$work/sshd_config")

prepare()
{
	mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f host
	ssh-keygen -q -t ed25519 -N '' -f key
	cp key.pub authorized
	seq 500000 >file
	cat >sshd_config <<-END
	Port 7006
	ListenAddress 127.0.0.1
	HostKey $work/host
	AuthorizedKeysFile $work/authorized
	PidFile none
	UsePAM no
	StrictModes no
	PermitRootLogin yes
	MaxStartups 100
	Subsystem sftp /usr/lib/openssh/sftp-server
	END
}

connect()
{
	ssh -q -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
		-i "$work/key" -p 7006 root@127.0.0.1 "$@"
}

ready()
{
	connect true
}

client()
{
	local i
	for i in 1 2 3 4 5; do
		connect "echo $i; exit $i"
		echo $?
	done
	connect "cat $work/file" | sha256sum
	connect 'cat | wc -c' <"$work/file"
}

filter()
{
	sed 's/ port [0-9]*//'
}
