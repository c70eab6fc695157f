# needs: python3
python3 -c '
import os, socket
s=socket.socket(socket.AF_UNIX); s.connect("\0"+os.environ["ABSTRACT"]); print(s.recv(100).decode())'
