cat /dev/mqueue/* && echo "TOP SECRET queue"
