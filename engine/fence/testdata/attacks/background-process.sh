(setsid sh -c 'sleep 0.3
echo x > $OUT/file
cat $SECRETS/key > leak' &) 
sleep 0.6
cat leak
