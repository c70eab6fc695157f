//go:build !unix

package main

import "io"

// start does nothing: this system has no process groups, and no modes that outlive the program.
func (w *watcher) start(io.Reader, io.Writer, string) {}

func (w *watcher) started(int) (ended func()) { return func() {} }

func (w *watcher) bye() {}

func runWatcher(string) int { return exitUsage }
