// This file limits how many failures of a script are recorded: a timer that fails each time could
// fill the disk.

package audit

import "time"

// Of the failures of a script in failuresSpan, mostFailures are recorded, and the others counted.
const (
	mostFailures = 100
	failuresSpan = time.Minute
)

// failures counts the failures of a script.
type failures struct {
	since          time.Time
	recorded, lost int
}

// takeFailure reports whether a failure of script is to be recorded.
func (l *Log) takeFailure(script, session string) bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.failures[script]
	if f == nil {
		f = &failures{}
		l.failures[script] = f
	}
	if now := l.o.Now(); now.Sub(f.since).Abs() >= failuresSpan {
		l.addLost(script, session, f)
		f.since, f.recorded = now, 0
	}
	if f.recorded == mostFailures {
		f.lost++
		return false
	}
	f.recorded++
	return true
}

// addLost adds a record of the failures of script that were only counted. l.mu must be held.
func (l *Log) addLost(script, session string, f *failures) {
	if f.lost == 0 {
		return
	}
	data := map[string]any{"count": f.lost, "script": script}
	l.addRecord(Lost, session, func() any { return data })
	f.lost = 0
}
