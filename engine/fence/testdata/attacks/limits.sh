# needs: prlimit
prlimit --pid $AGENT --fsize=0 && echo "TOP SECRET limits of another process"
prlimit --pid $PPID --fsize=0 && echo "TOP SECRET limits of the agent"
