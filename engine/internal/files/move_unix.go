//go:build unix

package files

import "golang.org/x/sys/unix"

// move renames between two open folders, which cannot be replaced meanwhile.
func move(old, new *target) error {
	from, err := old.Open(".")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := new.Open(".")
	if err != nil {
		return err
	}
	defer to.Close()
	return unix.Renameat(int(from.Fd()), old.name, int(to.Fd()), new.name)
}
