// This file runs command lines with a real bash, to compare what it runs with what Parse finds.

package shell

import (
	stdcontext "context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bashLimit ends a line that hangs. What it ran until then counts.
const bashLimit = 5 * time.Second

// realPrograms are the programs beside the stubs that lines may use. None of them changes a file
// that it is not told to change.
var realPrograms = []string{"awk", "bash", "cat", "cut", "env", "find", "head", "nice", "nohup",
	"perl", "printf", "python3", "sed", "setsid", "sh", "sleep", "sort", "tail", "tee", "timeout",
	"tr", "true", "xargs"}

// stubbed are the programs of testRules and others that are dangerous: each is a program that only
// records its words.
var stubbed = []string{"rm", "git"}

// bash runs lines in a folder of its own. The only programs are realPrograms and the stubs.
type bash struct {
	dir, bin, log string
	program       string
}

// newBash returns a bash with its folders below dir, or skips the test.
func newBash(t testing.TB, dir string) *bash {
	t.Helper()
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: ", err)
	}
	b := &bash{dir: filepath.Join(dir, "work"), bin: filepath.Join(dir, "bin"),
		log: filepath.Join(dir, "log"), program: program}
	for _, folder := range []string{b.dir, b.bin} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range realPrograms {
		if path, err := exec.LookPath(name); err == nil {
			os.Symlink(path, filepath.Join(b.bin, name))
		}
	}
	for _, name := range stubbed {
		stub := "#!" + program + "\nprintf '%s\\t' \"${0##*/}\" \"$@\" >>" + b.log + "\n" +
			"echo >>" + b.log + "\n"
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(stub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// run runs a line and returns the commands that stubs recorded, each with its words.
func (b *bash) run(t testing.TB, line string) (ran []string) {
	t.Helper()
	os.RemoveAll(b.dir)
	os.Remove(b.log)
	if err := os.Mkdir(b.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := stdcontext.WithTimeout(stdcontext.Background(), bashLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.program, "-c", line)
	cmd.Dir = b.dir
	cmd.Env = []string{"PATH=" + b.bin, "HOME=" + b.dir, "LC_ALL=C.UTF-8"}
	cmd.WaitDelay = time.Second
	inGroup(cmd)
	cmd.Run() // most lines fail somewhere
	text, err := os.ReadFile(b.log)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// forbidden returns the first of the commands that testRules denies or asks about; "" = none.
func forbidden(ran []string) string {
	for _, command := range ran {
		words := strings.Split(strings.TrimSuffix(command, "\t"), "\t")
		for _, w := range words {
			long := len(w) > 3 && strings.HasPrefix("--recursive", w)
			short := len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.ContainsAny(w, "rR")
			if words[0] == "rm" && (long || short) {
				return command
			}
		}
		if words[0] == "git" && len(words) > 2 && words[1] == "push" &&
			slices.Contains(words, "--force") {
			return command
		}
	}
	return ""
}

// compare fails if bash runs a command in silence that testRules is about. It reports whether the
// line ran.
func (b *bash) compare(t *testing.T, line string) bool {
	t.Helper()
	if v := Parse(line).Check(testRules); v.Decision != "" {
		return false
	}
	if command := forbidden(b.run(t, line)); command != "" {
		t.Errorf("bash ran %q, and Check was silent:\n%s\n%q", command, line, line)
	}
	return true
}
