mkdir d
mv d $OUT/d
mv $OUT $OUT.old
