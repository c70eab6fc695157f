package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// lifted runs a script in a sandbox that is lifted for some paths.
func (w *world) lifted(t *testing.T, m Method, l Lift, script string) string {
	t.Helper()
	f := newFence(m, w.policy)
	cmd := w.command(t, New(Options{Method: None}), script)
	if err := f.ConfineBut(l)(cmd); err != nil {
		t.Fatal(err)
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// TestLift: a program may use the paths for which the sandbox is lifted, and nothing else.
func TestLift(t *testing.T) {
	t.Parallel()
	const attack = `
echo x > $OUT/file; rm $OUT/file; mv $OUT/file $OUT/f; ln -sf /etc/passwd $OUT/file
rm -rf $OUT/linked; mv $OUT $OUT-moved; rm -r $OUT/sub/file; mv $OUT/sub $OUT/s; echo x > $OUT/sub/file
echo x > $OUT/linked/key; cat $SECRETS/key; cat .env; echo x > .git/config; rm .git/hooks/old
chmod 777 $OUT/file; touch -d 2001-01-01 $OUT/file; cp /etc/passwd $SECRETS/../x; exit 0`
	in := func(w *world, name string) string {
		return filepath.Join(w.dir, name)
	}
	for _, tt := range []struct {
		name          string
		reads, writes []string
		script        string
		want          []string // what exists then, of these paths
		prints        string
	}{
		{"a new file", nil, []string{"out/new"}, "echo x > $OUT/new", []string{"out/new"}, ""},
		{"moved", nil, []string{"out/new"}, "touch a; mv a $OUT/new", []string{"out/new"}, ""},
		{"a link", nil, []string{"out/new"}, "ln -s /etc/passwd $OUT/new", []string{"out/new"}, ""},
		{"two files", nil, []string{"out/new", "out/more"}, "touch $OUT/new $OUT/more",
			[]string{"out/new", "out/more"}, ""},
		{"a new folder", nil, []string{"out/a/b/new"}, "mkdir -p $OUT/a/b; touch $OUT/a/b/new",
			[]string{"out/a/b/new"}, ""},
		{"a folder below", nil, []string{"out/new", "out/sub/new"},
			"touch $OUT/new $OUT/sub/new", []string{"out/new", "out/sub/new"}, ""},
		{"a file that exists", nil, []string{"out/sub/file"}, "echo a > $OUT/sub/file;" +
			"rm $OUT/sub/file && echo new > $OUT/sub/file && cat $OUT/sub/file", nil, "new"},
		{"a hook", nil, []string{"project/.git/hooks/new"}, "touch .git/hooks/new",
			[]string{"project/.git/hooks/new"}, ""},
		{"a hidden file", []string{"project/.env"}, nil, "cat .env", nil, "TOP SECRET"},
		{"in a hidden folder", []string{"project/sub/deep/key"}, nil, "cat sub/deep/key", nil,
			"TOP SECRET"},
		{"a new file in a hidden folder", nil, []string{"home/secrets/new"}, "touch $SECRETS/new",
			[]string{"home/secrets/new"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachMethod(t, func(t *testing.T, m Method) {
				w := newWorld(t)
				original := func() {
					file := in(w, "out/sub/file")
					os.MkdirAll(filepath.Dir(file), 0o755)
					os.WriteFile(file, []byte("original"), 0o644)
					os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))
				}
				original()
				os.Symlink(w.secrets, in(w, "out/linked"))
				l := Lift{}
				for _, name := range tt.reads {
					l.Reads = append(l.Reads, in(w, name))
				}
				for _, name := range tt.writes {
					l.Writes = append(l.Writes, in(w, name))
				}
				f := newFence(m, w.policy)
				beside, err := f.CanLift("", l.Reads, l.Writes)
				links := slices.ContainsFunc(l.Writes, func(path string) bool {
					return filepath.Dir(path) == w.out || strings.HasPrefix(path, w.out+"/a")
				})
				if m == Landlock && len(l.Writes) > 0 || m == Bubblewrap && links {
					if err == nil && !strings.HasPrefix(l.Writes[0], w.project) {
						t.Errorf("%s cannot do that, but says that it can: %q", m, beside)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				before := w.state(t)
				out := w.lifted(t, m, l, tt.script+attack)
				for _, name := range tt.want {
					path := in(w, name)
					if _, err := os.Lstat(path); err != nil {
						t.Errorf("%v\n%s", err, out)
					}
					os.RemoveAll(path)
				}
				os.RemoveAll(in(w, "out/a"))
				if slices.Contains(tt.writes, "out/sub/file") {
					original()
				}
				if m != Landlock && w.state(t) != before {
					t.Errorf("the program changed\n%s\nto\n%s\n%s", before, w.state(t), out)
				}
				if secret := strings.Contains(out, "TOP SECRET"); m != Landlock &&
					secret != (len(tt.reads) > 0) || !strings.Contains(out, tt.prints) {
					t.Errorf("got %s", out)
				}
			})
		})
	}
}

// TestCannotLift: the sandbox is not lifted if that would allow more than the paths, besides new
// files beside them that are not protected.
func TestCannotLift(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		os.Symlink(w.out, w.dir+"/link")
		f := newFence(m, func(dir string) Policy {
			p := w.policy(dir)
			p.ReadOnly = append(p.ReadOnly, w.out+"/missing/config", w.out+"/sub/config")
			return p
		})
		os.Mkdir(w.out+"/sub", 0o755)
		for path, want := range map[string]string{
			w.out + "/new":      "could make " + w.out + "/missing/config",
			w.out + "/missing":  "could make " + w.out + "/missing/config",
			w.out + "/sub/x":    "could make " + w.out + "/sub/config",
			w.dir + "/new":      "holds folders that programs may write",
			w.dir + "/link/new": "leads elsewhere",
			"/agent-fence-x":    "the folder /",
		} {
			if m == Landlock {
				want = ""
			}
			_, err := f.CanLift("", nil, []string{path})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", path, err, want)
			}
		}
	})
}

// TestRefuses: what the sandbox would refuse is known before the program runs.
func TestRefuses(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		f := newFence(m, w.policy)
		inside := []string{w.project + "/.env", w.project + "/.git/hooks/new"}
		reads, writes := f.Refuses(w.project, []string{w.project + "/a", w.secrets + "/key",
			w.secrets + "/missing", w.out + "/file", inside[0]},
			[]string{w.project + "/a", w.out + "/new", w.out + "/a/b", "/dev/null", "/dev/shm/x",
				w.project + "/.git/index", inside[1], inside[0]})
		wantReads := []string{w.secrets + "/key", inside[0]}
		wantWrites := []string{w.out + "/new", w.out + "/a/b", inside[1], inside[0]}
		if m == Landlock { // it makes no exceptions in the project
			wantReads, wantWrites = wantReads[:1], wantWrites[:2]
		}
		slices.Sort(wantReads)
		if !slices.Equal(reads, wantReads) || !slices.Equal(writes, wantWrites) {
			t.Errorf("got %q and %q,\nwant %q and %q", reads, writes, wantReads, wantWrites)
		}
	})
}

// TestLiftedFolderIsReplaced: a folder that was replaced by a link, after the policy was made, is
// not opened.
func TestLiftedFolderIsReplaced(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		if m != Mounts && m != Namespaces {
			t.Skip(m, "does not lift, or follows links")
		}
		w := newWorld(t)
		other := filepath.Join(w.dir, "home", "other")
		for _, dir := range []string{other, w.out + "/sub"} {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, replaced := range []bool{false, true} {
			f := newFence(m, w.policy)
			cmd := w.command(t, New(Options{Method: None}), "echo ran; touch $OUT/sub/new")
			if err := f.ConfineBut(Lift{Writes: []string{w.out + "/sub/new"}})(cmd); err != nil {
				t.Fatal(err)
			}
			if replaced {
				os.Rename(w.out+"/sub", w.out+"/old")
				os.Symlink(other, w.out+"/sub")
			}
			out, err := cmd.CombinedOutput()
			if _, made := os.Lstat(other + "/new"); made == nil ||
				replaced != (err != nil && !strings.Contains(string(out), "ran")) {
				t.Errorf("replaced %v: %v, %s", replaced, err, out)
			}
		}
	})
}
