# needs: python3
# gap: Landlock has no rights for sockets
python3 -c '
import os, socket
s=socket.socket(socket.AF_UNIX); s.connect(os.environ["SOCKET"]); print(s.recv(100).decode())'
