//go:build unix

package terminal

import "syscall"

// discardTyped drops the keys that were typed before the question: they do not answer it.
func discardTyped(terminal uintptr) {
	fd := int(terminal)
	if syscall.SetNonblock(fd, true) != nil {
		return
	}
	defer func() { _ = syscall.SetNonblock(fd, false) }()
	for keys := make([]byte, 1<<10); ; {
		if n, err := syscall.Read(fd, keys); n <= 0 || err != nil {
			return
		}
	}
}
