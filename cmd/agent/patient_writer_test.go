package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

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
