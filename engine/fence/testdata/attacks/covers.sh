# gap: Landlock alone does not protect this
umount .env
umount -l .env
umount -l .git/config
cat .env
echo x > .git/config
