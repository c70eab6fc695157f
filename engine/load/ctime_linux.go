package load

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns when the file or its name was changed last, which programs cannot set.
func changeTime(info fs.FileInfo) (time.Time, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(st.Ctim.Unix()), true
}
