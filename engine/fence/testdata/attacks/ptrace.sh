# needs: python3
python3 -c '
import ctypes, os
libc=ctypes.CDLL(None, use_errno=True); pid=int(os.environ["AGENT"])
if libc.ptrace(16, pid, 0, 0) == 0: print("TOP SECRET attached")'
