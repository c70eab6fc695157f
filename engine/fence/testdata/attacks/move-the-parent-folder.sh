# gap: Landlock alone does not protect this
mv .git g && mkdir .git && echo x > .git/config
rm -rf .git
cd ..
mv project p2
