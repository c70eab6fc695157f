//go:build !linux

package nolink

import (
	"errors"
	"os"
)

// openAt is not available here: paths are opened name by name.
func openAt(*os.File, string, bool) (*os.File, error) { return nil, errors.ErrUnsupported }
