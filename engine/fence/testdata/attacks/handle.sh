# needs: python3
python3 -c '
import ctypes, os
libc=ctypes.CDLL(None, use_errno=True)
h=ctypes.create_string_buffer(136); ctypes.c_uint.from_buffer(h).value=128; m=ctypes.c_int()
if libc.name_to_handle_at(-100, (os.environ["OUT"]+"/file").encode(), h, ctypes.byref(m), 0) == 0:
  fd=libc.open_by_handle_at(os.open(".", 0), h, 1)
  if fd >= 0: os.write(fd, b"x")'
