# needs: python3
python3 -c '
import os
try: os.setuid(0)
except OSError: pass
open(os.environ["OUT"]+"/file","w").write("x")'
