//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file gives up privileges. Source: capabilities(7), prctl(2).

package confine

import (
	"syscall"
	"unsafe"
)

const (
	prSetNoNewPrivs = 38
	prCapbsetDrop   = 24
	lastCapability  = 63 // the kernel refuses those that it does not know
)

// rootKeeps are the capabilities that root keeps, in its own user namespace: to change owners and
// modes of files that it may write, to become another user, to end processes, and to listen on
// ports below 1024.
const rootKeeps = 1<<0 | 1<<1 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<10

// adoptOrphans makes processes that lose their parent children of this process. A system that does
// not support it still confines them.
func adoptOrphans() {
	const setChildSubreaper = 36
	_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, setChildSubreaper, 1, 0, 0, 0, 0)
}

// noNewPrivileges makes the system ignore the setuid bits of programs.
func noNewPrivileges() error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, prSetNoNewPrivs, 1, 0, 0, 0, 0)
	if errno != 0 {
		return about("no_new_privs", errno)
	}
	return nil
}

type capHeader struct {
	version uint32
	pid     int32
}

type capData struct{ effective, permitted, _ uint32 }

// dropCapabilities drops the capabilities that the user namespace gives, above all the one to
// change mounts. With root, it keeps rootKeeps.
func dropCapabilities(root bool) error {
	keep := uint64(0)
	if root {
		keep = rootKeeps
	}
	for c := range uintptr(lastCapability) {
		if keep&(1<<c) == 0 { // fails without CAP_SETPCAP; then no capability can be gained
			_, _, _ = syscall.RawSyscall6(syscall.SYS_PRCTL, prCapbsetDrop, c, 0, 0, 0, 0)
		}
	}
	const version3 = 0x20080522
	head := capHeader{version: version3}
	var had, data [2]capData
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPGET, uintptr(unsafe.Pointer(&head)),
		uintptr(unsafe.Pointer(&had)), 0)
	if errno == 0 {
		for i := range data {
			k := uint32(keep>>(32*i)) & had[i].permitted
			data[i] = capData{effective: k, permitted: k}
		}
		_, _, errno = syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&head)),
			uintptr(unsafe.Pointer(&data)), 0)
	}
	if errno != 0 {
		return about("capabilities", errno)
	}
	return nil
}

// loopbackUp makes 127.0.0.1 reachable in a new network namespace.
func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return about("loopback", err)
	}
	defer syscall.Close(fd)
	// struct ifreq: the name of the interface, and its flags
	var req struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(req.name[:], "lo")
	req.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&req)))
	if errno != 0 {
		return about("loopback", errno)
	}
	return nil
}
