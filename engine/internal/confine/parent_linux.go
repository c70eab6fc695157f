//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file runs the program as a child of this process. The program must not adopt processes
// itself: it would wait for those that detached themselves, with wait() in a loop.
// Source: prctl(2), wait(2), signal(7), proc_pid_stat(5).

package confine

import (
	"slices"
	"strconv"
	"syscall"
	"unsafe"
)

// runProgram runs the program, adopts the processes that it leaves, and ends as the program does.
// It returns only if the program cannot be started. This process keeps the descriptor kept, 0 =
// none, until the program has ended.
func runProgram(program []string, kept uint32) error {
	adoptOrphans()
	self := selfStat()
	hideProgram(self)
	// the program cannot reach the memory and the descriptors of this process
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 0, 0); errno != 0 {
		return about("dumpable", errno)
	}
	attr := syscall.ProcAttr{Env: environment(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL,
			// signals for the group are the program's. One with a terminal has to stay in the group
			// that the shell has put in the foreground
			Setpgid: self.terminal == "0"}}
	pid, err := syscall.ForkExec(program[0], program[1:], &attr)
	if err != nil {
		return about(program[0], err)
	}
	becomeParent(kept)
	for {
		var status syscall.WaitStatus
		switch got, err := syscall.Wait4(-1, &status, syscall.WUNTRACED, nil); {
		case err == syscall.EINTR:
		case err != nil:
			return about("wait", err)
		case status.Stopped():
			// without this process its group would be orphaned: what a terminal sends does not stop
			// such a group, since nobody would continue it
			if got == pid && self.terminal == "0" && status.StopSignal() != syscall.SIGSTOP {
				_ = syscall.Kill(-pid, syscall.SIGCONT)
			}
		case got == pid:
			if kept != 0 && !hasChildren() {
				_, _ = syscall.Write(int(kept), []byte{NothingLeft})
			}
			endAs(status)
		}
	}
}

// hasChildren reports whether this process has children that run: the program has left them.
func hasChildren() bool {
	for {
		switch got, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case err == syscall.EINTR, got > 0:
		default:
			return err == nil
		}
	}
}

// becomeParent makes this process ignore the signals that are for the program, and then closes the
// program's input and output, and all else but kept. The program has been started: it would inherit
// what is ignored.
func becomeParent(kept uint32) {
	for s := syscall.Signal(1); s < 65; s++ {
		switch s {
		case syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP,
			syscall.SIGURG: // the runtime of Go uses them
		case syscall.SIGCHLD: // ignoring it would lose the status of children
		default:
			setAction(s, ignoreSignal)
		}
	}
	_ = closeAllBut(0, kept)
}

// hideProgram removes the program's command line from what ps shows of this process: pkill -f would
// find it too.
func hideProgram(self stat) {
	begin, _ := strconv.ParseUint(self.arguments, 10, 64)
	end, _ := strconv.ParseUint(self.argumentsEnd, 10, 64)
	if begin > 0 && end > begin+uint64(len(Name)) {
		text := unsafe.Slice((*byte)(memoryAt(uintptr(begin))), end-begin)
		clear(text)
		copy(text, Name)
	}
	const setName = 15
	name := [16]byte{}
	copy(name[:], Name)
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setName, uintptr(unsafe.Pointer(&name)), 0)
}

// memoryAt returns a pointer to memory of this process that Go does not manage.
func memoryAt(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// endAs ends this process as another one has ended.
func endAs(status syscall.WaitStatus) {
	if status.Exited() {
		syscall.Exit(status.ExitStatus())
	}
	setAction(status.Signal(), defaultAction)
	_ = syscall.Kill(syscall.Getpid(), status.Signal())
	const signalled = 128 // as in shells
	syscall.Exit(signalled + int(status.Signal()))
}

// setDumpable is the operation of prctl that decides who may see into this process, and whether its
// memory is written to a file when a signal ends it.
const setDumpable = 4

// What to do with a signal.
const (
	defaultAction = 0
	ignoreSignal  = 1
)

// setAction sets what this process does with a signal, without the runtime of Go.
func setAction(s syscall.Signal, handler uintptr) {
	action := struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}{handler: handler}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(s),
		uintptr(unsafe.Pointer(&action)), 0, unsafe.Sizeof(action.mask), 0, 0)
}

// stat is a part of /proc/self/stat. Its values are decimal.
type stat struct {
	terminal                string // the controlling terminal, 0 = none
	arguments, argumentsEnd string // where the arguments are in memory
}

// selfStat returns the zero stat if /proc cannot be read.
func selfStat() (s stat) {
	text, err := readAll("/proc/self/stat")
	if err != nil {
		return s
	}
	for i := len(text) - 1; i >= 0; i-- { // the name of the process may hold anything
		if text[i] == ')' {
			text = text[i+1:]
			break
		}
	}
	const terminal, argStart, argEnd = 7, 48, 49 // the name is field 2
	field, start := 2, 0
	for i, c := range text {
		if c != ' ' && c != '\n' {
			continue
		}
		switch value := string(text[start:i]); field {
		case terminal:
			s.terminal = value
		case argStart:
			s.arguments = value
		case argEnd:
			s.argumentsEnd = value
		}
		field, start = field+1, i+1
	}
	return s
}

// dropDescriptors closes all descriptors except the first three and those kept, of which 0 is none.
// Those that the agent has inherited from an editor or a shell lead out of the sandbox, and a
// program can open what its parent has open.
func dropDescriptors(kept ...uint32) error {
	const first = 3
	slices.Sort(kept)
	return closeAllBut(first, kept...)
}

// closeAllBut closes all descriptors from one on, except those in kept, which is sorted and of
// which 0 is none.
func closeAllBut(from uint32, kept ...uint32) error {
	for _, one := range kept {
		if one == 0 {
			continue
		}
		if one > from {
			if err := closeDescriptors(from, one-1); err != nil {
				return err
			}
		}
		from = one + 1
	}
	return closeDescriptors(from, last)
}

// last is the highest descriptor that there can be.
const last = 1<<32 - 1

// closeDescriptors closes the descriptors from one to another, both included. Source:
// close_range(2).
func closeDescriptors(from, to uint32) error {
	const sysCloseRange = 436
	_, _, errno := syscall.RawSyscall(sysCloseRange, uintptr(from), uintptr(to), 0)
	if errno != 0 {
		return about("descriptors", errno)
	}
	return nil
}
