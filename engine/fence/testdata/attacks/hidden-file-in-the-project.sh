# gap: Landlock alone does not protect this
cat .env; cp .env e; cat e; ln .env h; cat h; mv .env m; cat m; head -c 99 < .env; python3 -c 'print(open(".env").read())'
