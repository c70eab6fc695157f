//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file protects paths in a mount namespace in which a program runs already: another program
// has replaced a file, and the kernel has removed the mount over it. Source: setns(2), ioctl_ns(2),
// and rename in linux/fs/namei.c.

package confine

import (
	"errors"
	"runtime"
	"strconv"
	"syscall"
)

// sendSpace sends the mount namespace of this process through the socket fd. It returns the
// socket, which the program does not inherit.
func sendSpace(fd string) (uint32, error) {
	socket, err := strconv.Atoi(fd)
	if err != nil {
		return 0, about("mount namespace", err)
	}
	space, err := syscall.Open("/proc/self/ns/mnt", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0, about("mount namespace", err)
	}
	defer syscall.Close(space)
	if err := syscall.Sendmsg(socket, []byte{0}, syscall.UnixRights(space), nil, 0); err != nil {
		return 0, about("mount namespace", err)
	}
	syscall.CloseOnExec(socket)
	return uint32(socket), nil
}

// hold protects the paths of the settings in the mount namespace that fd names. It does so in a
// child process: only a process with a single thread can enter a user namespace.
func hold(fd string, set settings) error {
	space, err := strconv.Atoi(fd)
	if err != nil {
		return about("mount namespace", err)
	}
	const tries = 10
	for range tries {
		pid, err := startHolding(space, set)
		if err != nil {
			return err
		}
		if status, ended := waitAwake(pid); ended {
			endAs(status)
		}
	}
	return errors.New("no child process ended")
}

// startHolding starts a child process that protects the paths.
func startHolding(space int, set settings) (pid int, err error) {
	args := [2]uintptr{uintptr(syscall.SIGCHLD), 0}
	if runtime.GOARCH == "s390x" { // the flags are its second argument there
		args = [2]uintptr{0, uintptr(syscall.SIGCHLD)}
	}
	// The child has the only thread that runs code of Go here: nothing else holds a lock. After
	// Gosched no thread asks this one to pause, which it could not in the child, unless it had no
	// processor for long just now.
	runtime.Gosched()
	id, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, args[0], args[1], 0, 0, 0, 0)
	if errno != 0 {
		return 0, about("clone", errno)
	}
	if id == 0 {
		if err := enterAndHold(space, set); err != nil {
			_, _ = syscall.Write(2, []byte(Name+": "+err.Error()+"\n"))
			syscall.Exit(Failed)
		}
		syscall.Exit(0)
	}
	return int(id), nil
}

// waitAwake waits for a child process to end. It kills one that sleeps for half a second: what it
// does never waits for anything else, and it has only the thread that waits.
func waitAwake(pid int) (status syscall.WaitStatus, ended bool) {
	const looks, pause = 50, 10_000_000 // in nanoseconds
	for asleep := 0; asleep < looks; {
		switch got, err := syscall.Wait4(pid, &status, syscall.WNOHANG, nil); {
		case err == nil && got == pid:
			return status, true
		case err != nil && err != syscall.EINTR:
			return syscall.WaitStatus(Failed << 8), true
		}
		if asleep++; !sleeps(pid) {
			asleep = 0
		}
		wait := syscall.NsecToTimespec(pause)
		_ = syscall.Nanosleep(&wait, nil)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for {
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
			return status, false
		}
	}
}

// sleeps reports whether a process waits for something that a signal can end. Source:
// proc_pid_stat(5).
func sleeps(pid int) bool {
	text, err := readAll("/proc/" + strconv.Itoa(pid) + "/stat")
	for i := len(text) - 3; err == nil && i >= 0; i-- {
		if text[i] == ')' { // the end of the name
			return text[i+2] == 'S'
		}
	}
	return false
}

// enterAndHold enters a mount namespace, and the user namespace to which it belongs, and protects
// the paths there that are not protected. It writes those that are protected then to the standard
// output, each with a NUL byte after it, and with HeldBefore before it if it was so already.
func enterAndHold(space int, set settings) error {
	const getUserSpace = 0xb701 // NS_GET_USERNS
	owner, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(space), getUserSpace, 0)
	if errno != 0 {
		return about("owner of the namespace", errno)
	}
	var its, ours syscall.Stat_t
	if err := syscall.Fstat(int(owner), &its); err != nil {
		return about("owner of the namespace", err)
	}
	if err := syscall.Stat("/proc/self/ns/user", &ours); err != nil {
		return about("user namespace", err)
	}
	if its.Ino != ours.Ino {
		if err := setNamespace(int(owner), syscall.CLONE_NEWUSER); err != nil {
			return about("user namespace", err)
		}
	}
	if err := setNamespace(space, syscall.CLONE_NEWNS); err != nil {
		return about("mount namespace", err)
	}
	for _, one := range []struct {
		key     string
		protect func(path string) error
	}{{ReadOnly, protectPath}, {Link, keepLink}, {Hidden, hidePath}} {
		for _, path := range set[one.key] {
			if mountedAt(path) {
				_, _ = syscall.Write(1, []byte(HeldBefore+path+"\x00"))
				continue
			}
			if err := one.protect(path); err != nil {
				return err
			}
			if mountedAt(path) { // else it was removed in this moment
				_, _ = syscall.Write(1, []byte(path+"\x00"))
			}
		}
	}
	return nil
}

// mountedAt reports whether there is a mount at a path. Source: proc_pid_mountinfo(5).
func mountedAt(path string) bool {
	const point = 4 // the field
	mounts, err := readAll("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	name := escapeMountPoint(path)
	field, start := 0, 0
	for i, c := range mounts {
		if c != ' ' && c != '\n' {
			continue
		}
		if field == point && string(mounts[start:i]) == name {
			return true
		}
		field, start = field+1, i+1
		if c == '\n' {
			field = 0
		}
	}
	return false
}

// escapeMountPoint returns a path as the list of mounts has it.
func escapeMountPoint(path string) string {
	var name []byte
	for i := range len(path) {
		switch c := path[i]; c {
		case ' ', '\t', '\n', '\\':
			name = append(name, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		default:
			name = append(name, c)
		}
	}
	return string(name)
}

// setNamespace makes this process enter a namespace of a kind.
func setNamespace(fd int, kind uintptr) error {
	abis := ofArch(runtime.GOARCH)
	if len(abis) == 0 {
		return errors.New("unknown architecture")
	}
	_, _, errno := syscall.RawSyscall(uintptr(abis[0].setns), uintptr(fd), kind, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
