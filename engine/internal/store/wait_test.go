package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentscripts/agent/engine/filelock"
)

// held locks the file of an owner as another process would.
func held(t *testing.T) (s *Store, path string, lock *os.File) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "x.json")
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = filelock.Try(lock)
	}
	if err != nil {
		t.Fatal(err)
	}
	return New(dir), path, lock
}

func put(t *testing.T, s *Store) error {
	return s.Change(t.Context(), "x", "k",
		func(any) (any, bool, error) { return "v", true, nil })
}

// TestAChangeWaitsForOthersThatWrite: a change waits as long as other processes write.
func TestAChangeWaitsForOthersThatWrite(t *testing.T) {
	t.Parallel()
	s, path, lock := held(t)
	synctest.Test(t, func(t *testing.T) {
		go func() {
			for n := range 10 { // the others, one after the other
				if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
					t.Error(err)
				}
				time.Sleep(lockWait - time.Second)
			}
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
			if err := filelock.Close(lock); err != nil {
				t.Error(err)
			}
		}()
		if err := put(t, s); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAChangeDoesNotWaitForEver: a change fails if another process has the lock and does not write.
func TestAChangeDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	s, _, lock := held(t)
	defer lock.Close()
	synctest.Test(t, func(t *testing.T) {
		if err := put(t, s); !errors.Is(err, ErrBusy) {
			t.Fatal(err)
		}
	})
}
