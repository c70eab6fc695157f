package tool

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openStraight is openStep in one step of the system: openat2 refuses every link on the way. Its
// error is errors.ErrUnsupported where the system lacks openat2, or forbids it to this process.
func openStraight(path string) (*os.File, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	switch {
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINTR):
		return nil, errors.ErrUnsupported
	case errors.Is(err, unix.ELOOP):
		return nil, movedError(path)
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, movedError(path))
	}
	return f, nil
}
