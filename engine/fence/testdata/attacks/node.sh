mkfifo $OUT/fifo
mknod $OUT/dev c 1 3
mkdir $OUT/dir
ln -s x $OUT/link
