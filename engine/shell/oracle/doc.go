// Package oracle holds engine/shell and engine/touch against real shells: command lines are made by
// a grammar, run where they can do no harm, and what they did is compared with what was said of
// them before. It is tests only.
//
// The programs on the PATH of such a command line are links to a few of the system's and fakes that
// only note their words; the grammar writes no path that leaves the temporary folder. A test that
// finds no bash is skipped.
package oracle
