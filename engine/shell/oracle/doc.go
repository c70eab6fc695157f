// Package oracle tests engine/shell and engine/touch against real shells: a grammar generates
// command lines, the tests run them where they can do no harm, and compare the effects with the
// prediction. It holds only tests.
//
// The PATH of such a command line contains links to a few programs of the system, and fakes that
// only record their words. The grammar generates no path outside of the temporary folder, and where
// the kernel has Landlock, the tests and all that they run can write nowhere else. A test that
// finds no bash is skipped.
package oracle
