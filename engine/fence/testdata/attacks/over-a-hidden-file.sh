# gap: Landlock alone does not protect this
rm -f .env
echo new > n
mv -f n .env
rm -rf sub
