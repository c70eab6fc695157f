// Package ramdisk keeps the temporary files of a package's tests in memory.
//
//	func TestMain(m *testing.M) {
//		ramdisk.Use()
//		os.Exit(m.Run())
//	}
//
// Tests that make thousands of small files spend most of their time in the file system if the
// folder for temporary files is on a disk. Many systems have that folder in memory; where it is on
// a disk, root can mount one that only the tests see.
//
// Set TMPDIR to run the tests in a folder of a disk.
package ramdisk
