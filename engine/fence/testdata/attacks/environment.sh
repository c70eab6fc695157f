tr '\0' '\n' < /proc/$AGENT/environ
cat /proc/$PPID/environ /proc/*/environ
