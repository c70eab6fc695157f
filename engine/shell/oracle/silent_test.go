package oracle

import (
	_ "embed"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// deniedGoals are commands that the rules deny.
var deniedGoals = []string{
	"‹word rm›‹gap›‹word -r›‹gap›‹word x›", "‹word rm›‹gap›‹word -fr›‹gap›‹word x›",
	"‹word rm›‹gap›‹word --recurs›‹gap›‹word x›", "‹word git›‹gap›‹word push›‹gap›‹word --force›"}

// readGoals and writeGoals are commands, one on a line, that read and write a file: ‹f› is its name
// in any spelling, ‹plain› its name.
//
//go:embed testdata/reads.txt
var readGoals string

//go:embed testdata/writes.txt
var writeGoals string

// goalsFor returns the commands of a table for a file.
func goalsFor(table, file string) []string {
	table = strings.NewReplacer("‹f›", "‹word "+file+"›", "‹plain›", file).Replace(table)
	return strings.Split(strings.TrimSpace(table), "\n")
}

// furnishGuarded creates files that guards are about, and others.
func furnishGuarded(dir string) {
	for name, text := range map[string]string{".env": "TOKEN=1\n", "sub/.env": "TOKEN=2\n",
		"a.txt": "a\nb\n", "yarn.lock": "L\n", "sub/yarn.lock": "L\nM\n"} {
		path := filepath.Join(dir, name)
		_ = os.MkdirAll(filepath.Dir(path), 0o700)
		_ = os.WriteFile(path, []byte(text), 0o600)
	}
}

// denies runs a line that passes as harmless, and fails if a denied command runs.
func denies(t *testing.T, w *world, line string) bool {
	t.Helper()
	if w.parse(line).Check(&denied).Decision != "" {
		return false
	}
	try(t, w, line)
	return true
}

// reads runs a line that is expected to read no .env, and fails if it reads one.
func reads(t *testing.T, w *world, line string) bool {
	t.Helper()
	return judge(t, w, "reads", line)
}

// judgeReads implements judgement.
func judgeReads(t testing.TB, w *world, line string) (bool, string) {
	t.Helper()
	return w.expectNothing(t, line, "reads", "**/.env", func(dir string) func() string {
		read := watchReads(t, filepath.Join(dir, ".env"), filepath.Join(dir, "sub/.env"))
		return func() string {
			if read() {
				return "reads .env"
			}
			return ""
		}
	})
}

// writes runs a line that is expected to write no *.lock, and fails if it writes one.
func writes(t *testing.T, w *world, line string) bool {
	t.Helper()
	return judge(t, w, "writes", line)
}

// judgeWrites implements judgement.
func judgeWrites(t testing.TB, w *world, line string) (bool, string) {
	t.Helper()
	return w.expectNothing(t, line, "writes", "**/*.lock", func(dir string) func() string {
		before := locks(dir)
		return func() string {
			if after := locks(dir); !maps.Equal(before, after) {
				return "changes *.lock"
			}
			return ""
		}
	})
}

// locks returns the contents of the files *.lock below dir.
func locks(dir string) map[string]string {
	out := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".lock") {
			text, _ := os.ReadFile(path)
			out[path] = string(text)
		}
		return nil
	})
	return out
}

// expectNothing runs a line if it is predicted that it touches no file that matches a glob. watch
// is called before the line runs, and what it returns afterwards: it says what the line has done.
// acted reports whether it ran, and wrong is what it has done then.
func (w *world) expectNothing(t testing.TB, line, what, glob string,
	watch func(dir string) func() string) (acted bool, wrong string) {
	t.Helper()
	if !w.guarded { // most lines do not run, and leave the folder for the next one
		w.furnish(t, furnishGuarded)
		w.guarded = true
	}
	dir := w.folder()
	said := w.finder().Command(line, dir, dir)
	if fits, sure := said.Fits(what, glob); fits || !sure {
		return false, ""
	}
	w.guarded = false
	done := watch(dir)
	w.runLine(line)
	if did := done(); did != "" {
		return true, did + ", which was not predicted"
	}
	return true, ""
}

// TestNothingDeniedIsSilent runs the generated lines that pass as harmless.
func TestNothingDeniedIsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eachTableLine(t, deniedGoals, func(line string) bool { return denies(t, w, line) })
}

// TestNoReadIsSilent runs the generated lines that are expected to read no .env.
func TestNoReadIsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eachTableLine(t, goalsFor(readGoals, ".env"),
		func(line string) bool { return reads(t, w, line) })
}

// TestNoWriteIsSilent runs the generated lines that are expected to write no *.lock.
func TestNoWriteIsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eachTableLine(t, goalsFor(writeGoals, "yarn.lock"),
		func(line string) bool { return writes(t, w, line) })
}

// TestEachRowIsSeen does the same with each row of the tables in its plainest spelling: random
// lines leave some out.
func TestEachRowIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, goal := range goalsFor(readGoals, ".env") {
		reads(t, w, tableLine(nil, []string{goal}))
	}
	for _, goal := range goalsFor(writeGoals, "yarn.lock") {
		writes(t, w, tableLine(nil, []string{goal}))
	}
}

// FuzzSilent does the same with lines that the fuzzing engine finds.
func FuzzSilent(f *testing.F) {
	w := newWorld(f)
	toRead, toWrite := goalsFor(readGoals, ".env"), goalsFor(writeGoals, "yarn.lock")
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, choices []byte, which uint8) {
		switch which % 3 {
		case 0:
			denies(t, w, tableLine(choices, deniedGoals))
		case 1:
			reads(t, w, tableLine(choices, toRead))
		default:
			writes(t, w, tableLine(choices, toWrite))
		}
	})
}
