# SPDX-License-Identifier: LGPL-2.1-or-later
packages='mariadb-server mariadb-client'
varies=threads	# its pool
command=(mariadbd --no-defaults "--datadir=$work/data" "--socket=$work/sock"
	--skip-networking --user=root --innodb-buffer-pool-size=32M)

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

client()
{
	local i
	sql -e 'drop database if exists d; create database d; create table
		d.t (a int primary key, b varchar(50)) engine=innodb'
	for i in 1 2 3; do
		seq -f "insert into t values ($i%06.0f, 'row %.0f');" 200 |
			sql d &
	done
	wait
	sql d -e 'select count(*), sum(a), max(b) from t; create index x on t(b);
		select * from t where b like "row 3%" order by a' | sha256sum
}
