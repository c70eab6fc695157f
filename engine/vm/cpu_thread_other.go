//go:build !linux

package vm

import "time"

// ThreadCPU returns the processor time that the process has used so far: there is no portable way
// to get that of a thread.
func ThreadCPU() time.Duration { return processCPU() }
