package confine

// abi is a way of making system calls: how the kernel names it to filters, and the numbers of the
// calls that the filter is about. Source: linux/audit.h, and the tables of system calls in Linux.
type abi struct {
	arch      uint32 // AUDIT_ARCH_...
	bigEndian bool
	foreign   uint32 // calls from this number on have another meaning; 0 = none have

	seccomp, prlimit, unshare, setns, clone uint32
	cloneFlags                              int // the argument of clone that holds the flags

	socket, socketPair uint32
	socketCall         uint32 // socket and others in one call; 0 = there is none
	keys, ipc          []span
}

// span is a range of numbers of system calls, both included.
type span struct{ from, to uint32 }

// Calls with these numbers are the same in each abi.
const (
	clone3   = 435
	pidfdGet = 438 // pidfd_getfd: it takes a descriptor of another process
)

// ioUring are the calls of io_uring, in which a program queues operations that no filter sees.
var ioUring = span{425, 427}

// ofArch returns the ways in which a program can make system calls on a machine, that of programs
// of its own architecture first. It returns nil for an unknown one.
func ofArch(goarch string) []abi {
	x86 := abi{arch: 0x4000_0003, seccomp: 354, prlimit: 340, unshare: 310, setns: 346, clone: 120,
		socket: 359, socketPair: 360, socketCall: 102, keys: []span{{286, 288}},
		ipc: []span{{117, 117}, {277, 282}, {393, 402}, {418, 420}}}
	const x32 = 0x4000_0000
	x8664 := abi{arch: 0xC000_003E, foreign: x32, seccomp: 317, prlimit: 302, unshare: 272,
		setns: 308, clone: 56, socket: 41, socketPair: 53, keys: []span{{248, 250}},
		ipc: []span{{29, 31}, {64, 71}, {220, 220}, {240, 245}}}
	arm := abi{arch: 0x4000_0028, seccomp: 383, prlimit: 369, unshare: 337, setns: 375, clone: 120,
		socket: 281, socketPair: 288, keys: []span{{309, 311}},
		ipc: []span{{274, 279}, {298, 308}, {312, 312}, {418, 420}}}
	// the numbers of newer architectures
	generic := abi{seccomp: 277, prlimit: 261, unshare: 97, setns: 268, clone: 220, socket: 198,
		socketPair: 199, keys: []span{{217, 219}}, ipc: []span{{180, 197}}}
	switch goarch {
	case "amd64":
		return []abi{x8664, x86}
	case "386":
		return []abi{x86, x8664}
	case "arm64":
		generic.arch = 0xC000_00B7
		return []abi{generic, arm}
	case "arm":
		generic.arch = 0xC000_00B7
		return []abi{arm, generic}
	case "riscv64":
		generic.arch = 0xC000_00F3
		return []abi{generic}
	case "loong64":
		generic.arch = 0xC000_0102
		return []abi{generic}
	case "ppc64le":
		return []abi{{arch: 0xC000_0015, seccomp: 358, prlimit: 325, unshare: 282, setns: 350,
			clone: 120, socket: 326, socketPair: 333, socketCall: 102, keys: []span{{269, 271}},
			ipc: []span{{117, 117}, {262, 267}, {392, 402}}}}
	case "s390x":
		return []abi{{arch: 0x8000_0016, bigEndian: true, seccomp: 348, prlimit: 334, unshare: 303,
			setns: 339, clone: 120, cloneFlags: 1, socket: 359, socketPair: 360, socketCall: 102,
			keys: []span{{278, 280}}, ipc: []span{{117, 117}, {271, 276}, {392, 402}}}}
	}
	return nil
}
