# needs: nsenter
nsenter -t $AGENT -m -U sh -c 'echo x > $OUT/file
cat $SECRETS/key'
