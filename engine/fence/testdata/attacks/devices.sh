# consoles with what the user types and sees, the log of the kernel, keyboards
for d in /dev/kmsg /dev/tty0 /dev/tty1 /dev/vcs /dev/input/event0 /dev/hidraw0
do [ -e $d ] && timeout 1 head -c 1 $d > /dev/null 2>&1 && echo "TOP SECRET device $d"
done
for d in /dev/tty0 /dev/tty1 /dev/console /dev/kmsg
do (echo x > $d) 2>/dev/null && echo "TOP SECRET device $d"
done
