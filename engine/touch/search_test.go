package touch

import (
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
