# gap: Landlock alone does not protect this
chmod 777 $OUT/file
touch -d 2001-01-01 $OUT/file
chown 1 $OUT/file
