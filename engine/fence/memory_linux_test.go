//go:build amd64 || arm64

package fence

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// newSegment creates a segment of System V shared memory that holds the secret, and returns its
// number.
func newSegment(t *testing.T) string {
	t.Helper()
	const private, size, remove = 0, 4096, 0
	id, _, errno := syscall.Syscall(syscall.SYS_SHMGET, private, size, 0o666)
	if errno != 0 {
		t.Skip("no shared memory: ", errno)
	}
	t.Cleanup(func() { syscall.Syscall(syscall.SYS_SHMCTL, id, remove, 0) })
	at, _, errno := syscall.Syscall(syscall.SYS_SHMAT, id, 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer syscall.Syscall(syscall.SYS_SHMDT, at, 0, 0)
	memory := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size)
	copy(memory, "TOP SECRET")
	return strconv.Itoa(int(id))
}

// TestNamedMemory: programs share memory and semaphores by names, but not with programs outside.
func TestNamedMemory(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(sharedMemory); err != nil {
		t.Skip(err)
	}
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		file, err := os.CreateTemp(sharedMemory, "fence")
		if err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file.Name())
		file.WriteString("TOP SECRET")
		file.Close()
		cmd := w.command(t, newFence(m, w.policy), `python3 -c '
import multiprocessing; print(multiprocessing.Pool(1).map(abs, [-77]))'; cat `+file.Name())
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), "77") {
			t.Errorf("%s", out)
		}
		if found := strings.Contains(string(out), "TOP SECRET"); found != (m == Landlock) {
			t.Errorf("%s", out)
		}
	})
}

// TestProjectInMemory: a project in the folder of shared memory can be read and written.
func TestProjectInMemory(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		dir, err := os.MkdirTemp(sharedMemory, "fence")
		if err != nil {
			t.Skip(err)
		}
		defer os.RemoveAll(dir)
		cmd := exec.Command("/bin/sh", "-c", "echo x > new; cat new")
		cmd.Dir = dir
		if err := newFence(m, func(string) Policy {
			return Policy{Writable: []string{dir}}
		}).Confine(cmd); err != nil {
			t.Fatal(err)
		}
		if out, err := cmd.CombinedOutput(); string(out) != "x\n" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestSharedMemory: memory that programs outside share cannot be reached by its number.
func TestSharedMemory(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	const script = `python3 -c '
import ctypes, os
libc=ctypes.CDLL(None); libc.shmat.restype=ctypes.c_void_p
at=libc.shmat(int(os.environ["SEGMENT"]), None, 0)
if at not in (None, 2**64-1): print(ctypes.string_at(at, 10).decode())
if libc.shmctl(int(os.environ["SEGMENT"]), 0, None) == 0: print("TOP SECRET removed")
own=libc.shmget(0, 4096, 0o600)
if own >= 0 and libc.shmat(own, None, 0): print("shares its own")'`
	eachMethod(t, func(t *testing.T, m Method) {
		segment := newSegment(t)
		w := newWorld(t)
		cmd := w.command(t, newFence(m, w.policy), script)
		cmd.Env = append(cmd.Env, "SEGMENT="+segment)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "TOP SECRET") {
			t.Errorf("%v: %s", err, out)
		}
		if own := strings.Contains(string(out), "shares its own"); own == (m == Landlock) {
			t.Errorf("the program can share its own memory: %v", own)
		}
	})
}
