package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/redact"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// clock is a clock that a test sets.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = t
}

// written makes a log of n records in files of two days.
func written(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "audit")
	at := &clock{t: noon}
	l := New(Options{Dir: dir, Now: at.now})
	for i := range n {
		if i == n/2 {
			at.set(noon.AddDate(0, 0, 1))
		}
		l.Add(Trust, "s1", map[string]any{"i": i})
	}
	flush(t, l)
	return dir
}

func flush(t *testing.T, l *Log) {
	t.Helper()
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
}

// findings returns the findings of Verify as text, and whether the report is OK.
func findings(t *testing.T, dir string) (text string, ok bool) {
	t.Helper()
	r, err := Verify(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.String())
	}
	return strings.Join(all, "\n"), r.OK()
}

const first, second = "2026-11-23.jsonl", "2026-11-24.jsonl"

func TestLogIsComplete(t *testing.T) {
	t.Parallel()
	dir := written(t, 10)
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Fatal(text)
	}
	list, err := Read(dir, Query{})
	if err != nil || len(list) != 10 || list[0].N != 1 || list[9].N != 10 ||
		list[9].Prev != list[8].Hash || string(list[3].Data) != `{"i":3}` {
		t.Fatal(len(list), err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, first: 0o600, second: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Error(name, info.Mode(), err)
		}
	}
}

// TestTampering: Verify finds every manual change of the files.
func TestTampering(t *testing.T) {
	t.Parallel()
	edit := func(name string, change func(lines []string) []string) func(dir string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all := change(strings.SplitAfter(strings.TrimSuffix(string(b), "\n"), "\n"))
			return os.WriteFile(path, []byte(strings.Join(all, "")), 0o600)
		}
	}
	for name, tt := range map[string]struct {
		do   func(dir string) error
		want string
	}{
		"a value is changed": {edit(first, func(l []string) []string {
			l[2] = strings.Replace(l[2], `"i":2`, `"i":7`, 1)
			return l
		}), first + ":3: the line was changed"},
		"a line is removed": {edit(first, func(l []string) []string {
			return append(l[:2], l[3:]...)
		}), first + ":3: record 4 follows record 2"},
		"a line is duplicated": {edit(first, func(l []string) []string {
			return append(l[:3], l[2:]...)
		}), first + ":4: record 3 follows record 3"},
		"two lines are swapped": {edit(first, func(l []string) []string {
			l[1], l[2] = l[2], l[1]
			return l
		}), first + ":2: record 3 follows record 1"},
		"a line is not a record": {edit(first, func(l []string) []string {
			l[2] = "{}\n"
			return l
		}), first + ":3: the line was changed"},
		"the end of the first day is gone": {edit(first, func(l []string) []string {
			return l[:4]
		}), second + ":1: record 6 follows record 4"},
		"the last lines are gone": {edit(second, func(l []string) []string {
			return l[:3]
		}), "the log ends with record 8, and 10 were written"},
		"the last day is gone": {func(dir string) error {
			return os.Remove(filepath.Join(dir, second))
		}, "the log ends with record 5, and 10 were written"},
		"all days are gone": {func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, first)),
				os.Remove(filepath.Join(dir, second)))
		}, "the log ends with record 0, and 10 were written"},
		"a day that comes is a folder": {func(dir string) error {
			return os.Mkdir(filepath.Join(dir, "2026-11-27.jsonl"), 0o700)
		}, "2026-11-27.jsonl: is not a regular file"},
		"a day that comes is a link": {func(dir string) error {
			return os.Symlink(os.DevNull, filepath.Join(dir, "2026-11-27.jsonl"))
		}, "2026-11-27.jsonl: is not a regular file"},
		"the head is gone": {func(dir string) error {
			return os.Remove(filepath.Join(dir, headName))
		}, "head: is missing"},
		"the head is invalid": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, headName), []byte("x\x1b[2J"), 0o600)
		}, "head: cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := written(t, 10)
			if err := tt.do(dir); err != nil {
				t.Fatal(err)
			}
			if text, ok := findings(t, dir); ok || !strings.Contains(text, tt.want) {
				t.Fatalf("got %q, want %q", text, tt.want)
			}
			// a later record does not hide the change
			l := New(Options{Dir: dir, Now: func() time.Time { return noon.AddDate(0, 0, 2) }})
			l.Add(Trust, "", nil)
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			if name == "the head is gone" || name == "the head is invalid" {
				return // the head was written again, and nothing else was changed
			}
			if text, ok := findings(t, dir); ok && !strings.Contains(name, "gone") {
				t.Fatalf("hidden by a later record: %q", text)
			}
		})
	}
}

// TestHeadGetsShorter: a new log's head takes the place of a longer one.
func TestHeadGetsShorter(t *testing.T) {
	t.Parallel()
	dir := written(t, 100)
	for _, name := range []string{first, second} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	l := New(Options{Dir: dir, Now: func() time.Time { return noon }})
	l.Add(Trust, "", nil)
	flush(t, l)
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Fatal(text, ok)
	}
}

// TestVerifyBesideAWriter: records that are written meanwhile are no findings.
func TestVerifyBesideAWriter(t *testing.T) {
	t.Parallel()
	dir := written(t, 10)
	l := New(Options{Dir: dir, Now: func() time.Time { return noon.AddDate(0, 0, 1) }})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 100 {
			l.Add(Trust, "", map[string]any{"i": i})
			_ = l.Flush()
		}
	}()
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		if text, ok := findings(t, dir); text != "" || !ok {
			t.Fatal(text, ok)
		}
	}
	flush(t, l)
}

func TestOldFilesMayBeRemoved(t *testing.T) {
	t.Parallel()
	dir := written(t, 10)
	if err := os.Remove(filepath.Join(dir, first)); err != nil {
		t.Fatal(err)
	}
	if text, ok := findings(t, dir); !ok || !strings.Contains(text, "older files were removed") {
		t.Fatal(text, ok)
	}
}

// TestTornLine: after a process died while it wrote a line, later records are written, and the
// incomplete line stays.
func TestTornLine(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{`{"n":11,"time":"20`, "\x00\x00\x00"} {
		dir := written(t, 10)
		f, err := os.OpenFile(filepath.Join(dir, second), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(piece); err != nil {
			t.Fatal(err)
		}
		f.Close()
		for range 2 {
			l := New(Options{Dir: dir, Now: func() time.Time { return noon.AddDate(0, 0, 1) }})
			l.Add(Trust, "", nil)
			flush(t, l)
		}
		if text, ok := findings(t, dir); !ok || !strings.Contains(text, "a process ended while") {
			t.Fatal(text, ok)
		}
		if list, err := Read(dir, Query{}); err != nil || len(list) != 12 {
			t.Fatal(len(list), err)
		}
	}
}

// TestManyWriters: several processes write to one log.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			l := New(Options{Dir: dir})
			for i := range 50 {
				l.Add(Trust, fmt.Sprint(w), map[string]any{"i": i})
				if i%7 == 0 {
					if err := l.Flush(); err != nil {
						t.Error(err)
					}
				}
			}
			if err := l.Flush(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Fatal(text)
	}
	if list, err := Read(dir, Query{}); err != nil || len(list) != 400 {
		t.Fatal(len(list), err)
	}
}

// TestClockGoesBack: records are in the order in which they were written.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	at := &clock{t: noon}
	l := New(Options{Dir: dir, Now: at.now})
	l.Add(Trust, "", nil)
	flush(t, l)
	at.set(noon.AddDate(0, 0, -5))
	l.Add(Trust, "", nil)
	flush(t, l)
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Fatal(text)
	}
}

// TestDiskFails: a failure is reported once and blocks no caller, and later records are written
// when the disk works again.
func TestDiskFails(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	var told []error
	l := New(Options{Dir: dir, Failed: func(err error) { told = append(told, err) }})
	for range 3 {
		l.Add(Trust, "", nil)
		if err := l.Flush(); err == nil {
			t.Fatal("no error")
		}
	}
	if len(told) != 1 {
		t.Fatal(told)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	l.Add(Trust, "", nil)
	flush(t, l)
}

// TestQueueIsBounded: records beyond the limit are counted. If the writer took a full queue first,
// there are two counts.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := New(Options{Dir: dir})
	stop := make(chan struct{})
	l.AddLazy(Trust, "", func() any { <-stop; return nil })
	const added = 2*maxQueue + 100
	for range added {
		l.Add(Trust, "", nil)
	}
	close(stop)
	flush(t, l)
	written, err := Read(dir, Query{Kind: Trust})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Read(dir, Query{Kind: Lost})
	if err != nil || len(list) == 0 || len(list) > 2 {
		t.Fatal(list, err)
	}
	lost := 0
	for _, r := range list {
		var data struct{ Count int }
		if err := json.Unmarshal(r.Data, &data); err != nil {
			t.Fatal(err)
		}
		lost += data.Count
	}
	if len(written)+lost != added+1 {
		t.Errorf("%d records were written and %d lost, of %d", len(written), lost, added+1)
	}
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Fatal(text)
	}
}

// TestHostileData: no data of a record can add or break a line.
func TestHostileData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := New(Options{Dir: dir})
	for _, data := range []any{strings.Repeat("x", 1<<20), func() {}, "a\nb\x00\x1b[2J\xff",
		map[string]any{"x": `","hash":"00"}`}, nil} {
		l.AddLazy(Trust, "s\n1", func() any { return data })
	}
	flush(t, l)
	if text, ok := findings(t, dir); text != "" || !ok {
		t.Fatal(text)
	}
	list, err := Read(dir, Query{})
	if err != nil || len(list) != 5 || !bytes.Contains(list[0].Data, []byte("left out")) {
		t.Fatal(len(list), err)
	}
	for _, r := range list {
		if strings.ContainsAny(r.Line(), "\n\x00\x1b") {
			t.Errorf("%q", r.Line())
		}
	}
}

// TestFindPrefersTheExactID: an exact id is preferred to a longer one with the same prefix.
func TestFindPrefersTheExactID(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := New(Options{Dir: dir})
	for _, id := range []string{"call_1", "call_12"} {
		l.Decided(engine.Decision{CallID: id, Tool: "bash", By: "guard"}, redact.NewMask(nil))
	}
	flush(t, l)
	for begin, want := range map[string]string{"call_1": "call_1", "call": "call_12"} {
		r, err := Find(dir, begin, "")
		if err != nil {
			t.Fatal(err)
		}
		if c, err := r.Call(); err != nil || c.ID != want {
			t.Errorf("%s: found %s, want %s", begin, c.ID, want)
		}
	}
}

// TestRefused: what the sandbox refused to a call is explained together with the decision about it,
// is listed by the script of the guard and of the program, and is masked.
func TestRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l, mask := New(Options{Dir: dir}), redact.NewMask([]string{"hunter2-hunter2"})
	guarded := Refusal{Verb: "read", What: "/p/.env", Why: "guard.lua:3, reads **/.env",
		Guard: "guard.lua", Line: 3, Version: "3fa2c1d0e4b5a6", Glob: "**/.env"}
	l.Refused("s1", &Call{ID: "c1", Tool: "bash", Refusals: []Refusal{guarded,
		{Verb: "write", What: "/p/hunter2-hunter2", Why: "your rule write(hunter2-hunter2)",
			Rule: "write(hunter2-hunter2)"}}}, mask)
	l.Refused("s2", &Call{ID: "c1", Tool: "bash", Refusals: []Refusal{{Verb: "read",
		What: "/other"}}}, mask)
	l.Refused("s1", &Call{Script: "fmt.lua", Refusals: []Refusal{{Verb: "reach",
		What: "the network", Why: "no reason"}}}, mask)
	l.Decided(engine.Decision{Env: &event.Envelope{SessionID: "s1"}, CallID: "c1", Tool: "bash",
		Allowed: true, By: "user_once", Lifted: "write /p/hunter2-hunter2"}, mask)
	flush(t, l)
	r, err := Find(dir, "c1", "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := Why(dir, r)
	if want := `  by the user's yes, the sandbox let it write /p/[redacted:secret]
  the sandbox refused to read /p/.env: guard.lua:3 (version 3fa2c1d0e4b5), reads **/.env
  the sandbox refused to write /p/[redacted:secret]: your rule write([redacted:secret])`; err != nil ||
		!strings.HasSuffix(text, want) {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
	for script, want := range map[string]string{
		"guard": "fence the sandbox refused bash c1 to read /p/.env " +
			"(guard.lua:3, reads **/.env), " +
			"to write /p/[redacted:secret] (your rule write([redacted:secret]))",
		"fmt.lua": "fence the sandbox refused a program of fmt.lua to reach the network (no " +
			"reason)",
	} {
		list, err := Read(dir, Query{Script: script})
		if err != nil || len(list) != 1 || !strings.HasSuffix(list[0].Line(), want) {
			t.Errorf("%s: %v, %v", script, list, err)
		}
		for _, one := range list {
			if b, _ := one.JSON(); strings.Contains(string(b), "hunter2") {
				t.Errorf("%s", b)
			}
		}
	}
}

// TestDecisionIsMasked: the redactors at the time of writing apply.
func TestDecisionIsMasked(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	l := New(Options{Dir: dir})
	l.Decided(engine.Decision{CallID: "c1", Tool: "bash", Told: "no hunter2-hunter2",
		Args: map[string]any{"command": "echo hunter2-hunter2"}, By: "guard",
		Before: &engine.Rewrite{Args: map[string]any{"command": "hunter2-hunter2"}},
		Trail: engine.Trail{{Script: "a.lua", Line: 3, Event: "guard", Outcome: "block",
			Reason: "hunter2-hunter2"}}}, redact.NewMask([]string{"hunter2-hunter2"}))
	flush(t, l)
	r, err := Find(dir, "c", "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := Why(dir, r)
	if err != nil || strings.Contains(text, "hunter2") ||
		!strings.Contains(text, "did not run: a.lua:3 decided (blocked it)") {
		t.Fatal(text, err)
	}
	for _, q := range []Query{{Script: "a"}, {Script: "a.lua"}, {Begins: "c1"}} {
		if list, err := Read(dir, q); err != nil || len(list) != 1 {
			t.Error(q, len(list), err)
		}
	}
	for _, q := range []Query{{Script: "b"}, {Begins: "c2"}, {Session: "x"},
		{Since: time.Now().Add(time.Hour)}, {Kind: Load}} {
		if list, err := Read(dir, q); err != nil || len(list) != 0 {
			t.Error(q, len(list), err)
		}
	}
}

func TestNothingIsStoredWithoutAFolder(t *testing.T) {
	t.Parallel()
	l := New(Options{})
	l.Add(Trust, "", nil)
	flush(t, l)
}

// BenchmarkDecided measures the time that logging a decision adds to a call.
func BenchmarkDecided(b *testing.B) {
	l := New(Options{Dir: filepath.Join(b.TempDir(), "audit")})
	d := engine.Decision{CallID: "c1", Tool: "bash", Args: map[string]any{"command": "echo"},
		Trail: engine.Trail{{Script: "a.lua", Line: 3, Event: "guard", Outcome: "pass"}}}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%(maxQueue/2) == 0 { // adding to a full queue would be too fast
			b.StopTimer()
			if err := l.Flush(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
		l.Decided(d, nil)
	}
	b.StopTimer()
	if err := l.Flush(); err != nil {
		b.Fatal(err)
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add([]byte(`{"n":1,"kind":"load","data":{},"prev":"","hash":"00"}`))
	f.Add([]byte(`{"data":{"args":[]},"kind":"decision","hash":"` +
		hashOf([]byte(`{"data":{"args":[]},"kind":"decision"}`)) + `"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := readRecord(line)
		if r == nil {
			if err == nil {
				t.Fatal("no record, and no error")
			}
			return
		}
		if text := r.Line(); strings.ContainsAny(text, "\n\x1b") {
			t.Fatalf("%q", text)
		}
		if text, err := r.decided(); err == nil && strings.Contains(text, "\x1b") {
			t.Fatalf("%q", text)
		}
	})
}

// TestErrorIsTold checks that the error of a step is written once, also if it is the reason.
func TestErrorIsTold(t *testing.T) {
	for reason, want := range map[string]string{
		"":                 "a.lua, guard: failed: no such (0s)",
		"a.lua:2: no such": "a.lua, guard: failed: a.lua:2: no such (0s)",
		"it failed":        "a.lua, guard: failed: it failed: no such (0s)",
	} {
		s := Step{Script: "a.lua", Event: "guard", Outcome: "error", Reason: reason,
			Error: "no such"}
		if got := s.words(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBrief checks that the end of a call comes before its arguments, and that its ID is left out.
func TestBrief(t *testing.T) {
	r := Record{Kind: Decision, Data: []byte(`{"id":"toolu_1","tool":"bash",` +
		`"args":{"command":"ls"},"allowed":true,"by":"user_once"}`)}
	if got := r.Brief(); !strings.HasSuffix(got, ` bash ran: the user said yes: {"command":"ls"}`) {
		t.Errorf("got %q", got)
	}
}

// TestTrustInWords checks the line of a decision about something that waits, is installed or comes
// from another host.
func TestTrustInWords(t *testing.T) {
	for want, data := range map[string]string{
		"waits /h/a.js (version 7fb7593ea567): asks for more": `{"decision":"waits",` +
			`"path":"/h/a.js","sha256":"7fb7593ea567f8f1","why":"asks for more"}`,
		"install /h/b.lua from gist:1, may use exec, ui": `{"decision":"install",` +
			`"path":"/h/b.lua","source":"gist:1","grants":["exec","ui"]}`,
		"import /h from claude, zot": `{"decision":"import","path":"/h","from":["claude","zot"]}`,
		"remove /h/b.lua":            `{"decision":"remove","path":"/h/b.lua"}`,
	} {
		r := Record{Kind: Trust, Data: []byte(data)}
		if got := r.Line(); !strings.HasSuffix(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
