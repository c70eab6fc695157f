//go:build !unix

package terminal

// discardTyped does nothing: this system does not say which keys were typed before.
func discardTyped(uintptr) {}
