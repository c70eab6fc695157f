mknod null b 1 3 && echo made
[ -e null ] && echo x > $OUT/file
