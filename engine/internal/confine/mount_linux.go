//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file sets up the mounts of a namespace: all are read-only except for writable paths, and
// hidden paths are covered. Source: mount_namespaces(7), mount_setattr(2).

package confine

import (
	"strconv"
	"syscall"
	"unsafe"
)

const sysMountSetattr = 442

// Attributes of mount_setattr, from linux/mount.h.
const (
	attrReadOnly = 0x1
	attrNoDev    = 0x4
	atRecursive  = 0x8000
	atFDCWD      = -100
)

// mountAttr is struct mount_attr.
type mountAttr struct{ set, clear, propagation, userns uint64 }

// setAttr changes attributes of the mount at path, and with recursive of those below it. Its errors
// are those of the system: ENOENT if what was mounted over has been removed outside.
func setAttr(path string, attr mountAttr, recursive bool) error {
	flags := uintptr(0)
	if recursive {
		flags = atRecursive
	}
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	dir := atFDCWD
	_, _, errno := syscall.RawSyscall6(sysMountSetattr, uintptr(dir), uintptr(unsafe.Pointer(p)),
		flags, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// mountAll makes everything read-only except for writable paths, and covers hidden ones.
func mountAll(set settings) error {
	// the changes are not visible outside
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return about("mounts", err)
	}
	dir, err := workingFolder()
	if err != nil {
		return about("working directory", err)
	}
	if err := ownDevices(); err != nil {
		return err
	}
	var writable []string
	for _, path := range set[Writable] {
		if inDir("/dev", path) && !inDir(sharedMemory, path) {
			continue // a read-only mount does not keep devices from being written
		}
		switch err := bind(path, path); {
		case err == syscall.ENOENT:
			continue
		case err != nil:
			return about(path, err)
		}
		writable = append(writable, path)
	}
	if err := setAttr("/", mountAttr{set: attrReadOnly}, true); err != nil {
		return about("mount_setattr /", err)
	}
	for _, path := range writable {
		// a mount that is read-only outside cannot be made writable
		if setAttr(path, mountAttr{clear: attrReadOnly}, true) != nil {
			_ = setAttr(path, mountAttr{clear: attrReadOnly}, false)
		}
	}
	for _, path := range set[ReadOnly] {
		if err := protectPath(path); err != nil {
			return err
		}
	}
	for _, path := range set[Link] {
		if err := keepLink(path); err != nil {
			return err
		}
	}
	for _, dir := range set[Opened] {
		if err := openFolder(dir, set[Kept]); err != nil {
			return err
		}
	}
	for _, path := range set[Hidden] {
		if err := hidePath(path); err != nil {
			return err
		}
	}
	if set[OwnMemory] != nil {
		if err := ownSharedMemory(); err != nil {
			return err
		}
	}
	// the working directory is still that of the mount below
	if err := syscall.Chdir(dir); err != nil {
		return about(dir, err)
	}
	return nil
}

func workingFolder() (string, error) {
	var buf [syscall.PathMax]byte
	n, err := syscall.Getcwd(buf[:])
	if err != nil {
		return "", err
	}
	return string(buf[:n-1]), nil // without the NUL byte
}

func bind(from, to string) error {
	return syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, "")
}

// mostTries is how often a path is mounted again that another program removes and makes meanwhile.
const mostTries = 100

// tryAgain calls mount until it succeeds, or finds that the path does not exist. EINVAL means that
// the path was removed, with what was mounted over it, and made again.
func tryAgain(path string, mount func() error) error {
	err := error(syscall.EINVAL)
	for n := 0; n < mostTries && err == syscall.EINVAL; n++ {
		err = mount()
	}
	if err == nil || err == syscall.ENOENT {
		return nil
	}
	return about(path, err)
}

// protectPath makes a path below a writable folder read-only.
func protectPath(path string) error {
	return tryAgain(path, func() error {
		if err := bind(path, path); err != nil {
			return err
		}
		return setAttr(path, mountAttr{set: attrReadOnly}, true)
	})
}

// openFolder makes a folder writable, except for those of its entries that are kept.
func openFolder(dir string, kept []string) error {
	fd, err := openWithoutLinks(dir)
	if err == nil {
		defer syscall.Close(fd)
		self := "/proc/self/fd/" + strconv.Itoa(fd)
		err = bind(self, self)
	}
	if err != nil {
		return about(dir, err)
	}
	if err := setAttr(dir, mountAttr{clear: attrReadOnly}, false); err != nil {
		return about(dir, err)
	}
	for _, path := range kept {
		if !inDir(dir, path) || path == dir {
			continue
		}
		var st syscall.Stat_t
		err := syscall.Lstat(path, &st)
		switch {
		case err == syscall.ENOENT:
		case err != nil:
			err = about(path, err)
		case st.Mode&syscall.S_IFMT == syscall.S_IFLNK:
			err = keepLink(path)
		default:
			err = protectPath(path)
		}
		if err != nil && err != syscall.ENOENT {
			return err
		}
	}
	return nil
}

// openWithoutLinks opens a folder, unless a part of its path is a link: a program outside may have
// put one there since the path was resolved.
func openWithoutLinks(dir string) (fd int, err error) {
	const (
		sysOpenat2 = 437
		pathOnly   = 0x200000 // O_PATH, which package syscall does not have
		noLinks    = 0x4      // RESOLVE_NO_SYMLINKS, from linux/openat2.h
	)
	how := struct{ flags, mode, resolve uint64 }{
		pathOnly | syscall.O_DIRECTORY | syscall.O_CLOEXEC, 0, noLinks}
	p, err := syscall.BytePtrFromString(dir)
	if err != nil {
		return -1, err
	}
	at := atFDCWD
	n, _, errno := syscall.RawSyscall6(sysOpenat2, uintptr(at), uintptr(unsafe.Pointer(p)),
		uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how), 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// keepLink prevents that a symbolic link is removed or replaced: it is bind-mounted onto itself,
// and is followed as before.
func keepLink(path string) error {
	const pathOnly = 0x200000 // O_PATH, which package syscall does not have
	fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err == syscall.ENOENT {
		return nil
	}
	if err == nil {
		defer syscall.Close(fd)
		self := "/proc/self/fd/" + strconv.Itoa(fd) // mount would follow any other name
		err = bind(self, self)
	}
	if err != nil {
		return about(path, err)
	}
	return nil
}

const sharedMemory = "/dev/shm"

// ownSharedMemory replaces the folder of shared memory, by which programs that know a name share
// data and semaphores, by an empty one.
func ownSharedMemory() error {
	err := syscall.Mount("tmpfs", sharedMemory, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV,
		"mode=1777")
	if err != nil && err != syscall.ENOENT {
		return about(sharedMemory, err)
	}
	return nil
}

// inDir reports whether path is dir or lies below it.
func inDir(dir, path string) bool {
	return path == dir || len(path) > len(dir) && path[:len(dir)] == dir && path[len(dir)] == '/'
}

// hidePath mounts an empty file system over a folder, and a device that cannot be opened over
// anything else.
func hidePath(path string) error {
	return tryAgain(path, func() error {
		var st syscall.Stat_t
		if err := syscall.Lstat(path, &st); err != nil {
			return err
		}
		if st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
			const options = "mode=0000,size=4k"
			return syscall.Mount("tmpfs", path, "tmpfs", syscall.MS_RDONLY|syscall.MS_NOSUID|
				syscall.MS_NODEV|syscall.MS_NOEXEC, options)
		}
		if err := bind("/dev/null", path); err != nil {
			return err
		}
		return setAttr(path, mountAttr{set: attrReadOnly | attrNoDev}, false)
	})
}
