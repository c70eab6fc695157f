package fence

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	s := &space{fence: f, paths: list, dirs: p.watched(list), folders: &f.folders}
	go s.serve(conn)
	return confine.Space + ":" + strconv.Itoa(fd), nil
}

// space is the mount namespace of a program.
type space struct {
	file    *os.File
	name    string // as /proc/PID/ns/mnt has it
	fence   *Fence
	paths   []held
	dirs    []string
	failing bool // a path could not be protected again

	folders *folders
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
	over := make(chan bool, 1) // the program has ended, and has left nothing running
	go func() {
		end, _ := io.ReadAll(io.LimitReader(conn, 1))
		over <- string(end) == string(confine.NothingLeft)
	}()
	changed := make(chan struct{}, 1)
	s.folders.listen(changed, s.dirs)
	defer s.folders.remove(changed)
	defer s.fails(false)
	tick := time.NewTicker(holdEvery)
	defer tick.Stop()
	for {
		for range holdTries {
			if s.protectAgain() {
				break
			}
		}
		select {
		case <-changed:
			s.folders.watchAgain(s.dirs) // one of them may be another folder now
			continue
		case nothing := <-over:
			if nothing {
				return
			}
			over = nil // every tick asks
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

// protectAgain protects what was replaced. It returns false if something was replaced while it did.
func (s *space) protectAgain() bool {
	again := lost(s.paths)
	if len(again) == 0 {
		return true
	}
	var settings []string
	for _, h := range again {
		settings = append(settings, h.setting)
	}
	ctx, cancel := context.WithTimeout(context.Background(), holdTime)
	defer cancel()
	var out, errs strings.Builder
	cmd := launch.Holding(ctx, s.file, settings)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = holdEvery
	err := cmd.Run()
	var done, made []string
	for _, path := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == 0 }) {
		path, kept := strings.CutPrefix(path, confine.HeldBefore)
		if done = append(done, path); !kept {
			made = append(made, path)
		}
	}
	if len(made) > 0 {
		s.fence.report(made, nil)
	}
	missed := s.forget(again, done)
	if err != nil && !s.failing { // it is reported once, and tried again at each look
		s.fence.report(missed, fmt.Errorf("%w: %.300s", err, strings.TrimSpace(errs.String())))
	}
	s.fails(err != nil)
	return err != nil || len(missed) == 0
}

// forget makes the next look find those of the paths again that are not protected: not among done.
func (s *space) forget(again []held, done []string) (missed []string) {
	for i := range s.paths {
		path := s.paths[i].path
		if slices.ContainsFunc(again, func(h held) bool { return h.path == path }) &&
			!slices.Contains(done, path) {
			missed, s.paths[i].is = append(missed, path), nil
		}
	}
	return missed
}

// fails notes whether the paths cannot be protected.
func (s *space) fails(is bool) {
	switch {
	case is == s.failing:
		return
	case is:
		s.fence.failing.Add(1)
	default:
		s.fence.failing.Add(-1)
	}
	s.failing = is
}

// lost returns those paths at which there may be another file than before, and remembers that one.
// A new file may have the number of the old one, or a name of it may have been moved: then the time
// at which its inode changed is another one.
func lost(list []held) (again []held) {
	for i, h := range list {
		is, err := os.Lstat(h.path)
		switch {
		case err != nil:
			list[i].is = nil
		case h.is == nil || !os.SameFile(h.is, is) || changeTime(h.is) != changeTime(is):
			list[i].is = is
			again = append(again, list[i])
		}
	}
	return again
}

// changeTime returns when the inode of a file was changed: its contents, its names, its rights.
func changeTime(info os.FileInfo) syscall.Timespec {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim
	}
	return syscall.Timespec{}
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

// folders tells of folders in which entries appear or vanish. Source: inotify(7).
type folders struct {
	mu      sync.Mutex
	fd      int      // of inotify; 0 = it is not open, -1 = the system allows no more
	file    *os.File // with that descriptor
	watched map[string]bool
	hear    map[chan<- struct{}]bool
}

// mostFolders is how many folders are watched: those of a program that has ended stay while others
// run.
const mostFolders = 1000

// listen makes changed get a value when entries of the folders appear or vanish, or of those that
// others have added. If the system does not tell, it gets none.
func (w *folders) listen(changed chan<- struct{}, dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fd == 0 {
		w.watched, w.hear = map[string]bool{}, map[chan<- struct{}]bool{}
		w.open()
	}
	w.hear[changed] = true
	w.watchAll(dirs)
}

// watchAgain watches folders again, which may have been replaced.
func (w *folders) watchAgain(dirs []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, dir := range dirs {
		delete(w.watched, dir)
	}
	w.watchAll(dirs)
}

// watchAll is called under mu.
func (w *folders) watchAll(dirs []string) {
	for _, dir := range dirs {
		if w.fd > 0 && !w.watched[dir] && len(w.watched) < mostFolders {
			_, err := syscall.InotifyAddWatch(w.fd, dir, syscall.IN_CREATE|syscall.IN_MOVED_TO|
				syscall.IN_MOVED_FROM|syscall.IN_DELETE|syscall.IN_ONLYDIR)
			w.watched[dir] = err == nil
		}
	}
}

func (w *folders) remove(changed chan<- struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if delete(w.hear, changed); len(w.hear) > 0 {
		return
	}
	if w.file != nil {
		w.file.Close()
	}
	w.fd, w.file = 0, nil
}

// open begins to read changes. Called under mu.
func (w *folders) open() {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if w.fd = fd; err != nil {
		w.fd = -1
		return
	}
	file := os.NewFile(uintptr(fd), "inotify")
	w.file = file
	go func() {
		buf := make([]byte, 16<<10)
		for {
			if _, err := file.Read(buf); err != nil {
				return
			}
			w.tell()
		}
	}()
}

// tell passes on that something has changed.
func (w *folders) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for changed := range w.hear {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}
