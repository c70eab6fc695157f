package shell

import (
	_ "embed"
	"strings"
	"testing"
)

// usual are typical rules.
var usual = &Rules{
	Deny: []Rule{{Cmd: []string{"rm"}, Flags: []string{"r"}},
		{Cmd: []string{"git"}, Sub: []string{"push"}, Flags: []string{"force"}},
		{Cmd: []string{"sudo", "doas"}}, {Cmd: []string{"mkfs*", "shutdown", "reboot"}}},
	Ask: []Rule{{Cmd: []string{"git"}, Sub: []string{"reset"}, Flags: []string{"hard"}},
		{Cmd: []string{"chmod"}, Args: []string{"777"}}},
}

// ordinary has command lines that agents run. None of them may ask. ⏎ is the end of a line.
//
//go:embed testdata/ordinary.txt
var ordinary string

// asked are the ordinary command lines that do ask: a branch may be called +main, and the value of
// a variable, or a word of a file, may be a flag, or a part of a script.
const asked = `
. "$HOME/.cargo/env" && cargo build
cat > main.go <<'E'
package main

func main() { println("hi") }
E
go run main.go
cat hosts.txt | xargs -P4 -I{} ssh {} uptime
find . -name '*.bak' | xargs -r rm -v
for h in $(cat hosts.txt); do echo "$h: $(ssh -o ConnectTimeout=3 $h uptime)"; done
node -e "const {a}=require('./lib/util'); console.log(a(1,2))"
npm view lodash dist.tarball | xargs curl -sO
sed -i "s/^VERSION=.*/VERSION=$NEW/" Makefile
sed -n "$(grep -n 'func main' main.go | cut -d: -f1),+20p" main.go
sed "s/{{NAME}}/$NAME/g" template.yaml > out.yaml
TAG=v$(jq -r .version package.json); git tag -a $TAG -m "$TAG" && git push origin $TAG
eval "$(ssh-agent -s)"
git push -u origin "$(git rev-parse --abbrev-ref HEAD)"
git push origin $(git branch --show-current)
sed "s/x/$y/" file
sed -i "s/version = .*/version = \"$V\"/" Cargo.toml
trap 'rm -f "$T"' EXIT; T=$(mktemp); echo > "$T"
`

func TestOrdinaryLinesPass(t *testing.T) {
	n := 0
	for line := range strings.Lines(ordinary) {
		text := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		if v := Parse(text).Check(usual); v.Decision != "" &&
			!strings.Contains(asked, "\n"+text+"\n") {
			t.Errorf("%s\n got %s, for %s: %s", text, v.Decision, v.Command, v.Reason)
		}
		n++
	}
	if n < 250 {
		t.Errorf("only %d lines were tried", n)
	}
}
