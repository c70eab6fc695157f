//go:build !linux

package fence

import (
	"errors"
	"os/exec"
)

// addProxy returns an error: this system has no network namespaces.
func (f *Fence) addProxy(*exec.Cmd, []string) (setting string, err error) {
	return "", errors.New("this sandbox cannot open the network for single hosts: set network to " +
		"all or none")
}
