package oracle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/internal/confine"
	"github.com/agentscripts/agent/engine/internal/launch"
	"github.com/agentscripts/agent/engine/ramdisk"
)

// confinedBy is set in the environment of the confined test program.
const confinedBy = "ORACLE_CONFINED"

func TestMain(m *testing.M) {
	ramdisk.Use()
	if os.Getenv(confinedBy) == "" && confine.LandlockVersion() >= 3 {
		os.Exit(runConfined())
	}
	os.Exit(m.Run())
}

// runConfined runs this test program again, and returns its exit code. It, and the command lines
// that it runs, can write only into a temporary folder and to the files that the flags name.
func runConfined() int {
	fails := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	exe, err := os.Executable()
	if err != nil {
		return fails(err)
	}
	dir, err := os.MkdirTemp("", "oracle")
	if err != nil {
		return fails(err)
	}
	defer os.RemoveAll(dir)
	testdata, err := filepath.Abs("testdata") // what is found is kept there
	if err != nil {
		return fails(err)
	}
	writable := []string{dir, testdata, os.DevNull}
	for _, flag := range os.Args[1:] { // -test.testlogfile=, ..
		_, file, ok := strings.Cut(flag, "=")
		if !ok {
			file = flag // -test.fuzzcachedir FOLDER
		}
		if filepath.IsAbs(file) {
			folder := filepath.Dir(file)
			if err := os.MkdirAll(folder, 0o755); err != nil { // the first fuzzing has none
				return fails(err)
			}
			writable = append(writable, folder)
		}
	}
	var settings []string
	for _, path := range writable {
		settings = append(settings, confine.Writable+":"+path)
	}
	cmd := exec.Command(exe, os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), confinedBy+"=1", "TMPDIR="+dir)
	if err := launch.Confined(cmd, settings); err != nil {
		return fails(err)
	}
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		return ended.ExitCode()
	case err != nil:
		return fails(err)
	}
	return 0
}

// TestNothingOutsideIsWritten checks that a command line can write nothing outside of the temporary
// folder.
func TestNothingOutsideIsWritten(t *testing.T) {
	t.Parallel()
	if os.Getenv(confinedBy) == "" {
		t.Skip("the kernel has no Landlock of version 3")
	}
	w := newWorld(t)
	outside, err := filepath.Abs("outside")
	if err != nil {
		t.Fatal(err)
	}
	w.run(t, "echo > '"+outside+"'; echo > in", func(string) {})
	if _, err := os.Lstat(outside); err == nil {
		t.Errorf("%s was written", outside)
	}
	if _, err := os.Stat(filepath.Join(w.folder(), "in")); err != nil {
		t.Errorf("the line did not run: %v", err)
	}
}

// size returns how many lines a test generates, and the seed of the first one. ORACLE_LINES, for a
// long run by hand, replaces the usual number, and makes them other lines in each run.
func size(t *testing.T, usual int) (lines int, seed uint64) {
	t.Helper()
	lines, err := strconv.Atoi(os.Getenv("ORACLE_LINES"))
	if err != nil {
		return usual, 1
	}
	seed = rand.Uint64()
	t.Logf("%d lines from seed %d", lines, seed)
	return lines, seed
}
