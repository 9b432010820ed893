# SPDX-License-Identifier: LGPL-2.1-or-later
packages='perl'
command=(perl -e '
	use strict;
	my (%seen, $sum);
	for my $i (1 .. 1500000) { $seen{$i % 1000} += $i; }
	$sum += $seen{$_} for sort keys %seen;
	print "$sum\n";
	for my $i (1 .. 30) {
		my $pid = fork;
		exit $i if !$pid;
		waitpid $pid, 0;
		print $? >> 8, "\n";
	}
	print `echo from a shell`;
	local $SIG{ALRM} = sub { print "alarm\n" };
	alarm 1; select undef, undef, undef, 5;
	die "dies\n"')
