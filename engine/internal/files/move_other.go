//go:build !unix

package files

import "os"

// move renames by paths. Within one folder, it uses the open folder.
func move(old, new *target) error {
	a, err := old.Stat(".")
	if err != nil {
		return err
	}
	b, err := new.Stat(".")
	if err != nil {
		return err
	}
	if os.SameFile(a, b) {
		return old.Root.Rename(old.name, new.name)
	}
	return os.Rename(old.spot.path(), new.spot.path())
}
