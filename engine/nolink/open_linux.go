package nolink

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// openAt opens a regular file, or a folder, for reading, in one step of the system: openat2 refuses
// every link on the way. A relative path is below dir, which may be nil for an absolute one. The
// error is errors.ErrUnsupported where the system lacks openat2, or forbids it to this process.
func openAt(dir *os.File, path string, folder bool) (*os.File, error) {
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS}
	if folder {
		how.Flags |= unix.O_DIRECTORY
	}
	name := path
	if dir != nil {
		name = filepath.Join(dir.Name(), path)
	}
	fd, err := openAt2(dir, path, &how)
	switch {
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINTR) ||
		errors.Is(err, unix.EAGAIN):
		return nil, errors.ErrUnsupported
	case errors.Is(err, unix.ELOOP):
		return nil, ErrMoved
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	if folder {
		return f, nil
	}
	is, err := f.Stat()
	if err == nil {
		err = Plain(is)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openAt2 calls openat2. The folder cannot be closed meanwhile.
func openAt2(dir *os.File, path string, how *unix.OpenHow) (fd int, err error) {
	if dir == nil {
		return unix.Openat2(unix.AT_FDCWD, path, how)
	}
	conn, err := dir.SyscallConn()
	if err != nil {
		return -1, err
	}
	var failed error
	err = conn.Control(func(at uintptr) { fd, failed = unix.Openat2(int(at), path, how) })
	return fd, errors.Join(err, failed)
}
