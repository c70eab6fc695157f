chroot / sh -c 'echo x > $OUT/file'
