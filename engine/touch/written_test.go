package touch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// TestWrittenFiles: a file that was written in the same session and is run then is read like the
// command line itself if it is a script of a shell; otherwise, what it does is unknown.
func TestWrittenFiles(t *testing.T) {
	t.Parallel()
	_, dir := world(t)
	var wrote []string
	for name, text := range map[string]string{
		"x.sh":         "#!/bin/sh\ncat .env\n",
		"run":          "#!/usr/bin/env bash\ncat ~/../p/.env\n",
		"plain":        "cat .e*\n",
		"ok.sh":        "#!/bin/sh\ngo version\ncat a.go >out\n",
		"sub/in.sh":    "cat .env.local\n",
		"calls.sh":     "set -e\nbash x.sh\n",
		"itself.sh":    "echo a\nbash itself.sh\n",
		"args.sh":      "cat \"$1\"\n",
		"x.py":         "open('.e' + 'nv')\n",
		"tool":         "#!/usr/bin/python3\nopen('.env')\n",
		"fish":         "#!/usr/bin/fish\ncat .env\n",
		"Makefile":     "all:\n\tcat .env\n",
		"package.json": `{"scripts": {"x": "cat .env"}}`,
		"lib/index.js": "1",
		"lib/m.py":     "1",
		"test_x.py":    "1",
		"x.test.js":    "1",
		"x.go":         "package main",
		"broken.sh":    "cat 'a\n",
		"q.sql":        "\\! cat .env\n",
		"names.sql":    "select pg_read_file('.e' || 'nv');\n",
		"ok.sql":       "select 1;\n",
		"long.sh":      strings.Repeat("#", maxScript) + "\ncat .env\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		wrote = append(wrote, path)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.sh"), []byte("cat .env\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("x.sh", filepath.Join(dir, "other")); err != nil {
		t.Skip("this system has no symbolic links")
	}
	f := Finder{Home: filepath.Join(dir, "../home"),
		Wrote: func(path string) bool {
			return slices.Contains(wrote, path) || slices.Contains(
				wrote, strings.Replace(path, "makefile", "Makefile", 1))
		}}
	for want, lines := range map[string]string{
		"fits": "bash x.sh⏎sh ./x.sh⏎. ./x.sh⏎source x.sh⏎./x.sh⏎./run⏎./plain⏎bash calls.sh⏎" +
			"cd sub && bash in.sh⏎sudo bash x.sh⏎env A=1 ./run⏎timeout 5 sh x.sh⏎bash -e x.sh⏎" +
			"bash other⏎find . -maxdepth 0 -exec bash x.sh \\;⏎for i in 1 2; do ./x.sh; done",
		"unknown": "python3 x.py⏎python3 -u ./x.py a⏎./tool⏎./fish⏎make⏎make -C sub⏎npm run x⏎" +
			"cd sub && npm run x⏎node lib⏎bash args.sh .env.go⏎bash broken.sh⏎bash long.sh⏎" +
			"python3 -m lib.m⏎go run x.go⏎go run ./x.go a⏎node x.test.js⏎node -- x.test.js⏎" +
			"PATH=.:$PATH tool⏎yarn x⏎cd sub && make",
		"no": "bash ok.sh⏎./ok.sh⏎bash old.sh⏎. ./old.sh⏎" +
			"python3 other.py⏎bash itself.sh⏎pytest test_x.py⏎" +
			"python3 -m pytest test_x.py⏎go test ./...⏎wc -l x.sh⏎cp x.sh y.sh⏎node a.js⏎" +
			"node --test⏎node --test x.test.js⏎node --test --watch test/⏎bun test⏎deno test -A⏎" +
			"bun test x.test.js⏎deno test x.test.js⏎mocha⏎jest x.test.js⏎cargo test⏎go run .",
	} {
		for line := range strings.SplitSeq(lines, "⏎") {
			got, said := "no", f.Command(line, dir, dir)
			switch fits, sure := said.Fits("reads", "**/.env*"); {
			case fits:
				got = "fits"
			case !sure:
				got = "unknown"
			}
			if got != want {
				t.Errorf("%s: got %s, want %s", line, got, want)
			}
		}
	}
	rules := &shell.Rules{Deny: []shell.Rule{{Cmd: []string{"cat"}}}}
	for line, want := range map[string]string{"bash x.sh": "deny", "./x.sh": "deny",
		"python3 x.py": "ask", "bash old.sh": "", "make": "ask",
		"f=x.sh; . ./$f": "ask", "f=sub; source $f/in.sh": "ask", "f=old.sh; . ./$f": "",
		"cd sub; f=in; . ./$f.sh": "ask", "f=other; . ./$f": "ask",
		"psql -f q.sql": "ask", "psql < q.sql": "ask", "head q.sql | psql": "ask",
		"psql -c '\\i q.sql'": "ask", "psql --file=./q.sql": "ask", "f=q.sql; psql < $f": "ask",
		"for f in *.sql; do psql -f \"$f\"; done": "ask", "psql -f names.sql": "ask",
		"for f in q*; do psql < $f; done": "ask", "sqlite3 x.db '.read q.sql'": "ask",
		"psql -f ok.sql": "", "psql -f old.sql": "", "psql < ok.sql": "",
		"for f in ok*.sql; do psql -f \"$f\"; done": ""} {
		if got := f.Parse(line, dir).Check(rules); got.Decision != want {
			t.Errorf("%s: got %+v, want %s", line, got, want)
		}
	}
	if said := f.Command("bash ok.sh", dir, dir); !said.RunsWritten() || !slices.Contains(
		said.Writes(), filepath.Join(dir, "out")) {
		t.Errorf("got %v, %v", said.RunsWritten(), said.Writes())
	}
}

// TestFills: the contents of which files a command line decides about.
func TestFills(t *testing.T) {
	t.Parallel()
	f, dir := world(t)
	for line, want := range map[string]string{"echo x > new": "p/new", "rm a.go": "",
		"chmod +x a.go": "", "cp a.go b.sh": "p/b.sh", "mv a.go b.sh": "p/b.sh",
		"curl -o x.sh https://x/y": "p/x.sh", "sed -i s/a/b/ a.go": "p/a.go", "cat a.go": "",
		"tee one < a.go": "p/one", "ln a.go x.sh": "p/x.sh"} {
		if got := show(dir, f.Command(line, dir, dir).Fills()); !strings.Contains(got, want) ||
			want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
}
