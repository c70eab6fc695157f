// Package terminal is what lies between the screen and a terminal: it writes frames, stops the
// program's ticker while nothing changes, leaves the terminal to the shell for a while, and gives
// it back after a program that has died.
package terminal
