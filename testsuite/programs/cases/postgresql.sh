# SPDX-License-Identifier: LGPL-2.1-or-later
packages='postgresql-15'
as=postgres
bin=/usr/lib/postgresql/15/bin
rules=('postgresql/*')
command=("$bin/postgres" -D "$work/data" -k "$work" -c listen_addresses=
	-c autovacuum=off)

prepare()
{
	setpriv --reuid=postgres --regid=postgres --clear-groups \
		$bin/initdb -D "$work/data" -A trust
}

sql()
{
	setpriv --reuid=postgres --regid=postgres --clear-groups \
		"${@:-psql}" -h "$work" -U postgres
}

ready()
{
	echo 'select 1' | sql psql -q
}

client()
{
	sql $bin/pgbench -i -q -s 2 >/dev/null 2>&1
	sql $bin/pgbench -n -c 4 -t 60 postgres 2>&1 |
		grep -E 'actually processed|failed'
	echo 'select sum(abalance) = (select sum(delta) from pgbench_history)
		from pgbench_accounts; select count(*) from pgbench_history' |
		sql psql -qt
}

stop()
{
	kill -INT "$pid_program"
}
