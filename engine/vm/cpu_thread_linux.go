package vm

import (
	"syscall"
	"time"
)

// ThreadCPU returns the processor time that the calling thread has used so far. The caller must
// have locked its goroutine to the thread.
func ThreadCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
