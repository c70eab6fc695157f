package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
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

// TestPatientWriter checks that the writer waits for a slow reader until the program is told to
// end, and no longer.
func TestPatientWriter(t *testing.T) {
	t.Parallel()
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	p := &patient{out: out, until: ctx}
	go func() { // a slow reader
		time.Sleep(50 * time.Millisecond)
		_, _ = io.ReadFull(in, make([]byte, 4))
	}()
	if n, err := p.Write([]byte("read")); n != 4 || err != nil {
		t.Fatalf("got %d, %v", n, err)
	}
	cancel()
	for range 3 {
		ended := make(chan error, 1)
		go func() {
			_, err := p.Write([]byte("never read"))
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, errNotRead) {
				t.Fatalf("got %v, want %v", err, errNotRead)
			}
		case <-time.After(driveTime):
			t.Fatal("Write blocks after the end")
		}
	}
}

// TestSignalEndsUnreadStream checks that Ctrl-C ends --json although its output is not read any
// more.
func TestSignalEndsUnreadStream(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d := newDrive(t, nil)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	var said bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), driveTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "--json", "--yolo", "--model", "offline/offline")
	cmd.Args[0], cmd.Dir, cmd.Env = "agent", d.dir, append(os.Environ(), "AGENT_HOME="+d.home)
	// more than the buffer of a pipe
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("say "+strings.Repeat("x", 1<<20)), w,
		&said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.SetReadDeadline(time.Now().Add(driveTime))
	begun, piece := "", make([]byte, 512)
	for !strings.Contains(begun, "xxxxxxxx") { // after this the output is not read
		n, err := r.Read(piece)
		if err != nil {
			t.Fatal(err)
		}
		begun += string(piece[:n])
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); ctx.Err() != nil || cmd.ProcessState.ExitCode() != 128+
		int(syscall.SIGINT) {
		t.Errorf("the program ended with %v: %s", err, said.String())
	}
	if !strings.Contains(said.String(), "standard output: "+errNotRead.Error()) {
		t.Errorf("stderr is %s", said.String())
	}
}
