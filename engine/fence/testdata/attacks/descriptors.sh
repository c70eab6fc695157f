cat /proc/$AGENT/fd/5
echo x >> /proc/$AGENT/fd/6
for f in /proc/self/fd/*
do echo x > $f/../out/file
done
