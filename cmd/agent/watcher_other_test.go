//go:build !unix

package main

// crashOnOrder does nothing: there is no watcher to test.
func crashOnOrder() {}
