# SPDX-License-Identifier: LGPL-2.1-or-later
packages='sysbench mariadb-server mariadb-client'
varies=threads	# its pool
remark='version of sysbench; the server has the trace'
command=(mariadbd --no-defaults "--datadir=$work/data" "--socket=$work/sock"
	--skip-networking --user=root --innodb-buffer-pool-size=64M
	--innodb-flush-log-at-trx-commit=2)

prepare()
{
	mariadb-install-db --no-defaults --datadir="$work/data" --user=root \
		--skip-test-db --auth-root-authentication-method=normal
}

sql()
{
	mariadb --no-defaults --socket="$work/sock" -u root "$@"
}

ready()
{
	sql -e 'select 1'
}

# bench THREADS EVENTS COMMAND OPTION...: what of its answer does not depend on time.
bench()
{
	sysbench oltp_read_write --db-driver=mysql "--mysql-socket=$work/sock" \
		--mysql-user=root --mysql-db=d --tables=4 --rand-seed=7 \
		--table-size=2000 --time=0 "--threads=$1" "--events=$2" "${@:3}" |
		sed -n '/transactions:\|total number of events\|reconnects:/s/ (.*//p
			/FATAL\|error:/p'
}

# The rows are not those of `prepare`, which differ in spite of the seed. With one
# thread the tables then are the same after each run; with four, their keys are.
client()
{
	local threads events table
	for threads in 1 4; do
		events=$((threads * 200))
		sql -e 'drop database if exists d; create database d'
		bench 1 0 prepare --table-size=0
		for table in 1 2 3 4; do
			sql d -e "insert into sbtest$table select seq,
				seq * 7919 % 2000 + 1, repeat(sha1(seq), 2),
				sha1(-seq) from seq_1_to_2000"
		done
		bench $threads $events run
		sql d -e 'check table sbtest1, sbtest2, sbtest3, sbtest4'
		test $threads -ne 1 || sql d -e \
			'checksum table sbtest1, sbtest2, sbtest3, sbtest4'
		for table in 1 2 3 4; do
			sql d -Ne "select count(*), sum(id) from sbtest$table"
		done
	done
}
