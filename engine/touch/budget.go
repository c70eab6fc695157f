// This file limits the work for one call, whatever its paths and patterns are.

package touch

import (
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

const (
	// maxLooks is how many looks at the file system one call may take: a name that is looked at, or
	// an entry of a folder that is read. They take 50 to 100 ms on a local disk. Usual calls take
	// some dozens. Beyond the limit, the result is unknown.
	maxLooks = 50_000
	// longName is how long a name may be that counts as one look: long ones take more memory.
	longName = 256
	// matchesPerLook is how many comparisons of names with a pattern count as one look.
	matchesPerLook = 16
	// batch is how many entries of a folder are read at a time.
	batch = 1000
)

// budget counts the work for a call. It is safe for concurrent use.
type budget struct {
	looks atomic.Int64
	ended func() bool // reports that nobody waits for the result; may be nil
	later atomic.Bool // somebody asks after the call has ended
}

// spend counts n looks. It returns false if the call has used up its looks, or nobody waits for it
// any more.
func (b *budget) spend(n int) bool {
	return b.looks.Add(int64(n)) <= maxLooks && (b.ended == nil || b.later.Load() || !b.ended())
}

// exhausted reports whether spend has returned false.
func (b *budget) exhausted() bool { return !b.spend(0) }

// readDir returns at most most entries of a folder. all is false if there may be others.
func (b *budget) readDir(dir string, most int) (list []fs.DirEntry, all bool, err error) {
	f, err := os.Open(dir + separator + ".") // does not wait for a pipe
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for len(list) <= most && b.spend(0) {
		next, err := f.ReadDir(min(batch, most+1-len(list)))
		if list = append(list, next...); !b.spend(len(next)) {
			break
		}
		if err != nil { // io.EOF, if all have been read
			return list, err == io.EOF, nil
		}
	}
	return list[:min(len(list), most)], false, nil
}
