//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file calls Landlock, the kernel's restriction of what a process may do with files.
// Source: landlock(7), and linux/landlock.h.

package confine

import (
	"syscall"
	"unsafe"
)

// The numbers of the system calls are the same on all architectures for which this is built.
const (
	sysCreateRuleset = 444
	sysAddRule       = 445
	sysRestrictSelf  = 446
)

// The rights to files, by bit.
const (
	execute = 1 << iota
	writeFile
	readFile
	readDir
	removeDir
	removeFile
	makeChar
	makeDir
	makeReg
	makeSock
	makeFifo
	makeBlock
	makeSym
	refer    // since version 2: move between folders
	truncate // since version 3
	ioctlDev // since version 5
)

const (
	reads     = execute | readFile | readDir
	fileReads = execute | readFile
	// changes are the rights that a writable folder gives. Devices cannot be made in it.
	changes = writeFile | removeDir | removeFile | makeDir | makeReg | makeSock | makeFifo |
		makeSym | refer | truncate | ioctlDev
	fileChanges = writeFile | truncate | ioctlDev
	devices     = makeChar | makeBlock
)

// scopeAbstract denies connections to abstract unix sockets of processes outside, since version 6.
const scopeAbstract = 1

// HoldsAbstract reports whether the kernel can deny that.
func HoldsAbstract() bool { return LandlockVersion() >= 6 }

// LandlockVersion returns the version of Landlock that the kernel implements; 0 = none.
func LandlockVersion() int {
	const version = 1 // LANDLOCK_CREATE_RULESET_VERSION
	v, _, errno := syscall.RawSyscall(sysCreateRuleset, 0, 0, version)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// rulesetAttr is struct landlock_ruleset_attr.
type rulesetAttr struct{ fs, net, scoped uint64 }

// pathAttr is struct landlock_path_beneath_attr, which is packed.
type pathAttr struct {
	access [8]byte
	parent int32
}

// ruleset is a set of rules that restrict has not applied yet.
type ruleset struct {
	fd      int
	handled uint64
}

// newRuleset creates a ruleset that denies changes, and with denyReads also reads.
func newRuleset(version int, denyReads bool) (*ruleset, error) {
	attr := rulesetAttr{fs: changes | devices}
	if denyReads {
		attr.fs |= reads
	}
	size := unsafe.Sizeof(attr)
	switch {
	case version < 2:
		attr.fs &^= refer | truncate | ioctlDev
	case version < 3:
		attr.fs &^= truncate | ioctlDev
	case version < 5:
		attr.fs &^= ioctlDev
	}
	if version >= 6 {
		attr.scoped = scopeAbstract
	} else {
		size = unsafe.Sizeof(attr.fs)
	}
	fd, _, errno := syscall.RawSyscall(sysCreateRuleset, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, about("landlock", errno)
	}
	return &ruleset{int(fd), attr.fs}, nil
}

// allow grants rights to path and everything below it. If path is a file, it grants ofFile instead.
// A missing path is ignored.
func (r *ruleset) allow(path string, rights, ofFile uint64) error {
	const pathOnly = 0x200000 // O_PATH, which package syscall does not have
	fd, err := syscall.Open(path, pathOnly|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT || err == syscall.EACCES || err == syscall.ENOTDIR {
		return nil
	}
	if err != nil {
		return about(path, err)
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return about(path, err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights = ofFile
	}
	rights &= r.handled
	if rights == 0 {
		return nil
	}
	attr := pathAttr{parent: int32(fd)}
	*(*uint64)(unsafe.Pointer(&attr.access)) = rights
	const pathBeneath = 1 // LANDLOCK_RULE_PATH_BENEATH
	_, _, errno := syscall.RawSyscall6(sysAddRule, uintptr(r.fd), pathBeneath,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return about("landlock: "+path, errno)
	}
	return nil
}

// restrict applies the rules to this thread, and to the program that it executes.
func (r *ruleset) restrict() error {
	_, _, errno := syscall.RawSyscall(sysRestrictSelf, uintptr(r.fd), 0, 0)
	if errno != 0 {
		return about("landlock", errno)
	}
	return syscall.Close(r.fd)
}
