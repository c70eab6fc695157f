package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestSignalIsTheExitCode checks that in every mode the exit code names the signal that ended the
// program, as in shells.
func TestSignalIsTheExitCode(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals")
	}
	const work = "run echo up >up; sleep 60"
	const rpcHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,` +
		`"client":{"name":"test"}}}` + "\n"
	const acpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":1}}` + "\n"
	for name, mode := range map[string]struct {
		args []string
		// in is the program's input; the program is ready when it has answered with a line. If in
		// is empty, it is ready when the file up exists.
		in string
	}{
		"print": {[]string{"-p", "--yolo", work}, ""},
		"json":  {[]string{"--json", "--yolo", work}, ""},
		"rpc":   {[]string{"rpc"}, rpcHello},
		"acp":   {[]string{"acp"}, acpHello},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(name+" "+signalNames[sig], func(t *testing.T) {
				t.Parallel()
				d := newDrive(t, nil)
				ctx, cancel := context.WithTimeout(t.Context(), driveTime)
				defer cancel()
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				var said bytes.Buffer
				cmd := exec.CommandContext(ctx, self, mode.args...)
				cmd.Args[0], cmd.Dir, cmd.Stderr = "agent", d.dir, &said
				cmd.Env = append(os.Environ(), "AGENT_HOME="+d.home, "OPENAI_API_KEY=",
					"ANTHROPIC_API_KEY=")
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewReader(out)
				if mode.in != "" {
					in.Write([]byte(mode.in))
					if _, err := lines.ReadString('\n'); err != nil {
						t.Fatal(err, said.String())
					}
				} else {
					in.Close()
					eventually(t, "the program is ready", func() bool {
						_, err := os.Stat(filepath.Join(d.dir, "up"))
						return err == nil
					})
				}
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				lines.WriteTo(new(bytes.Buffer))
				err = cmd.Wait()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 128+int(sig) {
					t.Errorf("ended with %v, want exit status %d: %s", err, 128+int(sig),
						said.String())
				}
				if strings.Contains(said.String(), "context canceled") {
					t.Errorf("stderr is %s", said.String())
				}
			})
		}
	}
}
