package fence

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// attack is a shell script that tries to leave the sandbox. Afterwards, no file outside must have
// changed, and the output must not contain the secret.
//
// The scripts run in the project, with these variables: OUT is a folder outside, SECRETS a hidden
// folder, AGENT the PID of a program outside, SOCKET and ABSTRACT are sockets outside, and SELF is
// this program.
type attack struct {
	name, script string
	needs        string // a program that the script uses
	// the script attacks an exception below a writable folder, or something else that Landlock
	// alone does not protect
	gap bool
	// the script attacks something that bubblewrap does not protect
	gapOfBubblewrap bool
}

// attacks reads the scripts. Comments at their beginning set the fields of attack.
func attacks(t *testing.T) (list []attack) {
	t.Helper()
	files, err := filepath.Glob("testdata/attacks/*.sh")
	if err != nil || len(files) == 0 {
		t.Fatal("no attacks", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := attack{name: filepath.Base(file), script: string(text)}
		for line := range strings.Lines(a.script) {
			if needs, ok := strings.CutPrefix(line, "# needs: "); ok {
				a.needs = strings.TrimSpace(needs)
			}
			a.gap = a.gap || strings.HasPrefix(line, "# gap: ")
			a.gapOfBubblewrap = a.gapOfBubblewrap || strings.HasPrefix(line,
				"# gap of bubblewrap: ")
		}
		list = append(list, a)
	}
	return list
}

// world holds the folders of an attack.
type world struct{ dir, project, out, secrets string }

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "w") // not t.TempDir: the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{dir, dir + "/project", dir + "/out", dir + "/home/secrets"}
	for path, text := range map[string]string{"out/file": "original",
		"home/secrets/key": "TOP SECRET", "project/.env": "TOP SECRET",
		"project/sub/.env": "TOP SECRET", "project/sub/deep/key": "TOP SECRET",
		"project/.git/config": "original", "project/.git/hooks/old": "original"} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Mkdir(filepath.Join(w.project, "linked"), 0o755)
	for link, to := range map[string]string{"hooks": "middle", "middle": "../.git/hooks",
		"settings": w.out + "/file", "missing": "nothing"} {
		if err := os.Symlink(to, filepath.Join(w.project, "linked", link)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func (w *world) policy(string) Policy {
	in := func(name string) string { return filepath.Join(w.project, name) }
	return Policy{Writable: []string{w.project},
		ReadOnly: []string{in(".git/config"), in(".git/hooks"), in("linked/hooks"),
			in("linked/settings"), in("linked/missing")},
		Hidden: []string{w.secrets, in(".env"), in("sub/.env"), in("sub/deep"),
			filepath.Join(w.dir, "socket")}}
}

// state returns everything that must not change.
func (w *world) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, root := range []string{w.out, w.secrets, w.project + "/.git", w.project + "/.env",
		w.project + "/sub", w.project + "/linked"} {
		err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			b.WriteString(path + " " + info.Mode().String())
			if info.Mode().IsRegular() {
				text, _ := os.ReadFile(path)
				b.WriteString(" " + info.ModTime().String() + " " + string(text))
			}
			b.WriteString("\n")
			return nil
		})
		if err != nil {
			b.WriteString(err.Error() + "\n")
		}
	}
	if list, err := os.ReadDir(w.dir); err == nil {
		for _, e := range list {
			b.WriteString(e.Name() + "\n")
		}
	}
	return b.String()
}

// listen accepts connections, and sends the secret to each.
func listen(t *testing.T, address string) {
	t.Helper()
	l, err := net.Listen("unix", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("TOP SECRET"))
			c.Close()
		}
	}()
}

// outsider starts a program that is not confined and has the secret in its environment and its open
// files. It returns the PID of the program.
func (w *world) outsider(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("/bin/bash", "-c",
		"exec 5< $SECRETS/key 6>> $OUT/file; echo; exec sleep 99")
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), "KEY=TOP SECRET", "OUT="+w.out,
		"SECRETS="+w.secrets)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(cmd.Process.Pid)
}

// eachMethod runs a test with each method that works on this machine.
func eachMethod(t *testing.T, run func(t *testing.T, m Method)) {
	t.Helper()
	if len(methods) == 0 {
		t.Skip("no sandbox on " + runtime.GOOS)
	}
	for _, m := range methods {
		t.Run(string(m.name), func(t *testing.T) {
			t.Parallel()
			if m.name == Mounts && os.Getuid() != 0 {
				t.Skip("only for root")
			}
			if err := works(m.name); err != nil {
				skipOrFail(t, err)
			}
			run(t, m.name)
		})
	}
}

// found holds a function for each method, which finds out once whether it works here.
var found sync.Map

// works returns why a method does not work on this machine; nil = it does.
func works(m Method) error {
	find, _ := found.LoadOrStore(m, sync.OnceValue(func() error {
		_, err := New(Options{Method: m}).Method()
		return err
	}))
	return find.(func() error)()
}

// newFence returns a fence that uses a method which works here: it does not find that out again,
// which would start programs.
func newFence(m Method, policy func(dir string) Policy) *Fence {
	f := New(Options{Method: m, Policy: policy})
	f.find.Do(func() { f.method = m })
	return f
}

// skipOrFail skips a test that this machine cannot run. With AGENT_CI set, where all tests must
// run, it fails.
func skipOrFail(t *testing.T, why error) {
	t.Helper()
	if os.Getenv("AGENT_CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// command returns a confined shell command in the project.
func (w *world) command(t *testing.T, f *Fence, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/bash", "-c", script)
	self, _ := os.Executable()
	cmd.Dir = w.project
	// the system's programs first, because python3 of a version manager is a script that starts ten
	// other programs
	path := "PATH=/usr/bin:/bin:" + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), path, "OUT="+w.out, "SECRETS="+w.secrets, "SELF="+self,
		"SOCKET="+w.dir+"/socket", "ABSTRACT=agent-fence-test"+w.dir)
	if err := f.Confine(cmd); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		for _, a := range attacks(t) {
			t.Run(a.name, func(t *testing.T) {
				if a.gap && m == Landlock || a.gapOfBubblewrap && m == Bubblewrap {
					t.Skip(m, "does not protect against this, as Fence.Gaps says")
				}
				if _, err := exec.LookPath(a.needs); a.needs != "" && err != nil {
					t.Skip(err)
				}
				w := newWorld(t)
				listen(t, filepath.Join(w.dir, "socket"))
				listen(t, "@agent-fence-test"+w.dir)
				f := newFence(m, w.policy)
				before := w.state(t)
				cmd := w.command(t, f, a.script)
				if strings.Contains(a.script, "AGENT") {
					cmd.Env = append(cmd.Env, "AGENT="+w.outsider(t))
				}
				out, _ := cmd.CombinedOutput()
				if bytes.Contains(out, []byte("TOP SECRET")) {
					t.Errorf("the output contains the secret:\n%s", out)
				}
				if now := w.state(t); now != before {
					t.Errorf("the script changed\n%s\nto\n%s\n%s", before, now, out)
				}
			})
		}
	})
}
