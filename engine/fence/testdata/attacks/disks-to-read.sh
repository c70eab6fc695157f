for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem
do head -c 512 $d > /dev/null && echo "TOP SECRET disk"
done
