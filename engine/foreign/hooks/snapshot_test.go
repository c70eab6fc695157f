package hooks_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// shots is a project that is a repository of git, with the builtin snapshot.
func shots(t *testing.T, events ...string) *rig {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newRig(t)
	if events == nil {
		events = []string{"turn_start", "turn_end"}
	}
	text := "hooks:\n"
	for _, name := range events {
		hook := builtin("snapshot", "")
		if strings.HasSuffix(name, "tool_use") {
			hook = "{hooks: [" + hook + "]}"
		}
		text += "  " + name + ": [" + hook + "]\n"
	}
	w.put("agent.yaml", text, 0o644)
	w.run("git", "init", "-q")
	return w
}

// run runs a program in the project.
func (w *rig) run(argv ...string) {
	w.t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = w.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v: %v: %s", argv, err, out)
	}
}

// turn is a prompt that does something.
func (w *rig) turn(prompt string, do func()) {
	w.env.PromptID, w.env.Turn = prompt, 1
	w.fires(event.TurnStart{Turn: 1})
	do()
	w.tell(event.TurnEnd{Cause: "done"})
}

// tell tells an event, and waits until it was heard.
func (w *rig) tell(f event.Fired) {
	w.engine.Emitter.Emit(w.engine.Events.New(w.env, f))
	w.engine.Emitter.Drain(context.Background())
}

// slash runs a slash command.
func (w *rig) slash(line string) string {
	w.t.Helper()
	name, args, _ := strings.Cut(line, " ")
	r, err := w.engine.Commands.Run(context.Background(), w.env, name, args)
	if err != nil {
		return err.Error()
	}
	return r.Display + r.Error
}

// files returns the files of the project and what is in them.
func (w *rig) files() (text string) {
	_ = filepath.WalkDir(w.dir, func(path string, d os.DirEntry, _ error) error {
		rel, _ := filepath.Rel(w.dir, path)
		if d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.Type()&os.ModeSymlink != 0 {
			to, _ := os.Readlink(path)
			text += rel + ">" + to + " "
		} else if !d.IsDir() {
			b, _ := os.ReadFile(path)
			text += rel + "=" + string(b[:min(len(b), 20)]) + " "
		}
		return nil
	})
	return text
}

// TestUndo: a prompt that changes, makes and deletes files is undone, and the undo too.
func TestUndo(t *testing.T) {
	t.Parallel()
	w := shots(t).begin()
	w.write("a b", "one")
	w.write("c", "two")
	before := w.files()
	if got := w.slash("undo"); got != "There is nothing to undo." {
		t.Fatalf("got %q; %s", got, w.told())
	}
	w.turn("p1", func() {
		w.write("a b", "changed")
		w.write("new\nline", "x")
		os.Remove(filepath.Join(w.dir, "c"))
	})
	after := w.files()
	for _, test := range [][3]string{
		{"undo", before, "Files:\n- changed back a b\n- restored c\n- removed new line\n\n" +
			"`/reset 2` brings back what was there just now."},
		{"undo", before, "There is nothing to undo."},
		{"snapshots", before, "2. 20..-..-.. ..:..:.., 3 files: a b, c, new line\n$"},
		{"reset 3", before, "there is no snapshot 3: want 1 to 2, as /snapshots lists them"},
		{"reset 0", before, "there is no snapshot 0"},
		{"reset x", before, "integer"},
		{"reset 2", after, "- changed back a b"},
		{"snapshots", after, "1. .*, the first one\n2. .*now.\n$"},
		{"undo", before, "- restored c"},
		{"reset 2", after, "- removed c"},
		{"reset", before, "- restored c"},
		{"reset 1", before, "^The files are as they were then.$"},
	} {
		got := w.slash(test[0])
		if said := regexp.MustCompile(test[2]).MatchString(got) || got == test[2]; !said ||
			w.files() != test[1] {
			t.Errorf("%s: got %q, want %q; files %q, want %q; %s", test[0], got, test[2],
				w.files(), test[1], w.told())
		}
	}
}

// TestUndoKeeps: what an undo has no business with stays as it is.
func TestUndoKeeps(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 3<<20)
	for _, test := range []struct {
		name       string
		first, one func(w *rig) // before the prompt, and in it
		then       func(w *rig) // what the user does after it
		want       string       // the files, after /undo
		says       string
	}{
		{"what the user has done since", func(w *rig) { w.write("a", "1"); w.write("b", "1") },
			func(w *rig) { w.write("a", "2") },
			func(w *rig) { w.write("b", "2"); w.write("c", "2") },
			"a=1 b=2 c=2 ", "changed back a"},
		{"ignored files", func(w *rig) { w.write(".gitignore", "*.log\n"); w.write("x.log", "1") },
			func(w *rig) { w.write("x.log", "2"); w.write("y.log", "2"); w.write("z", "") }, nil,
			".gitignore=*.log\n x.log=2 y.log=2 ", "removed z"},
		{"what was ignored before",
			func(w *rig) { w.write(".gitignore", "*.log\n"); w.write("x.log", "1") },
			func(w *rig) { w.write(".gitignore", ""); w.write("z", "") }, nil,
			".gitignore=*.log\n x.log=1 ", "Left as they are"},
		{"large files", func(w *rig) { w.write("old", large) },
			func(w *rig) { w.write("new", large); w.write("old", "short"); w.write("z", "") }, nil,
			"new=xxxxxxxxxxxxxxxxxxxx old=short ", "removed z"},
		{"a file that has grown", func(w *rig) { w.write("old", "short") },
			func(w *rig) { w.write("old", large) }, nil, "old=short ", "changed back old"},
		{"a folder with ignored files in place of a file", func(w *rig) {
			w.write(".gitignore", "*.log\n")
			w.write("d", "1")
		}, func(w *rig) {
			os.Remove(filepath.Join(w.dir, "d"))
			w.mkdir("d").write("d/a", "2")
			w.write("d/x.log", "3")
		}, nil, ".gitignore=*.log\n d/x.log=3 ", "Left as they are"},
		{"an ignored file in place of a folder", func(w *rig) {
			w.write(".gitignore", "*.log\n")
			w.mkdir("x.log").write("x.log/a", "1")
		}, func(w *rig) { w.write("b", "2") }, func(w *rig) {
			os.RemoveAll(filepath.Join(w.dir, "x.log"))
			w.write("x.log", "mine")
		}, ".gitignore=*.log\n x.log=mine ", "removed b"},
		{"links out of the folder", func(w *rig) {
			w.mkdir("d").write("d/a", "1")
			os.Symlink(w.home, filepath.Join(w.dir, "l"))
		}, func(w *rig) {
			os.RemoveAll(filepath.Join(w.dir, "d"))
			os.Symlink(w.home, filepath.Join(w.dir, "d"))
			os.Remove(filepath.Join(w.dir, "l"))
			w.mkdir("l").write("l/a", "2")
		}, nil, "d/a=1 l>HOME ", "removed d"},
		{"a link in place of a folder, since", func(w *rig) { w.mkdir("d").write("d/a", "1") },
			func(w *rig) { w.write("d/a", "2"); w.write("d/b", "2") }, func(w *rig) {
				os.RemoveAll(filepath.Join(w.dir, "d"))
				os.Symlink(w.home, filepath.Join(w.dir, "d"))
			}, "d>HOME ", "Left as they are"},
		{"repositories in it", func(w *rig) {
			w.mkdir("sub").write("sub/a", "1")
			w.run("git", "init", "-q", "sub")
			w.run("git", "-C", "sub", "add", "a")
			w.run("git", "-C", "sub", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qmx")
			w.mkdir("empty").run("git", "init", "-q", "empty")
		}, func(w *rig) { w.write("sub/a", "2"); w.write("b", "2") }, nil, "sub/a=2 ", "removed b"},
		{"the ends of lines", func(w *rig) {
			w.write(".gitattributes", "* text=auto eol=lf ident\n")
			w.write("a", "1\r\n$Id$\r\n")
		}, func(w *rig) { w.write("a", "2") }, nil,
			".gitattributes=* text=auto eol=lf i a=1\r\n$Id$\r\n ", "changed back a"},
		{"names that are patterns",
			func(w *rig) { w.write("*", "1"); w.write(":(top)x", "1"); w.write("y", "1") },
			func(w *rig) { w.write("*", "2"); w.write(":(top)x", "2") },
			func(w *rig) { w.write("y", "3") },
			"*=1 :(top)x=1 y=3 ", "changed back"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := shots(t).begin()
			write(t, w.home, "a", "outside", 0o644)
			test.first(w)
			w.turn("p1", func() { test.one(w) })
			if test.then != nil {
				test.then(w)
			}
			said := w.slash("undo")
			got := strings.ReplaceAll(w.files(), w.home, "HOME")
			if got != test.want || !strings.Contains(said, test.says) {
				t.Errorf("got %q, want %q; said %q %s", got, test.want, said, w.told())
			}
			if b, _ := os.ReadFile(filepath.Join(w.home, "a")); string(b) != "outside" {
				t.Errorf("outside: %q", b)
			}
		})
	}
}

// TestUndoSeveral: prompts are undone one by one, each with all its turns; what the user changes
// between them is not undone.
func TestUndoSeveral(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		events []string
		want   string // after each undo
	}{
		{nil, "a=2 b=1 u=2 |a=1 u=2 |nothing"},
		{[]string{"turn_start"}, "a=2 b=1 u=2 |a=1 u=1 |nothing"},
		{[]string{"session_start", "turn_end"}, "a=2 b=1 u=1 |a=1 u=1 |nothing"},
		{[]string{"session_start", "pre_tool_use", "post_tool_use"},
			"a=2 b=1 u=2 |a=1 u=2 |nothing"},
	} {
		w := shots(t, test.events...).begin()
		w.env.PromptID = ""
		w.write("a", "1")
		w.write("u", "1")
		w.fires(event.SessionStart{Cause: "startup"})
		do := func(f func()) {
			w.does = f
			if got := w.calls("do", nil); got != "done" {
				t.Errorf("%v: %s", test.events, got)
			}
		}
		w.turn("p1", func() { do(func() { w.write("a", "2") }) })
		w.turn("p1", func() { do(func() { w.write("b", "1") }) })
		w.write("u", "2")
		w.turn("p2", func() {
			do(func() { w.write("a", "3") })
			do(func() { os.Remove(filepath.Join(w.dir, "b")) })
		})
		got := ""
		for range 2 {
			if said := w.slash("undo"); !strings.HasPrefix(said, "Files:") {
				t.Error(said)
			}
			got += w.files() + "|"
		}
		if strings.Contains(w.slash("undo"), "nothing") {
			got += "nothing"
		}
		if got != test.want {
			t.Errorf("%v: got %q, want %q; %s %s", test.events, got, test.want, w.told(),
				w.slash("snapshots"))
		}
	}
}

// TestSnapshotRunsNothing: no program of the user's or the project's settings runs, and git's
// folder of the project is not touched.
func TestSnapshotRunsNothing(t *testing.T) {
	t.Parallel()
	w := shots(t, "turn_start", "turn_end", "session_end").begin()
	ran := filepath.Join(w.home, "ran")
	if err := os.Mkdir(filepath.Join(w.home, "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, w.home, "evil", "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat", 0o755)
	evil := filepath.Join(w.home, "evil")
	settings := strings.ReplaceAll("[core]\nfsmonitor=EVIL\nhooksPath="+w.home+"/hooks\n"+
		"[filter \"evil\"]\nclean=EVIL\nsmudge=EVIL\nrequired=true\n"+
		"[diff \"evil\"]\ntextconv=EVIL\n[diff]\nexternal=EVIL\n", "EVIL", evil)
	for _, name := range []string{"post-checkout", "post-index-change", "pre-commit",
		"reference-transaction"} {
		write(t, w.home, "hooks/"+name, "#!/bin/sh\necho hook >>"+ran, 0o755)
	}
	w.variables["HOME"] = w.home
	write(t, w.home, ".gitconfig", settings, 0o644)
	write(t, w.dir, ".git/config", "[core]\nbare=false\n"+settings, 0o644)
	w.write(".gitattributes", "* filter=evil diff=evil text=auto\n")
	w.mkdir("sub").run("git", "init", "-q", "sub")
	write(t, w.dir, "sub/.git/config", "[core]\nbare=false\n"+settings, 0o644)
	w.write("sub/a", "1")
	w.write("a", "1")
	os.Remove(ran)
	before := w.listed(".git")
	w.turn("p1", func() { w.write("a", "2"); w.write("sub/a", "2") })
	if got := w.slash("undo"); !strings.Contains(got, "changed back a") {
		t.Errorf("got %q; %s", got, w.told())
	}
	w.tell(event.SessionEnd{Cause: "exit"})
	if b, _ := os.ReadFile(ran); len(b) > 0 {
		t.Errorf("ran: %s", b)
	}
	if after := w.listed(".git"); after != before {
		t.Errorf("git's folder was %s, is %s", before, after)
	}
	if got := w.files(); !strings.Contains(got, " a=1 ") || !strings.Contains(got, "sub/a=2") {
		t.Errorf("got %s", got)
	}
	if w.told() != "" {
		t.Error(w.told())
	}
}

// listed returns the files of a folder, with their sizes and times.
func (w *rig) listed(name string) (text string) {
	_ = filepath.WalkDir(filepath.Join(w.dir, name), func(path string, d os.DirEntry,
		_ error) error {
		st, err := d.Info()
		if err == nil {
			text += fmt.Sprintln(path, st.Size(), st.ModTime())
		}
		return nil
	})
	return text
}

// TestSnapshotWhere: only the working directory is kept and restored.
func TestSnapshotWhere(t *testing.T) {
	t.Parallel()
	w := shots(t).begin()
	w.write(".gitignore", "*.log\n")
	w.write("a", "1")
	w.mkdir("deep er/sub").write("deep er/sub/a", "1")
	top := w.dir
	w.env.CWD = filepath.Join(top, "deep er")
	w.turn("p1", func() {
		w.write("a", "2")
		w.write("deep er/sub/a", "2")
		w.write("deep er/x.log", "2")
	})
	said := w.slash("undo")
	want := ".gitignore=*.log\n a=2 deep er/sub/a=1 deep er/x.log=2 "
	if got := w.files(); got != want || !strings.Contains(said, "- changed back deep er/sub/a") {
		t.Errorf("got %q, want %q; said %q %s", got, want, said, w.told())
	}
	w.turn("p2", func() { os.RemoveAll(w.env.CWD) })
	if said := w.slash("undo"); !strings.Contains(w.files(), "deep er/sub/a=1 ") {
		t.Errorf("the deleted working directory: %q %s", said, w.told())
	}
	w.env.CWD = top
	w.turn("p3", func() { w.write("a", "3") })
	if got := w.slash("snapshots"); !strings.Contains(got, "1 file: a (now)") {
		t.Errorf("got %q; %s", got, w.told())
	}
}

// TestSnapshotOfItself: the extension's folder may be in the project.
func TestSnapshotOfItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newRigIn(t, filepath.Join(dir, "h [o] me"), dir)
	w.docker("turn_start", "-", builtin("snapshot", "")).run("git", "init", "-q")
	w.begin()
	w.turn("p1", func() { w.write("a", "1") })
	w.slash("snapshots")
	if got := w.slash("snapshots"); !strings.Contains(got, "1 file: a (now)") {
		t.Errorf("got %q; %s", got, w.told())
	}
}

// TestSnapshotNever: where there can be none, that is said once, and nothing fails.
func TestSnapshotNever(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		setup func(w *rig)
		want  string
	}{
		{"no repository", func(w *rig) { os.RemoveAll(filepath.Join(w.dir, ".git")) },
			"the working directory is not in a repository of git"},
		{"no git", func(w *rig) {
			sh, _ := exec.LookPath("sh")
			bin := w.mkdir("bin").dir + "/bin"
			if err := os.Symlink(sh, bin+"/sh"); err != nil {
				w.t.Fatal(err)
			}
			w.variables["PATH"] = bin
		}, "git is not installed"},
		{"no list", func(w *rig) {
			w.turn("p0", func() { w.write("a", "1") })
			files, _ := filepath.Glob(filepath.Join(w.home, "data/*/snapshots-*/*.json"))
			for _, file := range files {
				_ = os.WriteFile(file, []byte(`{"Now": 7, "Shots": [{"Before": 5}]}`), 0o600)
			}
			w.loader.Reload(context.Background())
		}, "its list cannot be read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := shots(t, "turn_start", "turn_end", "pre_tool_use", "post_tool_use").begin()
			test.setup(w)
			w.does = func() { w.write("a", "2") }
			w.turn("p1", func() {
				if got := w.calls("do", nil); got != "done" {
					t.Error(got)
				}
			})
			w.turn("p2", func() {})
			if got := w.told(); strings.Count(got, test.want) != 1 {
				t.Errorf("told %q, want %s once", got, test.want)
			}
			undo := test.want
			if test.name == "no list" { // a new one is begun
				undo = "changed back a"
			}
			if got := w.slash("undo"); !strings.Contains(got, undo) {
				t.Errorf("/undo: got %q", got)
			}
		})
	}
}

// TestSnapshotSeveral: two agents in one folder, one of which has ended in the middle of something,
// and one that goes on with the session of another.
func TestSnapshotSeveral(t *testing.T) {
	t.Parallel()
	w := shots(t).begin()
	other := newRigIn(t, w.home, w.dir)
	other.env.SessionID = "s2"
	other.begin()
	w.write("a", "1")
	w.turn("p1", func() {
		w.write("a", "2")
		other.turn("q1", func() { w.write("b", "2") })
	})
	locks, _ := filepath.Glob(filepath.Join(w.home, "data/*/snapshots-*/index"))
	if len(locks) == 0 {
		t.Fatal("no index")
	}
	for _, path := range locks {
		if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := other.slash("undo"); !strings.Contains(got, "removed b") || w.files() != "a=2 " {
		t.Errorf("got %q, files %q; %s", got, w.files(), other.told())
	}
	again := newRigIn(t, w.home, w.dir).begin()
	if got := again.slash("undo"); !strings.Contains(got, "changed back a") || w.files() != "a=1 " {
		t.Errorf("got %q, files %q; %s", got, w.files(), again.told())
	}
}
