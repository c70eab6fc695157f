//go:build unix

package tool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine/process"
)

func TestBash(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "sub/f", "")
	tests := []struct {
		name string
		args map[string]any
		want string
	}{
		{"both streams", map[string]any{"command": "echo out; sleep 0.5; echo err >&2"},
			"out\nerr\n"},
		{"silent", map[string]any{"command": "true"}, "[no output]"},
		{"exit code", map[string]any{"command": "echo x; exit 3"}, "!x\n[exit code 3]"},
		{"no newline", map[string]any{"command": "printf x; false"}, "!x\n[exit code 1]"},
		{"not found", map[string]any{"command": "nosuchprogram"}, "![exit code 127]"},
		{"signal", map[string]any{"command": "kill -9 $$"}, "!ended by a signal"},
		{"no input", map[string]any{"command": "cat; read x || echo end"}, "end\n"},
		{"cwd", map[string]any{"command": "basename $PWD", "cwd": "sub"}, "sub\n"},
		{"NUL", map[string]any{"command": "echo a\x00b"}, "!command: has a NUL byte in it"},
		{"long", map[string]any{"command": ": " + strings.Repeat("x", commandBytes)},
			"!write a file, and run that"},
		{"cwd missing", map[string]any{"command": "pwd", "cwd": "zz"}, "!cwd zz: no such file"},
		{"cwd no directory", map[string]any{"command": "pwd", "cwd": "sub/f"},
			"!is not a directory"},
		{"syntax", map[string]any{"command": "if"}, "![exit code "},
		{"binary", map[string]any{"command": `printf 'a\377b'`}, "a\uFFFDb"},
		{"colours", map[string]any{"command": `printf '\033[31mred\033[0m\033]0;title\007 text\n'`},
			"red text\n"},
		{"progress", map[string]any{"command": `printf '10%%\r50%%\r100%%\n'; printf 'wait for ` +
			`it\r\033[K' >&2; echo done`}, "100%\ndone\n"},
		{"background lets go", map[string]any{"command": "sleep 3 & echo done"}, "done\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { expect(t, call(t, dir, "bash", tt.args), tt.want) })
	}
}

// TestBashTimeout checks that a timeout keeps the output so far. It retries with longer timeouts,
// because a shell may start slowly.
func TestBashTimeout(t *testing.T) {
	t.Parallel()
	for timeout := 0.25; ; timeout *= 4 {
		r := call(t, t.TempDir(), "bash", map[string]any{"command": "echo a; sleep 300",
			"timeout": timeout})
		if !strings.HasPrefix(text(r), "a\n") && timeout < 60 {
			continue
		}
		expect(t, r, fmt.Sprintf("!a\n[timed out after %v",
			time.Duration(timeout*float64(time.Second))))
		return
	}
}

func TestBashDetails(t *testing.T) {
	t.Parallel()
	r := call(t, t.TempDir(), "bash", map[string]any{"command": "exit 3"})
	if r.Details["exit_code"] != 3 || r.Details["timed_out"] != false {
		t.Errorf("got %v", r.Details)
	}
}

func TestBashStreams(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	dir := t.TempDir()
	var mu sync.Mutex
	var got, gotErr string
	r := callContext(ctx, t, dir, "bash",
		map[string]any{"command": `echo first; while [ ! -e go ]; do sleep 0.01; done; echo err ` +
			`>&2; printf '\303'; sleep 0.1; printf '\251'`},
		func(chunk string, stderr bool) {
			mu.Lock()
			defer mu.Unlock()
			if stderr {
				gotErr += chunk
			} else if got += chunk; got == "first\n" { // the command waits for this report
				os.WriteFile(filepath.Join(dir, "go"), nil, 0o644)
			}
		})
	if got != "first\né" || gotErr != "err\n" || r.IsError {
		t.Errorf("got %q and %q, %s", got, gotErr, text(r))
	}
}

func TestBashKeepsBeginningAndEnd(t *testing.T) {
	t.Parallel()
	r := call(t, t.TempDir(), "bash",
		map[string]any{"command": "echo begin; yes é | head -n 100000; echo end; exit 1"})
	got := text(r)
	if !strings.HasPrefix(got, "begin\né\n") || !strings.HasSuffix(got, "é\nend\n[exit code 1]") ||
		strings.Contains(got, "\uFFFD") {
		t.Errorf("got %q ... %q", got[:40], got[len(got)-60:])
	}
	if n := strings.Count(got, "\n"); n < output.Lines || n > output.Lines+2 {
		t.Errorf("got %d lines, want about %d", n, output.Lines)
	}
	path, _ := r.Details["full_output"].(string)
	if !strings.Contains(got, "the whole output is in "+path+": ") {
		t.Errorf("the result does not name the file: %s", path)
	}
	if full := get(t, path); full != "begin\n"+strings.Repeat("é\n", 100000)+"end\n" {
		t.Errorf("file has %d bytes", len(full))
	}
}

func TestBashCancelAndTimeoutKillTheWholeGroup(t *testing.T) {
	t.Parallel()
	// A child and a grandchild ignore SIGTERM. On Linux, another process leaves the group, as
	// timeout(1) does with its command.
	command := `trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 300; sleep 300) & echo ` +
		`$$ > parent; `
	who := []string{"parent", "child"}
	if runtime.GOOS == "linux" {
		command += `set -m; (trap '' TERM; echo $BASHPID > stray; sleep 300; sleep 300) & `
		who = append(who, "stray")
	}
	command += `sleep 300; sleep 300`
	for _, how := range []string{"cancel", "timeout"} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			absent := func() bool {
				return slices.ContainsFunc(who,
					func(name string) bool { return pid(dir, name) == 0 })
			}
			args := map[string]any{"command": command, "timeout": 0.5}
			if how == "cancel" {
				args["timeout"] = 300.0
				go func() {
					for ctx.Err() == nil && absent() {
						time.Sleep(5 * time.Millisecond)
					}
					cancel()
				}()
			}
			r := callContext(ctx, t, dir, "bash", args, nil)
			// retry with more time if some were killed before they started
			for timeout := 2.0; absent() && timeout < 60; timeout *= 4 {
				args["timeout"] = timeout
				r = callContext(ctx, t, dir, "bash", args, nil)
			}
			if !r.IsError || !strings.Contains(text(r), "were killed") {
				t.Errorf("got %s", text(r))
			}
			for _, name := range who {
				p := pid(dir, name)
				if p == 0 {
					t.Fatalf("%s: no process id", name)
				}
				for end := time.Now().Add(time.Minute); alive(p); time.Sleep(5 * time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("%s lives", name)
					}
				}
			}
		})
	}
}

func pid(dir, name string) int {
	b, _ := os.ReadFile(filepath.Join(dir, name))
	if !strings.HasSuffix(string(b), "\n") {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

// alive reports whether the process runs. It returns false for a zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(b), ") Z ")
}

// TestEndingNote checks that the note claims that all processes have ended only if they are known.
func TestEndingNote(t *testing.T) {
	for all, want := range map[bool]string{true: "all processes that it started were killed",
		false: "detached themselves (setsid) may still run"} {
		e := ending{process.TimedOut, "timed out", all}
		if got := e.endingNote(nil); !strings.Contains(got, want) {
			t.Errorf("%v: got %q, want %q", all, got, want)
		}
	}
}

func TestBashWithACancelledContextRunsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := callContext(ctx, t, dir, "bash", map[string]any{"command": "touch x"},
		nil); !r.IsError {
		t.Errorf("got %s", text(r))
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("it ran")
	}
}
