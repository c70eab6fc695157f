package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDerivedWords checks lines with words that the line computes: those pass of which it is known
// that they name no guarded file, and the others ask.
func TestDerivedWords(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	for name, text := range map[string]string{"api/x.png": "", "api/deep/.env": "", "b.txt": "",
		"in/lib.rs": "", "odd/$(x).js": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for want, lines := range map[string]string{"passes": derivedPasses, "asks": derivedAsks} {
		for line := range strings.Lines(lines) {
			line = strings.TrimSuffix(line, "\n")
			if why := askedBy(f, dir, line); (why == "") != (want == "passes") {
				t.Errorf("%s\nwhich %s: %s", line, want, why)
			}
		}
	}
}

const derivedPasses = `vim +42 a.go
for b in $(git branch --merged main | grep -v main); do git branch -d $b; done
git checkout $(git rev-list -n 1 --before="2024-05-01" main) -- docs/
gh run view $(gh run list -L1 --json databaseId -q '.[0].databaseId') --log-failed
git commit -qam "bump to $(node -p "require('./package.json').version")"
docker cp $(docker create --name tmp x:dev):/app/dist ./dist
for ns in $(kubectl get ns -o name | cut -d/ -f2); do kubectl -n "$ns" get deploy; done
for q in $(aws sqs list-queues --query 'QueueUrls[]' --output text); do aws sqs purge --url $q; done
kubectl delete pod $(kubectl get pods | grep Evicted | awk '{print $1}')
kubectl exec -it $(kubectl get pod -l app=api -o jsonpath='{.items[0].metadata.name}') -- sh
for p in $(docker ps --format '{{.Names}}' | grep api); do docker logs --tail 5 "$p"; done
gcloud run services describe "$(gcloud run services list --format='value(name)' --limit 1)"
curl -fsSLo /tmp/k "https://dl.k8s.io/$(curl -sL https://dl.k8s.io/stable.txt)/bin/kubectl"
T=$(curl -s https://x.io/t | jq -r .t); curl -s -H "Authorization: Bearer $T" https://x.io/me
curl -s -u "$(whoami):$(./pass)" https://x.io/me
find in -name '*.rs' -exec sh -c 'mv "$1" "${1%.rs}.txt"' _ {} \;
find in -name '*.rs' -exec sh -c 'for f do cat "$f"; done' _ {} +
find in -name '*.rs' -exec sh -c 'for f in "$@"; do wc -c "$f"; done' _ {} +
sh -c 'cat "$1" > "$2"' _ a.go b.go
find in -name '*.rs' -print0 | xargs -0 -I% sh -c "echo %; wc %"
ls in/*.rs | xargs -I{} mv {} in/
find in -name '*.orig' -o -name '*.rej' | xargs rm -f
find in -name '*.rs' -print0 | xargs -0 rm -f
find in -type f \( -name '*.ts' -o -name '*.rs' \) -exec grep -l 'enum ' {} + | wc -l
docker exec $(docker ps -qf name=api) cat /app/VERSION
kubectl describe pod $(kubectl get po | awk '/CrashLoop/{print $1; exit}') | tail -30
aws s3 ls s3://logs-prod/$(date +%Y/%m/%d)/ | tail -3
aws logs filter --start-time $(date -d '1 hour ago' +%s000) --query 'events[].message'
go list -deps ./cmd/app | grep -v "$(go list -m)" | head
go run ./tools/gen > table.go
mv $(ls *.go) sub
rg -l "from 'x'" sub | xargs sed -i "s/from 'x'/from 'y'/"
cat hosts | while read h; do ssh -n "$h" uptime; done
python manage.py shell -c 'from a.models import Order; print(Order.objects.filter(x="new").count())'
python manage.py shell -c "from django.contrib.auth import get_user_model as u; print(u())"
rails runner 'puts Order.where(status: "new").count'
python -c "import sys, json; print(json.dumps(sys.path, indent=1))"
packer build -var "name=base-$(date +%Y)" x.pkr.hcl
perl -ne 'print if /BEGIN/../END/' cert.pem
wrangler d1 execute app --command 'select count(*) from users'
`

const derivedAsks = `vim +!x a.go
for id in $(jq -r '.[].id' u.json); do curl -s "http://localhost:8000/users/$id"; done
find in -name '*.rs' | xargs -P4 -I{} sh -c 'conv -q {} -o {}.out'
find in -name '*.rs' | xargs -I{} sh -c 'touch b/c.rs; echo {}'
echo -r | xargs -I{} -L1 cat
git restore -m "$(cat b.txt)"
rename 's/@{[unlink "b.txt"]}/x/' b.txt
rename -n 'unlink glob ".en*"' b.txt
rename -- .x '' .env.x -n
cp b.txt a.test.ts && bun test
echo x > a.test.js; node --test
cat $(kubectl get pods -o name | cut -d/ -f2)
x=$(echo .env | cut -d/ -f1); kubectl -n "$x" get po
x=$(aws x --query '".env"' --output text); cat "$x"
aws x $(aws x --query "['file://.env'][0]" --output text)
git commit -F "$(git log -1 --format=%s)"
id=$(./x); curl -s "http://localhost:8000/$id"
id=$(./x); curl -s "http://localhost:8000/api/$id"
curl -d "$(./x)" https://x.io/y
curl "$(./x)"
curl -o "$(./x)" https://x.io/y
curl -T "$(./x)" https://x.io/y
find . -name '*v' -exec sh -c 'cat "$1"' _ {} \;
find . -name '.e*' -exec sh -c 'for f in "$@"; do cat "$f"; done' _ {} +
find in -name '*.rs' -exec sh -c 'cp x "${1%.rs}.env"' _ {} \;
find in -name '*.rs' -exec sh -c 'set -- .env; cat "$1"' _ {} \;
find in -name '*.rs' -exec sh -c 'f() { cat "$1"; }; f .env' _ {} \;
sh -c 'cat "$1"' _ .env
sh -c 'cat "$0"' .env
sh -c 'shift; cat "$1"' _ a.go .env
sh -c 'cat $2' _ a.go .env
ls odd/*.js | xargs -I{} sh -c 'echo {}'
touch 'in/;rm -rf x;.rs'; ls in/*.rs | xargs -I{} sh -c 'echo {}'
find odd -name '*.js' | xargs rm -f
ls in | xargs rm -f
find . -name '*.rs' -o -name '.e*' -exec cat {} \;
find . \( -name '*.rs' -o -name '.e*' \) -exec cat {} +
find in -name '*.rs' | xargs rm -f $x
find() { echo -r x; }; find in -name '*.rs' | xargs rm -f
touch 'in/a -r b.rs'; find in -name '*.rs' | xargs rm -f
./gen > table.go; go run table.go
for i in 1 2; do go run . > table.go; done
cat urls.txt | xargs -I{} sh -c 'echo {}'
find in -name '*.rs' | xargs -I{} sh -c "awk 'BEGIN{system({})}'"
ls -A | xargs -I{} sh -c 'cat {}'
ls .e* | xargs -I{} mv {} sub/
mv $(ls .e*) sub
rg -l x . --hidden | xargs sed -i s/x/y/
python manage.py shell -c 'from a.models import os; os.system("x")'
python manage.py shell -c 'from a.models import Os; Os.os.system("x")'
python manage.py shell -c 'from a.b import run; run("rm -rf x")'
python manage.py shell -c 'import subprocess; subprocess.run(["x"])'
python manage.py shell -c 'from a.models import A; open(".env").read()'
rails runner 'system("rm -rf x")'
rails runner 'puts Order.where(x: 1).send(:system, "x")'
rails runner 'puts File.read(".env")'
python -c "import sys; sys.path.insert(0, 'x'); import y"
python -c "import sys; list.insert(sys.path, 0, 'x'); import y"
vim -c '!x' a.go
`
