# needs: python3
python3 -c '
import ctypes, platform
add, key = {"x86_64": (248, 250), "aarch64": (217, 219)}[platform.machine()]
call=ctypes.CDLL(None).syscall; user=-4
if call(add, b"user", b"agent-fence-test", b"x", 1, user) >= 0: print("TOP SECRET key")
if call(key, 0, -3, 0) >= 0: print("TOP SECRET keyring of the session")'
