// Package bashtest compares what a real bash does with what the program predicts.
//
//	b := bashtest.New(t, t.TempDir())
//	b.Each(t, goals, func(line string) bool {
//		if predicts(line) {
//			return false
//		}
//		ran := b.Run(t, line)
//		...
//		return true
//	})
package bashtest

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// limit ends a line that hangs. What it ran until then counts.
const limit = 5 * time.Second

// usual is how many lines a test generates.
const usual = 3_000

// programs are the programs that lines may use, beside the stubs. None of them changes a file that
// it is not told to change.
var programs = []string{"awk", "base64", "bash", "cat", "cmp", "comm", "cp", "cut", "dd", "diff",
	"env", "find", "fold", "grep", "gzip", "head", "install", "join", "ln", "ls", "mkdir", "mv",
	"nice", "nl", "nohup", "od", "paste", "perl", "printf", "python3", "rev", "sed", "setsid", "sh",
	"sha1sum", "shuf", "sleep", "sort", "split", "tac", "tail", "tar", "tee", "timeout", "touch",
	"tr", "true", "truncate", "uniq", "wc", "xargs"}

// Bash runs lines in a folder of its own.
type Bash struct {
	Dir          string // the current folder of each line, and its home
	bin, log, sh string
	files        map[string]string
}

// New returns a bash with its folders below dir, or skips the test. stubs are programs that only
// record that they ran; the other programs are the usual ones of the system. Files are what Dir
// contains when a line begins, by path.
func New(t testing.TB, dir string, stubs []string, files map[string]string) *Bash {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	sh, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: ", err)
	}
	b := &Bash{Dir: filepath.Join(dir, "work"), bin: filepath.Join(dir, "bin"),
		log: filepath.Join(dir, "log"), sh: sh, files: files}
	if err := os.Mkdir(b.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(path, filepath.Join(b.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range stubs {
		text := "#!" + sh + "\nprintf '%s\\t' \"${0##*/}\" \"$@\" >>" + b.log + "\n" +
			"echo >>" + b.log + "\n"
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// Reset puts the files of New into Dir, and removes all others.
func (b *Bash) Reset(t testing.TB) {
	t.Helper()
	os.Remove(b.log)
	if err := os.RemoveAll(b.Dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range b.files {
		path := filepath.Join(b.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(b.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

// Run runs a line, and returns the commands that stubs recorded: each is a list of words.
func (b *Bash) Run(t testing.TB, line string) (ran [][]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.sh, "-c", line)
	cmd.Dir = b.Dir
	cmd.Env = []string{"PATH=" + b.bin, "HOME=" + b.Dir, "LC_ALL=C.UTF-8"}
	cmd.WaitDelay = time.Second
	inGroup(cmd)
	cmd.Run() // most lines fail somewhere
	text, err := os.ReadFile(b.log)
	if err != nil {
		return nil
	}
	for command := range strings.Lines(string(text)) {
		ran = append(ran, strings.Split(strings.TrimSuffix(command, "\t\n"), "\t"))
	}
	return ran
}

// Each calls check with generated lines; check reports whether the line ran. The variable
// BASH_LINES sets how many lines there are, and makes them others each time.
func Each(t *testing.T, goals []string, check func(line string) bool) {
	t.Helper()
	n, seed := usual, uint64(1)
	if text := os.Getenv("BASH_LINES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal("BASH_LINES: ", err)
		}
		seed = rand.Uint64()
	}
	random, silent := rand.New(rand.NewPCG(seed, 0)), 0
	for range n {
		choices := make([]byte, 6+random.IntN(30))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		if check(Line(choices, goals)) {
			silent++
		}
	}
	t.Logf("%d lines, of which %d ran with bash", n, silent)
	if silent < n/200 {
		t.Errorf("only %d of %d lines ran", silent, n)
	}
}
