//go:build !linux

package ramdisk

// Use does nothing on this system.
func Use() {}
