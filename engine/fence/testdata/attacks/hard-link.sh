ln $OUT/file hard && echo x > hard; python3 -c '
import os; os.link(os.environ["OUT"]+"/file", "h2"); open("h2","w").write("x")'
