# The terminal of another program: what is typed there is read, and text is put there.
(timeout 1 head -c 10 <$TERMINAL) 2>&1
echo changed >$TERMINAL
timeout 1 setsid sh -c 'head -c 10 <$TERMINAL; echo changed >$TERMINAL'
timeout 1 setsid python3 -c '
import fcntl, os, termios
f = os.open(os.environ["TERMINAL"], os.O_RDWR)
for c in b"changed":
    fcntl.ioctl(f, termios.TIOCSTI, bytes([c]))
' 2>&1
