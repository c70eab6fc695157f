package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/internal/store"
	"github.com/agentscripts/agent/engine/ramdisk"
)

// deadline bounds every test: each change waits for the disk, which may be busy.
const deadline = 5 * time.Minute

const owner = "user/notes.lua"

// TestMain runs the test binary as a process that uses the store if STORE_CHILD is "write" or
// "add".
func TestMain(m *testing.M) {
	ramdisk.Use()
	if os.Getenv("STORE_CHILD") == "" {
		os.Exit(m.Run())
	}
	s, ctx := store.New(os.Getenv("STORE_DIR")), context.Background()
	n, _ := strconv.Atoi(os.Getenv("STORE_N"))
	for i := 1; i <= n; i++ {
		key, change := "key"+strconv.Itoa(i), func(any) (any, bool, error) {
			return float64(i),
				true, nil
		}
		if os.Getenv("STORE_CHILD") == "add" {
			key, change = "n", func(now any) (any, bool, error) {
				f, _ := now.(float64)
				return f + 1, true, nil
			}
		}
		if err := s.Change(ctx, owner, key, change); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(i) // it is stored
	}
}

func child(ctx context.Context, t *testing.T, what, dir string, n int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), "STORE_CHILD="+what, "STORE_DIR="+dir,
		"STORE_N="+strconv.Itoa(n))
	return cmd
}

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	return ctx
}

// TestKilled: if a process is killed in the middle of 1,000 changes, all changes that returned are
// stored, and at most one more.
func TestKilled(t *testing.T) {
	ctx := timeout(t)
	for round, after := range []int{1, 17, 120} {
		dir := t.TempDir()
		cmd := child(ctx, t, "write", dir, 1000)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		known := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if known, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatalf("child: %s", lines.Text())
			}
			if known == after {
				cmd.Process.Kill()
			}
		}
		if cmd.Wait() == nil {
			t.Errorf("round %d: it was not killed", round)
		}
		s := store.New(dir)
		values, err := s.Values(ctx, owner)
		if n := len(values); err != nil || n != known && n != known+1 {
			t.Errorf("round %d: got %d values, %v; want %d, or one more", round, n, err, known)
		}
		for i := 1; i <= known; i++ {
			if values["key"+strconv.Itoa(i)] != float64(i) {
				t.Fatalf("round %d: key%d: got %v", round, i, values["key"+strconv.Itoa(i)])
			}
		}
		if err := s.Change(ctx, owner, "after", func(any) (any, bool, error) {
			return true, true,
				nil
		}); err != nil {
			t.Errorf("round %d: the store cannot be used any more: %v", round, err)
		}
	}
}

// TestOneAfterTheOther: a process that makes many changes lets others in between.
func TestOneAfterTheOther(t *testing.T) {
	const tries, changes, each = 5, 20, 5
	between := 0
	// updates before the others wait count too, and a busy machine makes that more
	for range tries {
		if between = changesBetween(t, changes); between <= changes*each {
			return
		}
	}
	t.Errorf("%d changes came between %d", between, changes)
}

// changesBetween returns how many changes one process makes while others make n.
func changesBetween(t *testing.T, n int) (between int) {
	t.Helper()
	ctx, dir := timeout(t), t.TempDir()
	busy, stop := context.WithCancel(ctx)
	began, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for s := store.New(dir); busy.Err() == nil; between++ {
			_ = s.Change(busy, owner, "n", func(any) (any, bool, error) {
				if between == 0 {
					close(began)
				}
				time.Sleep(5 * time.Millisecond) // the disk is slow
				return nil, false, nil
			})
		}
	}()
	<-began
	for range n {
		if err := store.New(dir).Change(ctx, owner, "m",
			func(any) (any, bool, error) { return nil, false, nil }); err != nil {
			t.Error(err)
		}
	}
	stop()
	<-ended
	return between
}

// TestProcesses: no change of several processes is lost.
func TestProcesses(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	const processes, each = 4, 40
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			if out, err := child(ctx, t, "add", dir, each).CombinedOutput(); err != nil {
				t.Errorf("child: %v: %s", err, out)
			}
		})
	}
	all.Wait()
	if n, err := store.New(dir).Get(ctx, owner, "n"); n != float64(processes*each) || err != nil {
		t.Errorf("got %v, %v; want %d", n, err, processes*each)
	}
}

// TestSeen: a change of one store is visible in another one at once.
func TestSeen(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	a, b := store.New(dir), store.New(dir)
	for i := range 50 {
		v := float64(i + 1)
		if err := a.Change(ctx, owner, "n", func(any) (any, bool, error) {
			return v, true,
				nil
		}); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Get(ctx, owner, "n"); got != v || err != nil {
			t.Fatalf("got %v, %v; want %v", got, err, v)
		}
	}
	if got, err := b.Get(ctx, "user/other.lua", "n"); got != nil || err != nil {
		t.Errorf("another owner: got %v, %v", got, err)
	}
}

// TestDamaged: a damaged file is an error that names it, and is kept; the next call begins with an
// empty file.
func TestDamaged(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"version":1}`, "\x00\x00",
		`{"version":1,"values":{"a":1}`} {
		ctx, dir := timeout(t), t.TempDir()
		path := filepath.Join(dir, filepath.FromSlash(owner)+".json")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := store.New(dir)
		_, err := s.Get(ctx, owner, "a")
		var damaged *store.DamagedError
		if !errors.As(err, &damaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: got %v", text, err)
			continue
		}
		if kept, err := os.ReadFile(damaged.Aside); string(kept) != text || err != nil {
			t.Errorf("%q: kept %q, %v", text, kept, err)
		}
		if v, err := s.Get(ctx, owner, "a"); v != nil || err != nil {
			t.Errorf("%q: then got %v, %v", text, v, err)
		}
	}
}

// TestChangesThatAreRefused: a file of a newer program is not changed, and values that are too
// large are not stored.
func TestChangesThatAreRefused(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	s := store.New(dir)
	large := strings.Repeat("x", 1<<20)
	var err error
	for i := 0; err == nil && i < 20; i++ {
		err = s.Change(ctx, owner, strconv.Itoa(i),
			func(any) (any, bool, error) { return large, true, nil })
	}
	if values, _ := s.Values(ctx, owner); !errors.Is(err, store.ErrFull) || len(values) != 15 {
		t.Errorf("got %d values, %v", len(values), err)
	}
	path := filepath.Join(dir, filepath.FromSlash(owner)+".json")
	newer := `{"version":2,"values":{"a":1}}`
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Change(ctx, owner, "a", func(any) (any, bool, error) {
		return 2.0, true, nil
	}); err == nil || !strings.Contains(err.Error(), "version 2 of a newer program") {
		t.Errorf("got %v", err)
	}
	if b, err := os.ReadFile(path); string(b) != newer || err != nil {
		t.Errorf("got %s, %v", b, err)
	}
}

// TestCancelled: a call that waits for the lock ends with its context.
func TestCancelled(t *testing.T) {
	ctx, dir := timeout(t), t.TempDir()
	s := store.New(dir)
	begun, done := make(chan struct{}), make(chan error)
	go func() {
		done <- s.Change(ctx, owner, "a", func(any) (any, bool,
			error) {
			close(begun)
			<-done
			return nil, false, nil
		})
	}()
	<-begun
	stop, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("enough"))
	if err := s.Change(stop, owner, "a", func(any) (any, bool, error) {
		return 1.0, true,
			nil
	}); err == nil || err.Error() != "enough" {
		t.Errorf("got %v", err)
	}
	done <- nil
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func BenchmarkChange(b *testing.B) {
	s, ctx := store.New(b.TempDir()), context.Background()
	for i := range b.N {
		if err := s.Change(ctx, owner, "n", func(any) (any, bool, error) {
			return float64(i), true,
				nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
