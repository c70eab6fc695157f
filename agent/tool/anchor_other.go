//go:build !linux

package tool

import (
	"errors"
	"os"
)

// openStraight is not available here: see openStep.
func openStraight(string) (*os.File, error) { return nil, errors.ErrUnsupported }
