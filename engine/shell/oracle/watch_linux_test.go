package oracle

import (
	"syscall"
	"testing"
)

// watchReads watches files. The function that it returns reports whether one of them has been read,
// and ends the watch.
func watchReads(t testing.TB, paths ...string) func() bool {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		t.Skip("no file can be watched: ", err)
	}
	for _, path := range paths {
		if _, err := syscall.InotifyAddWatch(fd, path, syscall.IN_ACCESS); err != nil {
			t.Fatal(err)
		}
	}
	return func() bool {
		defer syscall.Close(fd)
		n, _ := syscall.Read(fd, make([]byte, 4096))
		return n > 0
	}
}
