echo x > /proc/self/root$OUT/file
cat /proc/self/root$SECRETS/key
