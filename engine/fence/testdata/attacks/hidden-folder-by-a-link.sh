ln -s $SECRETS s
cat s/key
ln -s $SECRETS/key k
cat k
ln $SECRETS/key h
cat h
