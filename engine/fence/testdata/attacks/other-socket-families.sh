# needs: python3
python3 -c '
import socket
for kind, type in (40, socket.SOCK_STREAM), (30, socket.SOCK_RDM), (42, socket.SOCK_DGRAM):
  try:
    socket.socket(kind, type); print("TOP SECRET socket", kind)
  except OSError: pass'
