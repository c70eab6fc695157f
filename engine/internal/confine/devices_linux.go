//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file replaces the devices of a mount namespace. Among those outside are the user's terminal,
// keyboards, disks and memory. Source: null(4), pts(4), fd in proc_pid_fd(5).

package confine

import (
	"strconv"
	"syscall"
)

// deviceNames are those that programs need, and that hold no data.
var deviceNames = []string{"null", "zero", "full", "random", "urandom", "tty"}

// links are the links in /dev that programs expect.
var links = [][2]string{{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"},
	{"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"}}

// ownDevices mounts a new /dev, with new pseudo-terminals. What is mounted on /dev/shm stays.
func ownDevices() error {
	kept := append([]string{"shm"}, deviceNames...)
	fds := make([]int, len(kept))
	for i, name := range kept {
		fds[i] = openPath("/dev/" + name)
	}
	terminal := ownTerminal()
	log, isLink := readLink("/dev/log")
	err := syscall.Mount("tmpfs", "/dev", "tmpfs", syscall.MS_NOSUID|syscall.MS_NOEXEC,
		"mode=755,size=64k")
	if err != nil {
		return about("/dev", err)
	}
	for i, name := range kept {
		if fds[i] < 0 {
			continue
		}
		if err := keepDevice(fds[i], "/dev/"+name); err != nil {
			return about("/dev/"+name, err)
		}
		syscall.Close(fds[i])
	}
	if terminal >= 0 {
		if err := keepDevice(terminal, "/dev/console"); err != nil {
			return about("/dev/console", err)
		}
		syscall.Close(terminal)
	}
	all := links
	if isLink { // to the socket of the system's log
		all = append(all[:len(all):len(all)], [2]string{"log", log})
	}
	for _, link := range all {
		if err := syscall.Symlink(link[1], "/dev/"+link[0]); err != nil {
			return about("/dev/"+link[0], err)
		}
	}
	const terminals, options = "/dev/pts", "newinstance,ptmxmode=0666,mode=620"
	if err := syscall.Mkdir(terminals, 0o755); err != nil {
		return about(terminals, err)
	}
	if err := syscall.Mount("devpts", terminals, "devpts", syscall.MS_NOSUID|syscall.MS_NOEXEC,
		options); err != nil {
		return about(terminals, err)
	}
	return nil
}

// ownTerminal opens the program's own terminal, if its input is one; -1 if not. The terminal gets a
// name by which ttyname finds it, because the folder of terminals is a new one. Source: ttyname(3),
// pts(4).
func ownTerminal() int {
	const first, last = 136, 143 // majors of terminals in /dev/pts, from linux/major.h
	var input, named syscall.Stat_t
	if err := syscall.Fstat(0, &input); err != nil || input.Mode&syscall.S_IFMT != syscall.S_IFCHR {
		return -1
	}
	if major := uint64(input.Rdev) >> 8 & 0xfff; major < first || major > last {
		return -1
	}
	// its input is a file of the mounts outside, which cannot be mounted here
	name, _ := readLink("/proc/self/fd/0")
	fd := openPath(name)
	if fd < 0 {
		return -1
	}
	if err := syscall.Fstat(fd, &named); err != nil || named.Rdev != input.Rdev ||
		named.Ino != input.Ino || named.Dev != input.Dev {
		syscall.Close(fd)
		return -1
	}
	return fd
}

// openPath opens a file or folder so that it can be mounted elsewhere; -1 if that fails.
func openPath(path string) int {
	const pathOnly = 0x200000 // O_PATH, which package syscall does not have
	fd, err := syscall.Open(path, pathOnly|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// readLink returns where a link leads.
func readLink(path string) (string, bool) {
	var buf [syscall.PathMax]byte
	n, err := syscall.Readlink(path, buf[:])
	if err != nil {
		return "", false
	}
	return string(buf[:n]), true
}

// keepDevice mounts what fd names at path, which does not exist.
func keepDevice(fd int, path string) error {
	self := "/proc/self/fd/" + strconv.Itoa(fd) // mount would follow any other name
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		if err := syscall.Mkdir(path, 0o755); err != nil {
			return err
		}
	default:
		file, err := syscall.Open(path, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o644)
		if err != nil {
			return err
		}
		syscall.Close(file)
	}
	return bind(self, path)
}
