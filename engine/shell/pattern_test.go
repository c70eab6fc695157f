package shell

import (
	"slices"
	"strings"
	"testing"
)

// TestCommandPatterns tests rules as users write them, each with command lines after their expected
// result: d is denied, k asks, - passes.
func TestCommandPatterns(t *testing.T) {
	t.Parallel()
	for pattern, lines := range map[string]string{
		"rm -r *": "d rm -r x⏎d rm -fr x⏎d rm -rf x⏎d rm --recursive x⏎d rm --rec x⏎d rm -r -f " +
			"x⏎d rm -f -R x y⏎d rm x -r⏎d sudo rm -r x⏎d sudo -u a rm -fr x⏎d sh -c 'rm -fr x'⏎d " +
			"/bin/rm -rf x⏎d env A=b rm -rf x|" +
			"d find . -exec rm -rf {} +⏎d echo x | xargs rm -fr⏎k rm $x⏎k rm -$x y⏎k \"$x\"⏎k rm " +
			"* -f⏎- rm x⏎- rm -f x⏎- git rm -r x",
		"rm -rf build": "d rm -fr build⏎d rm -r -f ./build⏎d rm -rf -v build/⏎- rm " +
			"-rf dist⏎- rm -r build⏎- rm -rf build dist⏎k rm -rf $X⏎k rm -rf b*⏎- rm " +
			"-rf *.o⏎k rm -rf [!a]uild⏎k rm -rf b[[:alpha:]]ild⏎k rm -rf ['!'b]uild⏎k rm -rf " +
			"./b*⏎k rm -rf b*/⏎- rm -rf [!b]uild",
		"git push *": "d git push⏎d git push -f origin main⏎d git -C /x push⏎d " +
			"git --no-pager push⏎d git-push x⏎k git $x⏎k git pish⏎- git pull⏎- git commit -m push",
		"git push": "d git push⏎d sudo git push⏎- git push origin⏎d git push -f",
		"git push --force *": "d git push -f⏎d git push origin +main⏎d git push --forc " +
			"origin⏎- git push origin main⏎k git push $A",
		"git push * main": "d git push origin main⏎d git push -u origin main⏎d git " +
			"push origin HEAD:main⏎- git push origin dev⏎k git push origin $B⏎k git push $B",
		"git * push": "d git push⏎d git a push⏎- git status",
		"* --no-verify *": "d git commit --no-verify -m x⏎d x --no-verify⏎- git " +
			"commit -m x",
		"curl -X POST *": "d curl -X POST a⏎d curl -XPOST a⏎d curl --request=POST " +
			"a⏎d curl -s --request POST a⏎- curl -X GET a⏎- curl a⏎k curl -X $M a",
		"curl *evil.com*": "d curl evil.com/x⏎d curl -s http://a http://evil.com/y⏎- " +
			"curl good.com",
		"docker run -v *:/host *": "d docker run -v /a:/host x⏎- docker run x",
		"kubectl delete *": "d kubectl -n x delete pod y⏎d kubectl delete pod⏎- " +
			"kubectl get pod",
		"find * -delete":             "d find . -name x -delete⏎d find -delete⏎- find . -name x",
		"find * -delete *":           "d find . -delete -print⏎- find . -print",
		"npm publish *":              "d npm publish⏎d npm --tag x publish⏎- npm run publish2",
		"./deploy.sh *":              "d ./deploy.sh prod⏎d bash -c './deploy.sh x'⏎- ./build.sh",
		"mkfs* *":                    "d mkfs.ext4 /dev/sda⏎d sudo mkfs /dev/sda⏎- mk x",
		"shutdown":                   "d shutdown⏎d shutdown -c⏎- shutdown now",
		"sudo *":                     "d sudo ls⏎d x; sudo -u a ls⏎- ls",
		"chmod 777 *":                "d chmod 777 x⏎d chmod -R 777 x⏎- chmod 755 x",
		"dd * of=/dev/*":             "d dd if=x of=/dev/sda⏎- dd of=/dev/sda bs=1⏎- dd if=x of=y",
		"[ *":                        "d [ -f x ]⏎- test -f x",
		"tar -x *":                   "d tar -xf a⏎d tar -f a -x⏎- tar -cf a b",
		"python3 tools/gen.py *":     "d python3 tools/gen.py a⏎- python3 tools/other.py",
		"terraform -chdir=* apply *": "d terraform -chdir=x apply⏎- terraform plan",
		"go test -exec *":            "d go test -exec x ./...⏎- go test ./...",
		"rm -* x":                    "d rm -v x⏎- rm y",
		"git commit -m *wip* *": "d git commit -m 'a wip b'⏎d git commit -am wip --amend⏎- " +
			"git commit -m x",
		"rm -rf / ": "d rm -rf /⏎d rm -fr //⏎- rm -rf /x",
		"aws s3 rm * --recursive": "d aws s3 rm s3://a --recursive⏎d aws s3 rm --recursive " +
			"s3://a⏎d aws --profile x s3 rm s3://a --recursive⏎- aws s3 ls --recursive",
		"":                        "- rm x",
		"git -c * push *":         "d git -c a=b push x⏎- git status",
		"npm run build:* --watch": "d npm run build:x --watch⏎- npm run build:x",
		"yarn":                    "d yarn⏎- yarn add x",
		"bash -c *":               "d bash -c ls⏎d sudo bash -lc ls⏎- sh -c ls",
		"ssh * reboot":            "d ssh host reboot⏎- ssh host ls",
		"xargs rm *":              "d ls | xargs rm⏎d ls | xargs -n1 rm⏎- ls | xargs cat",
		"kill -9 *":               "d kill -9 1⏎- kill 1",
		"make -j4 *":              "d make -j4⏎- make -j2 all",
		"psql *DROP*":             "d psql -c 'DROP TABLE x'⏎- psql -c 'select 1'",
		"env *":                   "d env A=b ls⏎- ls",
		"rm -r -- *":              "d rm -r x⏎d rm -fr -- x⏎- rm x",
	} {
		rules := &Rules{Deny: ReadCommandPattern(pattern).Rules("why")}
		for line := range strings.SplitSeq(lines, "⏎") {
			want, command := line[:1], line[2:]
			v := Parse(command).Check(rules)
			if got := map[string]string{"deny": "d", "ask": "k", "allow": "a",
				"": "-"}[v.Decision]; got != want {
				t.Errorf("%s: %s: got %s (%+v), want %s", pattern, command, got, v, want)
			}
		}
	}
}

// TestAllowedPatterns checks that rules that allow are compared word by word with every part of a
// line.
func TestAllowedPatterns(t *testing.T) {
	t.Parallel()
	var patterns []CommandPattern
	for _, text := range []string{"git push *", "ls", "rm -r build", "timeout * go test *"} {
		patterns = append(patterns, ReadCommandPattern(text))
	}
	for line, want := range map[string]int{"git push origin main": 0, "git push; ls": 1, "ls": 1,
		"rm -r build": 2, "timeout 5 go test ./...": 3} {
		if got, ok := Parse(line).Allowed(patterns); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", line, got, ok, want)
		}
	}
	not := []string{"git -C x push", "ls -l", "rm -r -f build", "rm -fr build",
		"rm --recursive build", "git push && pwd", "git push > x", "git push $x", "sudo git push",
		"A=1 git push", "./git push", "git push $(pwd)", "timeout 5 ls", ""}
	for _, line := range not {
		if i, ok := Parse(line).Allowed(patterns); ok {
			t.Errorf("%s: %d allows it", line, i)
		}
	}
	if slices.ContainsFunc(not,
		func(string) bool { return len(ReadCommandPattern("  ").Rules("")) > 0 }) {
		t.Error("a pattern without words is a rule")
	}
}
