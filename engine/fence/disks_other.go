//go:build !linux

package fence

// disks are not looked at on this system.
type disks struct{}
