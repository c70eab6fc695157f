# needs: python3
python3 -c '
import ctypes
if ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(200)) >= 0:
  print("TOP SECRET io_uring")'
