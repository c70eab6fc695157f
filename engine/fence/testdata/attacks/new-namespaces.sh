# needs: unshare
for kind in U m Um Un Uip Uu UC
do unshare -$kind true && echo "TOP SECRET namespace $kind"
done
unshare -U -m --propagation unchanged setsid -f sh -c 'echo "TOP SECRET: it has a namespace that the agent does not know"'
python3 -c '
import ctypes, platform
clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
call=ctypes.CDLL(None).syscall; signal=17
for flags in 0x20000, 0x10000000:
  if call(clone, flags | signal, 0, 0, 0, 0) >= 0: print("TOP SECRET clone")
args=(ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, signal)
if call(435, args, 88) >= 0: print("TOP SECRET clone3")'
