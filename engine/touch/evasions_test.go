package touch

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Command lines, one on a line, that read .env and that write in the folder protected or to
// ~/.bashrc. ⏎ is the end of a line. A line that begins with # is a heading.
//
//go:embed testdata/reads.txt
var readingLines string

//go:embed testdata/writes.txt
var writingLines string

// TestEvasions checks that lines which hide that they touch a file are not silent, whether the
// environment is known or not. Those that write are about ~/.bashrc unless they name protected.
func TestEvasions(t *testing.T) {
	t.Parallel()
	unknown, dir := furnished(t)
	known := unknown.In([]string{"HOME=" + unknown.Home, "PATH=/usr/bin:/bin"})
	for _, tt := range []struct{ lines, what, glob string }{
		{readingLines, "reads", "**/.env"}, {writingLines, "writes", "~/.bashrc"},
	} {
		n := 0
		for line := range strings.Lines(tt.lines) {
			line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			n++
			glob := tt.glob
			if tt.what == "writes" && strings.Contains(line, "protected") {
				glob = "./protected/**"
			}
			for name, f := range map[string]Finder{"unknown": unknown, "known": known} {
				if fits, sure := f.Command(line, dir, dir).Fits(tt.what, glob); !fits && sure {
					t.Errorf("%s\n%s, which is not seen in an environment that is %s", line,
						tt.what, name)
				}
			}
		}
		if n < 10 {
			t.Errorf("only %d lines", n)
		}
	}
}

// TestNamesOfFoundFiles checks that programs may show the names of files that find passes to them,
// and that the names that find selects count.
func TestNamesOfFoundFiles(t *testing.T) {
	t.Parallel()
	f, dir := furnished(t)
	for _, line := range []string{
		"find . -type f -size +1M -exec ls -lh {} \\;", "find . -newer f -exec basename {} \\;",
		"find . -name '*.orig' -print0 | xargs -0 ls -l", "xargs -a list.txt ls -l",
		"find . -type f -name '*.go' -exec ./check {} +", "fd -e go -x wc -l",
		"fd -e go -x gofmt -l", "fd -e .md -X ./check",
		"find . -name '*.go' -not -path './vendor/*' -exec ./check {} +",
		"find . ! -path '*/x/*' -type f -name '*.go' -exec ./check {} \\;",
	} {
		touched := f.Command(line, dir, dir)
		for what, glob := range map[string]string{"reads": "**/.env", "writes": "./protected/**"} {
			if fits, sure := touched.Fits(what, glob); fits || !sure {
				t.Errorf("%s\n%s %s, it is said: %v, %v", line, what, glob, fits, sure)
			}
		}
	}
}

// TestOrdinaryPasses checks that lines pass that only mention the files: texts for people, names
// for git, variables for other programs; and those that only show what they could write.
func TestOrdinaryPasses(t *testing.T) {
	t.Parallel()
	f, dir := furnished(t)
	for _, line := range []string{
		"git commit -F - <<'E'\nfix: ignore .env and protected/x\nE",
		"echo .env >> .gitignore; git add .gitignore",
		"cat > README.md <<'E'\nCopy it to .env\nE\ngit add README.md && git commit -m .env",
		"kubectl apply -f - <<'E'\nenv: .env\nE",
		"gh pr create --title x --body 'explain .env'",
		"glab mr create <<< 'explain .env in protected/x'",
		"sqlite3 app.db \"select name from users where id = 1\"",
		"echo 'see .env' | tee notes.txt | wc -l",
		"echo .env > notes.txt; wc -l notes.txt", "git add .", "git add -A", "git add src",
		"export NODE_ENV=production", "LOG_LEVEL=debug go test ./...", "LOG=$HOME/x.log; date",
		"D=logs; LOGFILE=$D/x; date", "PATH=$HOME/bin:$PATH ls",
		"export KUBECONFIG=$HOME/.kube/dev",
		"tar czf x.tgz -C src .", "tar cf x.tar -C src main.c", "unzip -l a.zip", "git bisect log",
		"git submodule status", "git apply --check x.patch", "mktemp -d", "mktemp -p. x.XXXX",
		"date -r .env", "man ls", "history 10", "python3 -m zipfile -l z.zip",
		"kubectl create configmap x --from-file=src", "docker run -d nginx", "npm run -s protected",
		"jq -r .env f", "jq -e .env f", "rg -n .env src", "ruff check protected", "brew install f",
		"python -m black --check protected", "npm run sort", "git clone git@github.com:a/b.git",
		"git push -u origin \"$(git branch --show-current)\"",
		"git show $(git rev-parse HEAD) --stat", "git diff $(git rev-parse HEAD)",
		"git diff $(git merge-base HEAD main)..HEAD", "git diff v1..$(git describe --tags)",
		"git commit -am 'fix .env'", "git -C src status", "git -C src log --oneline",
		"git log -- .env", "git check-ignore -v .env", "git tag v1.0 -m .env",
		"git archive --format=tar HEAD | gzip > x.tgz", "git fast-export --all > x",
		"wget -qe robots=off -O x http://x", "terraform version", "gunzip -k x.gz", "wc -l .env",
		"sed -i s/a/b/ .env", "conda list", "gzip -N x",
	} {
		touched := f.Command(line, dir, dir)
		for what, glob := range map[string]string{"reads": "**/.env", "writes": "./protected/**"} {
			if fits, sure := touched.Fits(what, glob); fits || !sure {
				t.Errorf("%s\n%s %s, it is said: %v, %v", line, what, glob, fits, sure)
			}
		}
	}
}

// furnished creates a project with a .env and the folders protected and src, and a home directory.
func furnished(t *testing.T) (f Finder, dir string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"p/.env", "p/f", "p/protected/x", "p/src/main.c", "home/.bashrc"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, p)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, p), []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Finder{Home: filepath.Join(root, "home")}, filepath.Join(root, "p")
}
