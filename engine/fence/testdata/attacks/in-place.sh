sed -i s/o/x/ $OUT/file
perl -pi -e s/o/x/ $OUT/file
