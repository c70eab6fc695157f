/proc/self/exe
"$SELF" agent-fence -- /bin/sh sh -c 'echo x > $OUT/file
cat $SECRETS/key'
"$SELF" agent-fence writable:/ -- /bin/sh sh -c 'echo x > $OUT/file'
