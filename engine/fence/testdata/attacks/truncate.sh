truncate -s 0 $OUT/file
: > $OUT/file
perl -e 'truncate("$ENV{OUT}/file", 0)'
