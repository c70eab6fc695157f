cd /proc/$AGENT/cwd && echo x > $OUT/file
echo x > /proc/$AGENT/cwd/escaped
