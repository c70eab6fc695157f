mv $SECRETS s
cat s/key
mv $(dirname $SECRETS) t
cat t/*/key
