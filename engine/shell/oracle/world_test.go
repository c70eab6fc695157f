package oracle

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/touch"
)

// deadline is the time limit of a command line. After it, the command line is killed, and its
// effects until then are checked.
const deadline = 5 * time.Second

// world is a folder in which command lines run.
type world struct {
	root, bin, log, bash string
	n                    int
	guarded              bool // the folder is as furnishGuarded has filled it
}

// fake records its words, and ends each list of them.
const fake = "#!/bin/sh\nprintf '%s\\001' NAME \"$@\" END >> LOG\n"

// passing records its words as well, and runs them, without flags.
const passing = fake +
	"while [ $# -gt 0 ]; do case $1 in -u|-g) shift 2;; --) shift; break;; -*) shift;; *=*) " +
	"export \"$1\"; shift;; *) break;; esac; done\nexec \"$@\"\n"

// joining runs its words as ssh does: joined, in a shell.
const joining = fake +
	"while [ $# -gt 0 ]; do case $1 in -p|-o) shift 2;; -*) shift;; *) break;; esac; " +
	"done\nshift\nif [ $# = 0 ]; then exec sh; fi\nexec sh -c \"$*\"\n"

// strange is an unknown program: it runs its words, or the text after --exec and cmd: in a shell.
const strange = fake +
	"while [ $# -gt 0 ]; do case $1 in --exec) exec bash -c \"$2\";; --exec=*) exec bash -c " +
	"\"${1#--exec=}\";; cmd:*) exec bash -c \"${1#cmd:}\";; -*) shift;; *) break;; esac; " +
	"done\nexec \"$@\"\n"

// linked are the programs of the system that command lines may run.
var linked = strings.Fields(
	"bash sh dash env xargs find timeout nohup nice stdbuf setsid flock cat echo printf tee cp " +
		"mv ln mkdir touch truncate dd install sort head tail tr cut sed grep " +
		"awk perl python3 tar gzip base64 chmod true false test seq sleep wc uniq patch split ls " +
		"basename dirname kill id uname rsync unzip zip mktemp paste comm " +
		"cmp diff fold join nl node od rev sha1sum shuf tac")

func newWorld(t testing.TB) *world {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash here")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{root: root, bin: filepath.Join(root, "bin"), log: filepath.Join(root, "log"),
		bash: bash}
	if err := os.Mkdir(w.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range linked {
		if at, err := exec.LookPath(name); err == nil {
			if at, err = filepath.EvalSymlinks(at); err == nil {
				_ = os.Symlink(at, filepath.Join(w.bin, name))
			}
		}
	}
	for name, text := range map[string]string{"rm": fake, "git": fake, "curl": fake,
		"sudo": passing, "doas": passing, "ssh": joining, "zork": strange} {
		text = strings.NewReplacer("NAME", name, "LOG", "'"+w.log+"'").Replace(text)
		if err := os.WriteFile(filepath.Join(w.bin, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// run runs a command line in a new folder that fill has filled, and returns the words of the fakes
// that ran.
func (w *world) run(t testing.TB, line string, fill func(dir string)) (ran [][]string, dir string) {
	t.Helper()
	w.furnish(t, fill)
	return w.runLine(line), w.folder()
}

// folder is where the line runs.
func (w *world) folder() string {
	return filepath.Join(w.place(), "1", "2", "3", "4", "cwd")
}

// place holds what a line may change: it may leave its folder by .. a few times.
func (w *world) place() string {
	return filepath.Join(w.root, "run", string(rune('a'+w.n%26)))
}

// furnish makes a new folder, and fills it.
func (w *world) furnish(t testing.TB, fill func(dir string)) {
	t.Helper()
	w.guarded = false
	w.n++
	dir := w.folder()
	if err := os.RemoveAll(w.place()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(w.log)
	fill(dir)
}

// environ returns the environment of command lines.
func (w *world) environ() []string {
	return append([]string{"PATH=" + w.bin, "HOME=" + w.folder(), "TMPDIR=" + w.folder(),
		"LC_ALL=C.UTF-8"}, environment...)
}

// finder returns what predicts the files of command lines.
func (w *world) finder() touch.Finder {
	return touch.Finder{Home: w.folder()}.In(w.environ())
}

// parse returns a line as its rules see it.
func (w *world) parse(line string) *shell.Script { return w.finder().Parse(line, w.folder()) }

// runLine runs a command line in the folder.
func (w *world) runLine(line string) (ran [][]string) {
	dir := w.folder()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.bash, "-c", "ulimit -t 5 -f 2048; "+line+"\nwait")
	cmd.Dir, cmd.Env = dir, w.environ()
	setGroup(cmd)
	_ = cmd.Run() // its exit code does not matter
	killGroup(cmd)
	log, _ := os.ReadFile(w.log)
	for one := range strings.SplitSeq(string(log), "END\x01") {
		if words := strings.Split(one, "\x01"); len(words) > 1 {
			ran = append(ran, words[:len(words)-1])
		}
	}
	return ran
}

// look returns a fingerprint of each file below a folder, which shows whether it was changed.
func look(dir string) map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		state := d.Type().String()
		if info, err := d.Info(); err == nil && !d.IsDir() {
			to, _ := os.Readlink(p)
			state += info.Mode().String() + to
			if d.Type().IsRegular() {
				text, _ := os.ReadFile(p)
				state += info.ModTime().String() + string(text)
			}
		}
		out[p] = state
		return nil
	})
	return out
}
