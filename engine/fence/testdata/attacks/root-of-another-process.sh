echo x > /proc/$AGENT/root$OUT/file
echo x > /proc/$PPID/root$OUT/file
echo x > /proc/1/root$OUT/file
cat /proc/$AGENT/root$SECRETS/key
