//go:build !linux && !darwin

package changes

import (
	"io/fs"
	"time"
)

func TimeOf(fs.FileInfo) (time.Time, bool) { return time.Time{}, false }
