//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

package confine

// The files of this package import neither os nor fmt: what imports only these few is initialized
// before os, and with that before all else that an executable of this size initializes. That is
// half of the time that the fence costs.

import (
	"errors"
	"runtime"
	"syscall"
)

// Available is true if this system can run a program through this package.
const Available = true

var _ = confineSelf()

// confineSelf confines this process and runs the program, if the first argument is Name.
func confineSelf() struct{} {
	if _, ok := syscall.Getenv(Variable); !ok {
		return struct{}{}
	}
	args, err := arguments()
	if err == nil && (len(args) < 2 || args[1] != Name) {
		return struct{}{}
	}
	runtime.LockOSThread()
	if err == nil {
		err = confineAndRun(args[2:])
	}
	_, _ = syscall.Write(2, []byte(Name+": "+err.Error()+"\n"))
	syscall.Exit(Failed)
	return struct{}{}
}

// readAll returns what a file holds, as os.ReadFile does.
func readAll(path string) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, about(path, err)
	}
	defer syscall.Close(fd)
	text := make([]byte, 0, 16<<10)
	for {
		if len(text) == cap(text) {
			text = append(text, make([]byte, len(text))...)[:len(text)]
		}
		n, err := syscall.Read(fd, text[len(text):cap(text)])
		if err != nil {
			return nil, about(path, err)
		}
		if n == 0 {
			return text, nil
		}
		text = text[:len(text)+n]
	}
}

// arguments returns the arguments of this process, the first is its name.
func arguments() ([]string, error) {
	text, err := readAll("/proc/self/cmdline")
	if err != nil {
		return nil, err
	}
	var args []string
	for start, i := 0, 0; i < len(text); i++ {
		if text[i] == 0 {
			args = append(args, string(text[start:i]))
			start = i + 1
		}
	}
	return args, nil
}

// about returns err with what it is about.
func about(what string, err error) error { return errors.New(what + ": " + err.Error()) }

// settings are the arguments, by key.
type settings map[string][]string

// parse returns the settings, and the program: its path, its name and its arguments.
func parse(args []string) (settings, []string, error) {
	set := settings{}
	for i, arg := range args {
		if arg == "--" {
			if len(args) < i+3 {
				return nil, nil, errors.New("there is no program")
			}
			return set, args[i+1:], nil
		}
		end := 0
		for end < len(arg) && arg[end] != ':' {
			end++
		}
		key, value := arg[:end], arg[min(end+1, len(arg)):]
		set[key] = append(set[key], value)
	}
	return nil, nil, errors.New("there is no program")
}

// environment returns the environment of the program: that of this process without Variable, and
// with Original instead of Processors.
func environment() (env []string) {
	for _, one := range syscall.Environ() {
		if _, ok := valueOf(Variable, one); ok {
			continue
		}
		if _, ok := valueOf(Processors, one); ok {
			continue
		}
		if value, ok := valueOf(Original, one); ok {
			one = Processors + "=" + value
		}
		env = append(env, one)
	}
	return env
}

// valueOf returns the value of a variable if that is what an entry of the environment sets.
func valueOf(name, entry string) (string, bool) {
	if len(entry) <= len(name) || entry[:len(name)] != name || entry[len(name)] != '=' {
		return "", false
	}
	return entry[len(name)+1:], true
}

// confineAndRun returns only if it fails.
func confineAndRun(args []string) error {
	set, program, err := parse(args)
	if err != nil {
		return err
	}
	for _, space := range set[Hold] {
		return hold(space, set)
	}
	if set[Free] != nil {
		return runProgram(program, 0)
	}
	if set[Loopback] != nil {
		if err := loopbackUp(); err != nil {
			return err
		}
	}
	// kept until the program ends: the receiver reads the end of the stream then
	space, socket := uint32(0), uint32(0)
	for _, fd := range set[Proxy] {
		if socket, err = sendListener(fd); err != nil {
			return err
		}
	}
	if set[Mounts] != nil {
		if err := mountAll(set); err != nil {
			return err
		}
	}
	for _, fd := range set[Space] {
		if space, err = sendSpace(fd); err != nil {
			return err
		}
	}
	if err := dropDescriptors(space, socket); err != nil {
		return err
	}
	if err := dropCapabilities(syscall.Getuid() == 0); err != nil {
		return err
	}
	if err := noNewPrivileges(); err != nil {
		return err
	}
	if version := LandlockVersion(); version > 0 {
		if err := landlock(set, version); err != nil {
			return err
		}
	} else if set[Mounts] == nil && set[Within] == nil {
		return errors.New("the kernel has no Landlock")
	}
	if err := filterCalls(set[OwnIPC] != nil, set[NoSockets] != nil); err != nil {
		return err
	}
	return runProgram(program, space)
}

// landlock restricts this process to the files that the settings allow.
func landlock(set settings, version int) error {
	r, err := newRuleset(version, set[Readable] != nil)
	if err != nil {
		return err
	}
	for _, path := range set[Listed] {
		if err := r.allow(path, readDir, 0); err != nil {
			return err
		}
	}
	for _, path := range set[Readable] {
		if err := r.allow(path, reads, fileReads); err != nil {
			return err
		}
	}
	for _, path := range append(set[Writable], set[Opened]...) {
		if err := r.allow(path, changes, fileChanges); err != nil {
			return err
		}
	}
	return r.restrict()
}
