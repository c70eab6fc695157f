cat $SECRETS/key
cd $SECRETS && cat key
ls -R $SECRETS | xargs cat
cp -r $SECRETS s
cat s/key
tar -c $SECRETS
