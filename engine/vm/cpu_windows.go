package vm

import (
	"syscall"
	"time"
)

// processCPU returns the processor time that this process has used so far.
func processCPU() time.Duration {
	var created, exited, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(self, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	// of 100 ns each; Filetime.Nanoseconds counts from 1970
	ticks := func(f syscall.Filetime) int64 {
		return int64(f.HighDateTime)<<32 | int64(
			f.LowDateTime)
	}
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}
