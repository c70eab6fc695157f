package touch

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlyReads checks which command lines only read: all their programs are known to, and no flag
// or redirection makes them write or run something.
func TestOnlyReads(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	f := Finder{Home: "/home/me"}
	for line, want := range map[string]bool{
		"ls -la": true, "cat a.go | head -30": true, "grep -rn x . 2>/dev/null | wc -l": true,
		"git status --short": true, "git log --oneline -10 -- src/": true,
		"git diff HEAD~1 --stat": true, "git branch": true, "git branch -a": true,
		"git remote -v": true, "git stash list": true, "git config --get user.name": true,
		"awk '{print $1}' a.go": true, "[ -f a.go ] && echo yes": true, "cd src && ls": true,
		"node --version && python3 --version": true, "go version; go env GOPATH": true,
		"cat <<E\nx\nE": true, "command -v go": true,
		"git for-each-ref": true, "date": true, "tree -L 2": true,
		"git branch --merged main": true, "git branch --list 'a*'": true, "git branch -vv": true,
		"git tag -l 'v*'": true, "git tag --sort=-creatordate": true, "git reflog -5": true,
		"git remote get-url origin": true, "git config user.name": true,
		"git config --global --list": true, "git config get user.name": true,
		"git worktree list": true, "git stash show -p stash@{1}": true,
		"git --no-pager diff": true, "git -P log -3": true, "git log -- tag": true,
		"date +%s": true, "date -d yesterday": true, "date -r a.go +%s": true,
		"bat a.go": true, "file a.go": true, "yq -r .a b.yml": true,

		"cat a.go || exit 1": true, "cd src || exit; : here; ls": true, "exit 3": true,
		"for f in *.go; do grep -q x \"$f\" && break; done": true,
		": > x; ls": false, "exit 1 > x; ls": false, "rm a.go || exit 1": false,

		"git branch --unset-upstream": false, "git branch --set-upstream-to=o/x": false,
		"git branch --edit-description": false, "git branch -l x": false,
		"git branch --list x -D": false, "git branch -v x": false, "git tag -d": false,
		"git tag -n x": false, "git reflog expire --all": false, "git reflog delete x": false,
		"git config --get a.b --unset c.d": false, "git config --list --add a.b c": false,
		"git config --global a.b c": false, "git config -e": false, "git config": false,
		"git config set a.b c": false, "git config --unset a.b": false,
		"git worktree add x": false, "git stash -p": false, "git remote prune origin": false,
		"git --no-pager branch x": false, "git --exec-path=/tmp log": false,
		"git -c a.b=c log": false, "git --no-pager -c a.b=c log": false,
		"date 010100002025": false, "bat --pager=x a.go": false, "bat cache --build": false,
		"file -C -m x": false, "yq -s .a b.yml": false, "yq --split-exp .a b.yml": false,
		"tree -R -H . -L 1": false,

		"fd x": true, "yq .a b.yml": true, "fd x -x rm": false,
		"rg --pre x y":     false,
		"yq -i .a=1 b.yml": false, "tree -o x": false,
		"xxd -r x y": false, "date -s x": false, "rg --files | sort -u": true,

		"f=a.go; head -3 \"$f\"": true, "for f in *.go; do cat \"$f\"; done": true,
		"for i in 1 2; do echo $i; done; ls": true, "ls | xargs cat": true,
		"find . -name '*.go' -print0 | xargs -0 grep -n x | head": true, "ls | xargs wc -l": true,
		"find . -exec grep -l x {} +": true, "ls \"$(pwd)\"/a.go": true,

		"f=x; rm \"$f\"": false, "f=x; ls > \"$f\"": false, "for f in *; do rm \"$f\"; done": false,
		"x=-delete; find . \"$x\"": false, "x=-o; sort \"$x\" b a.go": false,
		"x='w b'; sed \"$x\" a.go": false, "x=b; uniq a.go \"$x\"": false, "find . \"$X\"": false,
		"x='a[$(rm b)]'; [ -v \"$x\" ]; ls": false, "x=ls; $x": false, "PATH=x; ls": false,
		"x=$(rm b); ls": false, "ls ${x:-$(rm b)}": false, "ls | xargs sort": false,
		"ls | xargs find": false, "ls | xargs awk": false, "ls | xargs git diff": false,
		"ls | xargs -I{} sh -c 'cat {}'": false, "ls | xargs $x": false, "ls $TMPDIR": false,
		"find . -exec sort -o {} {} +": false,
		"x=-D; git branch \"$x\" y":    false, "x=y; git branch \"$x\"": false,

		"touch x": false, "ls > out": false, "cat a.go | tee b": false, "rm a.go": false,
		"ls && rm a.go": false, "find . -delete": false, "find . -exec rm {} +": false,
		"sed -i s/a/b/ a.go": false, "sort -o x a.go": false, "xargs rm": false,
		"awk '{print > \"x\"}' a.go": false, "awk 'BEGIN{system(\"x\")}'": false,
		"git commit -m x": false, "git push": false, "git branch x": false,
		"git branch -D x": false, "git -C a branch -D x": false,
		"git remote add x y": false, "git stash": false,
		"git stash drop": false, "git tag v1": false, "git config user.name x": false,
		"git diff --output=x": false, "git -c core.pager=x log": false, "git grep -O x": false,
		"node x.js --version": false, "python3 --version x.py": false, "go env -w A=b": false,
		"./ls": false, "/tmp/ls": false, "zork": false, "command rm x": false, "$x": false,
		"echo hi": false, "echo hi; ls": true, "printf -v PATH x; ls": false,
		"ls $(rm x)": false, "ls <(rm x)": false, "ls() { rm x; }; ls": false,
		"alias ls=rm; ls x": false, "bash -c ls": false, "sudo ls": false, "eval ls": false,
		"curl http://h": false, "make": false, "cat a.go > /dev/tcp/h/1": false, "ls '": false,
		"": false, "x=1": false, "kill 1": false,
	} {
		if got := f.Command(line, dir, dir).Risks().OnlyReads; got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

// TestOnlyReadsWithGit: a command of git does more than read if the settings of a repository make
// it run another program.
func TestOnlyReadsWithGit(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"plain/.git/HEAD": "x", "runs/.git/HEAD": "x",
		"runs/.git/config": "[core]\nfsmonitor = ./x.sh\n", "runs/sub/a": "", "bare/HEAD": "x",
		"bare/objects/x": "", "bare/refs/x": ""} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := Finder{Home: filepath.Join(dir, "home")}
	for line, want := range map[string]bool{"cd plain && git status": true, "cd plain; ls": true,
		"git --version": true, "cd runs && ls": true, "cd runs && git status": false,
		"cd runs/sub && git log": false, "cd plain && cd ../runs && git diff": false,
		"(cd runs); git diff": false, "cd bare && git log": false,
		"cd plain && cd - && git status": false, "d=runs; cd \"$d\" && git status": false,
		"cd plain; pushd runs && git show": false} {
		if got := f.Command(line, dir, dir).Risks().OnlyReads; got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}

// TestOnlyReadsByPath: the name of a program that only reads may lead to another one, in a folder
// of the project that is in PATH.
func TestOnlyReadsByPath(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"p/bin/cat", "out/head"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	project := filepath.Join(dir, "p")
	if err := os.Symlink("../../out/head", filepath.Join(project, "bin", "head")); err != nil {
		t.Skip(err)
	}
	const list = string(os.PathListSeparator)
	t.Setenv("PATH", filepath.Join(project, "bin")+list+os.Getenv("PATH"))
	for line, want := range map[string]bool{"cat x": false, "ls | cat": false, "head x": true,
		"ls": true} {
		if got := (Finder{}).Command(line, project, project).Risks().OnlyReads; got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}
