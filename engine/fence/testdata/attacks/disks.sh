# needs: python3
for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmem; do [ -e $d ] && python3 -c '
import os, sys
os.close(os.open(sys.argv[1], os.O_WRONLY)); print("TOP SECRET disk")' $d; done
