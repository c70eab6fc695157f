# needs: python3
python3 -c '
import os; f=open("/proc/%s/mem" % os.environ["AGENT"],"r+b"); print("opened")
os.remove(os.environ["OUT"]+"/file")'; head -c 1 /proc/$AGENT/mem
