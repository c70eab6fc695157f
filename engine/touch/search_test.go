package touch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// TestLeftOut checks that files which a search or a copy leaves out by their names are not read,
// and that a flag which may mean something else leaves out nothing.
func TestLeftOut(t *testing.T) {
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	lines := []struct {
		reads bool
		lines []string
	}{
		{false, []string{
			"grep -rn x --include=*.go .", "grep -rn x --include '*.go' .",
			"grep -r --include='*.go' --include=*.ts x . | head",
			"grep -rnE 'a|b' -A3 --include=*.{go,ts} --exclude-dir=vendor .",
			"grep -rn x --include='*.go' --exclude='y' .", "grep -r x --exclude='.env*' .",
			"grep -rn x --include='.env' --exclude='.env' .", "rg TODO .", "rg -n TODO . sub",
			"tar czf x.tgz --exclude=.env .", "tar --exclude='.e*' -czf - . | cat > x",
			"rsync -a --exclude=.env --delete ./ ../out/", "rsync -av --exclude='.env' . host:x"}},
		{true, []string{
			"grep -rn x --include '.e*' .", "grep -Rn x --include='*.go' .",
			"grep -rn x --exclude='y' --include='*.go' .", "grep -rn x --include='[.]env' .",
			"grep -rn x --exclude='.env' --include='.env' .", "grep -rn $X --include=*.go .",
			"grep -rn x --include='*.go' --include='*nv' .", "grep -e --exclude=.env -r .",
			"grep -rn x --include='*.go' .env", "grep -rn x --include='*.go' -f.env .",
			"grep -rn x --incl='*' --include=*.go .", "grep -re --exclude=.env .",
			"grep --group-separator --exclude=.env -r x .", "grep -r x -- --exclude=.env .",
			"grep -rn x --include=*.go .; grep -r y .", "grep -r x --exclude-from=l .",
			"rg -nu y .", "rg --hidden y .", "rg -g '.env' y .", "RIPGREP_CONFIG_PATH=x rg y .",
			"rg -g.env y .", "rg --glob=.env y .", "rg x .env", "rg -tx --type-add=x:.env y .",
			"export RIPGREP_CONFIG_PATH=x; rg y .",
			"tar czf x.tgz . --exclude=.env", "tar -czhf x.tgz --exclude=.env .",
			"tar cf --exclude=.env .", "tar cfX l --exclude=.env .",
			"tar -cf x --no-wildcards --exclude='.e*' .", "tar -cf x --anchored --exclude=.env .",
			"rsync -aL --exclude=.env ./ ../out/", "rsync -aF --exclude=.env ./ ../out/",
			"rsync -a --include=.env --exclude=.env ./ ../out/",
			"rsync -a -f'+ .env' --exclude=.env ./ ../out", "zip -r x . -x .env"}},
	}
	for _, c := range lines {
		for _, line := range c.lines {
			fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env")
			if fits != c.reads || !fits && !sure {
				t.Errorf("%s: fits %v, sure %v", line, fits, sure)
			}
		}
	}
	set := f.In([]string{"HOME=" + f.Home, "RIPGREP_CONFIG_PATH=/x"})
	if fits, _ := set.Command("rg TODO .", dir, dir).Fits("reads", "**/.env"); !fits {
		t.Error("rg with settings")
	}
	paths := shell.Parse("grep -r --include=*.go x . b").Paths().All
	if len(paths) < 2 || slices.ContainsFunc(paths,
		func(p shell.Path) bool { return p.Filter != "*.go" }) {
		t.Errorf("%+v", paths)
	}
}

// TestSearchesWithoutAPath checks which files a search reads that names no file: those below the
// folder in which it runs, unless it searches what another command prints, or only lists names.
func TestSearchesWithoutAPath(t *testing.T) {
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	for line, want := range map[string]bool{"rg x": true, "rg -i -A 3 x": true, "rg -e x": true,
		"rg x | head": true, "rg --regexp x": true, "echo x | rg -f -": true, "ag x": true,
		"ag -A 3 x": true, "ack x": true, "cd .. && rg x": true, "rg -tgo x": true,
		"ls | rg x": false, "ls | ag x": false, "rg --files": false, "rg x sub": false,
		"rg -tpy x": false, "rg -e x sub": false} {
		fits, sure := f.Command(line, dir, dir).Fits("reads", "**/a.go")
		if fits != want || !fits && !sure {
			t.Errorf("%s: fits %v, sure %v", line, fits, sure)
		}
	}
}

// TestNotHidden: rg searches a hidden file that an ignore file names with !, as a repository may.
func TestNotHidden(t *testing.T) {
	for file, want := range map[string]bool{"": false, ".ignore": true, ".rgignore": true,
		".gitignore": true, ".git/info/exclude": true, "sub/.ignore": false, "../.ignore": true,
		"out/.ignore": false} {
		f, dir := world(t)
		f = f.In([]string{"HOME=" + f.Home})
		if file != "" {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("*.o\n!/a/../.e?v \n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range []string{"rg x", "rg x .", "cd sub; rg x .."} {
			fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env")
			if fits != want || !sure {
				t.Errorf("%s with %s: fits %v, sure %v", line, file, fits, sure)
			}
		}
	}
}

// TestOpenedByTexts: programs open files that are named in the text of a query, or after a flag.
func TestOpenedByTexts(t *testing.T) {
	f, dir := world(t)
	for line, want := range map[string]string{
		`jq -n 'import "./.env" as $x; $x'`: "unknown", `jq 'include "x"; .a' a.json`: "unknown",
		`yq 'load(".env")' a.yml`: "unknown", `yq -n 'load_str (".e" + "nv")'`: "unknown",
		"jq .include a.json": "no", "yq '.load | length' a.yml": "no",
		"diff --from-file .env a.go": "unknown", "diff --to-f .env a.go": "unknown",
		"date --fil=.env": "unknown", "date --fi .env": "unknown", "date +%s": "no",
		"diff -U 3 a.go b.go": "no", "head --lines 3 a.go": "no"} {
		if got := verdict(f.Command(line, dir, dir), "reads", "**/.env"); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

// TestWrittenTexts checks that an unknown program may read what files mention that the same line
// writes, but not files for people, or that list names.
func TestWrittenTexts(t *testing.T) {
	f, dir := world(t)
	for line, want := range map[string]bool{"echo 'a(\".env\")' > a.cfg; frob": true,
		"echo .env >> .gitignore && npm init -y": false, "echo .env > README.md; npm test": false,
		"echo .env > .dockerignore; docker build .": false, "echo .env > a.cfg; ls": false} {
		fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env")
		if (fits || !sure) != want {
			t.Errorf("%s: fits %v, sure %v", line, fits, sure)
		}
	}
}
