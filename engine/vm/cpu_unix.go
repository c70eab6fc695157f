//go:build unix

package vm

import (
	"syscall"
	"time"
)

// processCPU returns the processor time that this process has used so far.
func processCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
