//go:build !(linux && (amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x))

package confine

// Available is true if this system can run a program through this package.
const Available = false

// LandlockVersion returns 0: Landlock is missing, or its system calls have other numbers.
func LandlockVersion() int { return 0 }

// HoldsAbstract returns true: only Linux has abstract unix sockets.
func HoldsAbstract() bool { return true }
