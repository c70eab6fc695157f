//go:build unix

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/fault"
)

// gone waits until the process pid has ended, or fails.
func gone(t *testing.T, ctx context.Context, pid int) {
	t.Helper()
	for syscall.Kill(pid, 0) == nil {
		if b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(b),
			") Z ") {
			return // it has ended, and its new parent has not waited for it
		}
		if ctx.Err() != nil {
			t.Fatalf("process %d still runs", pid)
		}
		time.Sleep(time.Millisecond)
	}
}

// numberIn waits until a file contains a number, and returns it.
func numberIn(t *testing.T, ctx context.Context, file string) int {
	t.Helper()
	for {
		b, _ := os.ReadFile(file)
		if n, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil {
			return n
		}
		if ctx.Err() != nil {
			t.Fatalf("%s contains no number", file)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestExecEndsWithItsHandler: a program and its child processes end when their call is cancelled.
func TestExecEndsWithItsHandler(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	late, stop := context.WithTimeout(context.Background(), testTime)
	defer stop()
	file := filepath.Join(t.TempDir(), "pid")
	why := errors.New("enough")
	go func() {
		numberIn(t, late, file)
		cancel(why)
	}()
	_, err := callIn(ctx, "exec:sh")(New(Options{}).programs.sh, "sleep 60 & echo $! > "+file+
		"; wait", nil)
	if err != why {
		t.Errorf("got %v, want the cause", err)
	}
	gone(t, late, numberIn(t, late, file))
}

// TestExecLeavesNothing: background processes of a program are ended with it, and neither they nor
// processes in another session block the call.
func TestExecLeavesNothing(t *testing.T) {
	ctx, call := granted(t, "exec:*")
	table := New(Options{})
	file := filepath.Join(t.TempDir(), "pid")
	r, err := call(table.programs.sh, "sleep 60 & echo $! > "+file+"; echo done", nil)
	if err != nil || r["stdout"] != "done\n" || r["code"] != 0 {
		t.Errorf("got %v, %v", r, err)
	}
	gone(t, ctx, numberIn(t, ctx, file))
	if _, err := os.Stat("/usr/bin/setsid"); err != nil {
		t.Skip("no setsid")
	}
	r, err = call(table.programs.sh, "setsid sh -c 'echo $$ > "+file+"2; exec sleep 60' & while "+
		"! test -s "+
		file+"2; do sleep 0.01; done; echo done", nil)
	if err != nil || r["stdout"] != "done\n" {
		t.Errorf("got %v, %v", r, err)
	}
	_ = syscall.Kill(numberIn(t, ctx, file+"2"), syscall.SIGKILL)
}

// TestExecSearchesOnlyPath: a program in the working directory, or in a relative entry of PATH, is
// not run.
func TestExecSearchesOnlyPath(t *testing.T) {
	_, call := granted(t, "exec:tool")
	dir, bin := t.TempDir(), t.TempDir()
	for at, say := range map[string]string{dir: "wrong", bin: "right"} {
		if err := os.WriteFile(filepath.Join(at, "tool"), []byte("#!/bin/sh\necho "+say+"\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	table := New(Options{LookupEnv: func(name string) (string, bool) {
		return ".::" + bin,
			name == "PATH"
	}})
	options := object{"cwd": dir, "env": object{"PATH": dir}}
	if r, err := call(table.programs.exec, []any{"tool"}, options); err != nil ||
		r["stdout"] != "right\n" {
		t.Errorf("got %v, %v", r, err)
	}
	if err := os.Chmod(filepath.Join(bin, "tool"), 0o644); err != nil {
		t.Fatal(err)
	}
	var w *fault.WorldError
	if _, err := call(table.programs.exec, []any{"tool"}, options); !errors.As(err, &w) ||
		w.Code != "denied" {
		t.Errorf("got %v, want denied", err)
	}
	for _, path := range []string{"./tool", filepath.Join(bin, "tool"), "../tool"} {
		if _, err := call(table.programs.exec, []any{path}, options); err == nil ||
			!strings.Contains(err.Error(), `needs "@grant exec:/`) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// TestExecLines: no line is lost, even if on_line is slow or the program ends at once.
func TestExecLines(t *testing.T) {
	_, call := granted(t, "exec:sh")
	var got []string
	slow := goFunc(func(args ...any) (any, error) {
		if len(got) == 0 {
			// longer than the wait for the remaining output of a program that has ended
			time.Sleep(400 * time.Millisecond)
		}
		got = append(got, args[0].(string))
		return nil, nil
	})
	r, err := call(New(Options{}).programs.sh, "seq 1 100000", object{"on_line": slow})
	if err != nil || r["code"] != 0 {
		t.Fatalf("got %v, %v", r, err)
	}
	if len(got) != 100000 || got[99999] != "100000" {
		t.Errorf("got %d lines, the last is %s", len(got), got[len(got)-1])
	}
	if want := strings.Join(got, "\n") + "\n"; r["stdout"] != want {
		t.Errorf("stdout has %d bytes, want %d", len(r["stdout"].(string)), len(want))
	}
	got = nil
	if _, err = call(New(Options{}).programs.sh, "head -c 200001 /dev/zero | tr '\\0' x",
		object{"on_line": slow}); err != nil {
		t.Fatal(err)
	}
	if len(got) != 4 || len(got[0]) != lineBytes || len(strings.Join(got, "")) != 200001 {
		t.Errorf("a line without end arrived in %d parts", len(got))
	}
}

// TestExecLongOutput: the beginning and the end of a long output are kept.
func TestExecLongOutput(t *testing.T) {
	_, call := granted(t, "exec:sh")
	r, err := call(New(Options{}).programs.sh, "echo begin; seq 1 1000000; echo end", nil)
	if err != nil {
		t.Fatal(err)
	}
	out := r["stdout"].(string)
	if n := len(out); n > 2*outputKept+100 || n < 2*outputKept ||
		!strings.HasPrefix(out, "begin\n1\n2\n") || !strings.HasSuffix(out, "\n1000000\nend\n") ||
		!strings.Contains(out, fmt.Sprintf("\n[%d bytes left out]\n", r["left_out"])) {
		t.Errorf("got %d bytes, left out %v", n, r["left_out"])
	}
}

func TestExecReadsNoInput(t *testing.T) {
	_, call := granted(t, "exec:*")
	r, err := call(New(Options{}).programs.exec, []any{"true"}, object{"stdin": strings.Repeat("x",
		1<<20)})
	if err != nil || r["code"] != 0 {
		t.Errorf("got %v, %v", r, err)
	}
	r, err = call(New(Options{}).programs.sh, "wc -c", object{"stdin": strings.Repeat("x", 1<<20)})
	if err != nil || strings.TrimSpace(r["stdout"].(string)) != "1048576" {
		t.Errorf("got %v, %v", r, err)
	}
}

func BenchmarkExec(b *testing.B) {
	call := callIn(context.Background(), "exec:*")
	table := New(Options{})
	for b.Loop() {
		if _, err := call(table.programs.exec, []any{"true"}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
