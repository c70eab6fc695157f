package load

import (
	"context"
	"syscall"
)

// mounts reports what is mounted and unmounted: a file system that is mounted over a folder of
// scripts changes what is in it without an event. Source: proc_pid_mounts(5).
type mounts struct {
	files []int // the list of mounts, an epoll of it and of a pipe, and the pipe; nil = no reports
}

// openMounts starts to listen. Earlier mounts are not reported.
func openMounts() (m mounts) {
	list, err := syscall.Open("/proc/self/mountinfo", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return m
	}
	m.files = append(m.files, list)
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return m.close()
	}
	m.files = append(m.files, poll)
	var pipe [2]int // it ends the wait
	if syscall.Pipe2(pipe[:], syscall.O_CLOEXEC) != nil {
		return m.close()
	}
	m.files = append(m.files, pipe[0], pipe[1])
	for file, what := range map[int]uint32{list: syscall.EPOLLPRI, pipe[0]: syscall.EPOLLIN} {
		event := syscall.EpollEvent{Fd: int32(file), Events: what}
		if syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, file, &event) != nil {
			return m.close()
		}
	}
	return m
}

func (m mounts) close() mounts {
	for _, file := range m.files {
		syscall.Close(file)
	}
	return mounts{}
}

// watchList calls changed after each change, until ctx ends. It closes m.
func (m mounts) watchList(ctx context.Context, changed func()) {
	if m.files == nil {
		return
	}
	defer m.close()
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_, _ = syscall.Write(m.files[3], []byte{0})
	})
	defer func() {
		if !stop() {
			<-woken // it uses the pipe
		}
	}()
	events := make([]syscall.EpollEvent, 2)
	for {
		_, err := syscall.EpollWait(m.files[1], events, -1)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			changed()
		case err != syscall.EINTR:
			return
		}
	}
}
