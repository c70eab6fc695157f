//go:build !unix

package main

import "io"

// start does nothing: there are no process groups here, and no modes that stay with a terminal.
func (w *watcher) start(io.Reader, io.Writer, string) {}

func (w *watcher) started(int) (ended func()) { return func() {} }

func (w *watcher) bye() {}

func runWatcher(string) int { return exitUsage }
