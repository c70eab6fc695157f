// Package oracle tests engine/shell and engine/touch against real shells: a grammar generates
// command lines, the tests run them where they can do no harm, and compare the effects with the
// prediction. It holds only tests.
//
// The programs on the PATH of such a command line are links to a few of the system's and fakes that
// only note their words; the grammar writes no path that leaves the temporary folder. A test that
// finds no bash is skipped.
package oracle
