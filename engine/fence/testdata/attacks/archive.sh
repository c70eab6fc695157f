# needs: tar
mkdir d
echo x > d/file
tar -cf t d/file
tar -xf t -C $OUT --strip-components=1
