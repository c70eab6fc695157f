package changes

import (
	"io/fs"
	"syscall"
	"time"
)

// TimeOf returns when the file or its name was changed last, which programs cannot set.
func TimeOf(info fs.FileInfo) (time.Time, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(st.Ctimespec.Unix()), true
}
