ln -s $OUT l
echo x > l/file
echo x > l/new
