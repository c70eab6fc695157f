package realpath

import "os"

// IsDir reports whether path is a folder, or a link to one.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Exists reports whether there is something at path; it does not follow a link there.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
