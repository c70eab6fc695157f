//go:build !linux

package load

// remoteKind cannot tell here.
func remoteKind(string) string { return "" }
