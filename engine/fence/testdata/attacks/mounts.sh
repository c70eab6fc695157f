mount -o remount,rw /
mount -o remount,rw,bind $OUT
mount --bind $OUT d
umount $SECRETS
echo x > $OUT/file
cat $SECRETS/key
