//go:build !linux

package load

import "context"

// mounts is empty: this system does not report mounts.
type mounts struct{}

func openMounts() (m mounts) { return m }

func (m mounts) close() mounts { return m }

func (mounts) watchList(context.Context, func()) {}
