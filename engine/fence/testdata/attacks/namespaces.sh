# needs: unshare
unshare -Urm sh -c 'mount -o remount,rw / 
umount $SECRETS
echo x > $OUT/file
cat $SECRETS/key'
