// This file waits until a file has been written.

package load

import "time"

const (
	// debounceQuiet is how long a path must be quiet before it is read: editors save in several
	// steps within a few milliseconds, and users do not notice 30.
	debounceQuiet = 30 * time.Millisecond
	// debounceMost is how long a path that keeps changing may be delayed.
	debounceMost = 250 * time.Millisecond
)

type burst struct{ first, last time.Time }

func (b burst) due() time.Time {
	quiet, most := b.last.Add(debounceQuiet), b.first.Add(debounceMost)
	if most.Before(quiet) {
		return most
	}
	return quiet
}

// debounce holds the paths that had events recently.
type debounce map[string]burst

func (d debounce) touch(path string, now time.Time) {
	b, ok := d[path]
	if !ok {
		b.first = now
	}
	b.last = now
	d[path] = b
}

// take removes the paths that are due, and reports whether there were any.
func (d debounce) take(now time.Time) bool {
	any := false
	for path, b := range d {
		if !now.Before(b.due()) {
			delete(d, path)
			any = true
		}
	}
	return any
}

// next returns when the next path is due; zero if there is none.
func (d debounce) next() time.Time {
	var next time.Time
	for _, b := range d {
		if t := b.due(); next.IsZero() || t.Before(next) {
			next = t
		}
	}
	return next
}

func (d debounce) has(path string) bool {
	_, ok := d[path]
	return ok
}
