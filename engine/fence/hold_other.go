//go:build !linux

package fence

import "os/exec"

// addHold does nothing: other systems protect paths, not the files that are there.
func (f *Fence) addHold(*exec.Cmd, Policy) (setting string, err error) { return "", nil }

// folders is what tells of changes on other systems.
type folders struct{}
