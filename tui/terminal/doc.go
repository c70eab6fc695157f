// Package terminal is the layer between the screen and a terminal: it writes frames, stops the
// program's ticker while nothing changes, suspends the program, and restores the terminal after a
// program that has died.
package terminal
