echo x > $OUT/file
echo x >> $OUT/new
