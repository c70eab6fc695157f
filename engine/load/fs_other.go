//go:build !linux

package load

// remoteKind returns "": the kind of a file system is not known here.
func remoteKind(string) string { return "" }
