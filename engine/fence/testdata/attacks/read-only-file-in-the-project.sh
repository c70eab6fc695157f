# gap: Landlock alone does not protect this
echo x > .git/config
echo x > n
mv -f n .git/config
rm -f .git/config
sed -i s/o/x/ .git/config
truncate -s0 .git/config
chmod 777 .git/config
