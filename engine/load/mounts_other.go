//go:build !linux

package load

import "context"

// mounts is nothing: this system does not report them.
type mounts struct{}

func openMounts() (m mounts) { return m }

func (m mounts) close() mounts { return m }

func (mounts) watchList(context.Context, func()) {}
