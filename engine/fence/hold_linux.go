package fence

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine/internal/confine"
	"github.com/agentscripts/agent/engine/internal/launch"
)

// addHold keeps the paths of the policy protected as long as a process of cmd runs. It returns the
// setting for the new process, which sends its mount namespace; "" if there is nothing to protect.
func (f *Fence) addHold(cmd *exec.Cmd, p Policy) (setting string, err error) {
	list := p.held()
	if len(list) == 0 {
		return "", nil
	}
	conn, fd, err := addSocket(cmd, "hold")
	if err != nil {
		return "", err
	}
	s := &space{paths: list, dirs: p.watched(list), report: f.report}
	go s.serve(conn)
	return confine.Space + ":" + strconv.Itoa(fd), nil
}

// space is the mount namespace of a program.
type space struct {
	file   *os.File
	name   string // as /proc/PID/ns/mnt has it
	paths  []held
	dirs   []string
	report func([]held, error)
}

// serve receives the namespace from conn, and protects the paths in it until all its processes have
// ended. conn ends when the program has; what it has left running may stay.
func (s *space) serve(conn *net.UnixConn) {
	defer conn.Close()
	var err error
	if s.file, err = receiveFile(conn); err != nil {
		return // the program was not started
	}
	defer s.file.Close()
	s.name, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(s.file.Fd())))
	over := make(chan struct{}) // the program has ended
	go func() {
		_, _ = io.Copy(io.Discard, conn)
		close(over)
	}()
	changed, stop := watchFolders(s.dirs)
	defer stop()
	tick := time.NewTicker(holdEvery)
	defer tick.Stop()
	for {
		s.protectAgain()
		select {
		case <-changed:
			continue
		case <-over: // afterwards, every tick asks
			over = nil
		case <-tick.C:
			if over != nil {
				continue
			}
		}
		if !s.inUse() {
			return
		}
	}
}

// protectAgain protects what was replaced.
func (s *space) protectAgain() {
	again := lost(s.paths)
	if len(again) == 0 {
		return
	}
	var settings []string
	for _, h := range again {
		settings = append(settings, h.setting)
	}
	ctx, cancel := context.WithTimeout(context.Background(), holdTime)
	defer cancel()
	out, err := launch.Holding(ctx, s.file, settings).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %.300s", err, out)
	}
	s.report(again, err)
}

// inUse reports whether a process runs in the namespace.
func (s *space) inUse() bool {
	names, _ := filepath.Glob("/proc/[0-9]*/ns/mnt")
	for _, name := range names {
		if its, err := os.Readlink(name); err == nil && its == s.name {
			return true
		}
	}
	return false
}

// watchFolders returns a channel that gets a value when entries of the folders appear or vanish. If
// the system allows no more watches, it gets none. Source: inotify(7).
func watchFolders(dirs []string) (changed <-chan struct{}, stop func()) {
	out := make(chan struct{}, 1)
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		return out, func() {}
	}
	for _, dir := range dirs {
		_, _ = syscall.InotifyAddWatch(fd, dir, syscall.IN_CREATE|syscall.IN_MOVED_TO|
			syscall.IN_MOVED_FROM|syscall.IN_DELETE|syscall.IN_ONLYDIR)
	}
	file := os.NewFile(uintptr(fd), "inotify")
	go func() {
		buf := make([]byte, 16<<10)
		for {
			if _, err := file.Read(buf); err != nil {
				return
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out, func() { file.Close() }
}
