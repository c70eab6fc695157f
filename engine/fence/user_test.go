package fence

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/long"
)

// TestAsUser runs the tests of this package again as a user who is not root. Everyday runs repeat
// those of attacks, of hidden paths and of ordinary programs.
func TestAsUser(t *testing.T) {
	t.Parallel()
	runuser, err := exec.LookPath("runuser")
	if os.Getuid() != 0 || err != nil {
		t.Skip("only root can run a program as another user")
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("", "as") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "fence.test")
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	scratch := filepath.Join(dir, "t")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, nobody, nobody)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	again := "^Test(Attacks|HiddenPathsVanish|OrdinaryPrograms)$"
	if long.Wanted() {
		again = "^Test"
	}
	cmd := exec.Command(runuser, "-u", "nobody", "--", program, "-test.v",
		// bwrap makes the same sandbox for root
		"-test.run", again, "-test.skip", "TestAttacks/bubblewrap")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+scratch)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	for _, m := range methods { // a skipped test does not show that a method works
		passed := strings.Contains(string(out), "--- PASS: TestOrdinaryPrograms/"+string(m.name))
		if works(m.name) == nil && m.name != Mounts && !passed {
			t.Errorf("%s works only for root", m.name)
		}
	}
}
