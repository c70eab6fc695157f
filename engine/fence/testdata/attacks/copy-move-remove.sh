echo x > f
cp f $OUT/file
mv f $OUT/new
rm -rf $OUT
