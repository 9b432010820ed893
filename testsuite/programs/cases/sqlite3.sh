# SPDX-License-Identifier: LGPL-2.1-or-later
packages='sqlite3'
input=$work/program.sql
command=(sqlite3 database)

prepare()
{
	cat >program.sql <<-'END'
	pragma journal_mode = wal;
	create table t (a integer primary key, b text);
	with recursive c(x) as (select 1 union all select x + 1 from c
		where x < 400000) insert into t select x, 'row ' || x from c;
	create index i on t (b);
	select count(*), sum(length(b)), max(b) from t;
	select a from t where b like '%777%' order by b limit 50;
	delete from t where a % 3 = 0;
	vacuum;
	pragma integrity_check;
	select * from nothing;
	END
}
