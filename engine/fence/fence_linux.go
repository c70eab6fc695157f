package fence

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/agentscripts/agent/engine/internal/confine"
	"github.com/agentscripts/agent/engine/internal/launch"
)

var methods = []method{{Mounts, mounts}, {Namespaces, namespaces}, {Bubblewrap, bubblewrap},
	{Landlock, landlock}}

// terminals is the folder of pseudo-terminals.
const terminals = "/dev/pts"

// ownTerminal is the program's own terminal, if it has one, in the devices that it gets. bwrap has
// the same name for it.
const ownTerminal = "/dev/console"

// addPaths appends a setting for each path.
func addPaths(settings []string, key string, paths []string) []string {
	for _, path := range paths {
		settings = append(settings, key+":"+path)
	}
	return settings
}

// openedSettings appends the settings for the folders that a lift opens.
func (p Policy) openedSettings(settings []string) []string {
	for _, o := range p.opened {
		settings = append(settings, confine.Opened+":"+o.dir)
		settings = addPaths(settings, confine.Kept, o.kept)
	}
	return settings
}

// socketSettings appends the settings for the sockets that the new process gets.
func (p Policy) socketSettings(settings []string) []string {
	for _, one := range []string{p.proxy, p.space} {
		if one != "" {
			settings = append(settings, one)
		}
	}
	if p.alone {
		settings = append(settings, confine.NoSockets)
	}
	return settings
}

// mounts confines by a mount namespace and Landlock, without the user namespace, which root does
// not need: it would cost milliseconds, because fork has to copy the page tables then.
func mounts(cmd *exec.Cmd, p Policy) error {
	if os.Getuid() != 0 {
		return errors.New("only root may create a mount namespace without a user namespace")
	}
	return ownMounts(cmd, p)
}

// The capabilities that a process needs to confine itself in its namespaces, and drops afterwards.
// Source: linux/capability.h.
const (
	setPCap  = 8
	netAdmin = 12
	sysAdmin = 21
)

// namespaces confines by a user namespace, a mount namespace and Landlock.
func namespaces(cmd *exec.Cmd, p Policy) error {
	attr := sysProcAttr(cmd)
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings, attr.GidMappings = ids(os.Getuid()), ids(os.Getgid())
	attr.GidMappingsEnableSetgroups = os.Getuid() == 0
	if os.Getuid() != 0 { // other users than root have no capabilities after exec
		attr.AmbientCaps = []uintptr{setPCap, netAdmin, sysAdmin}
	}
	return ownMounts(cmd, p)
}

// ownMounts confines by a mount namespace and Landlock. cmd must have the right to create one.
func ownMounts(cmd *exec.Cmd, p Policy) error {
	if confine.LandlockVersion() < 1 {
		// without it, /proc/PID/root of processes outside would lead out of the sandbox
		return errors.New("the kernel has no Landlock")
	}
	settings := addPaths([]string{confine.Mounts, confine.OwnIPC}, confine.Writable,
		append(append(p.pinned(), p.devices()...), ownTerminal))
	settings = addPaths(settings, confine.ReadOnly, p.readOnly())
	settings = addPaths(settings, confine.Link, p.links)
	settings = p.openedSettings(settings)
	settings = addPaths(settings, confine.Hidden, p.Hidden)
	if p.ownMemory() {
		settings = append(settings, confine.OwnMemory)
	}
	attr := sysProcAttr(cmd)
	attr.Cloneflags |= syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	if p.NoNetwork {
		attr.Cloneflags |= syscall.CLONE_NEWNET
		settings = append(settings, confine.Loopback)
	}
	if p.alone {
		attr.Cloneflags |= syscall.CLONE_NEWPID
	}
	settings = p.socketSettings(settings)
	return launch.Confined(cmd, settings)
}

func sysProcAttr(cmd *exec.Cmd) *syscall.SysProcAttr {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	return cmd.SysProcAttr
}

// ids maps an id to itself, and for root all ids, so that root can change the owners of files.
func ids(id int) []syscall.SysProcIDMap {
	size := 1
	if os.Getuid() == 0 {
		id, size = 0, 1<<31-1
	}
	return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: size}}
}

// landlock confines by Landlock alone, which cannot protect exceptions below writable folders.
func landlock(cmd *exec.Cmd, p Policy) error {
	if confine.LandlockVersion() < 3 {
		return errors.New("the kernel has no Landlock of version 3") // earlier ones allow truncate
	}
	if p.NoNetwork {
		return errors.New("the network cannot be blocked without namespaces")
	}
	// with terminals of other programs, which include the user's, new ones are refused, too
	terminal := func(path string) bool { return path == "/dev/ptmx" || path == terminals }
	settings := addPaths(nil, confine.Writable,
		append(p.Writable, slices.DeleteFunc(slices.Clone(devices), terminal)...))
	// paths in writable folders are left out: programs could not open new files beside them
	hidden := append(slices.Clone(p.Hidden), hiddenDevices()...)
	hidden = slices.DeleteFunc(hidden, func(path string) bool {
		return slices.ContainsFunc(p.Writable, func(w string) bool { return below(w, path) })
	})
	readable, listed := openExcept(hidden)
	settings = addPaths(settings, confine.Readable, readable)
	settings = addPaths(settings, confine.Listed, listed)
	return launch.Confined(cmd, settings)
}

// hiddenDevices returns the paths in /dev that programs cannot open: keyboards, terminals, disks.
func hiddenDevices() (list []string) {
	const dir = "/dev"
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if path == terminals || path != "/dev/ptmx" && !slices.Contains(devices, path) &&
			e.Type()&os.ModeSymlink == 0 {
			list = append(list, path)
		}
	}
	return list
}

// openExcept returns rules that make everything readable except hidden. Landlock's rules only add
// rights, so each folder above a hidden path is in listed, and its other entries are in readable.
func openExcept(hidden []string) (readable, listed []string) {
	var walk func(dir string)
	walk = func(dir string) {
		listed = append(listed, dir)
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case slices.Contains(hidden, path):
			case slices.ContainsFunc(hidden, func(h string) bool {
				return strings.HasPrefix(h, path+"/")
			}):
				walk(path)
			case e.Type()&os.ModeSymlink == 0: // the target of a link has a rule of its own
				readable = append(readable, path)
			}
		}
	}
	walk("/")
	return readable, listed
}

// bubblewrap confines by bwrap, and by this program inside of it: with a filter of system calls,
// and with Landlock if the kernel has it.
func bubblewrap(cmd *exec.Cmd, p Policy) error {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return errors.New("bwrap is not installed")
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	// new devices: among those outside is the user's terminal
	args := []string{"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--ro-bind-try", "/dev/log",
		"/dev/log", "--unshare-ipc"}
	if p.ownMemory() {
		args = append(args, "--perms", "1777", "--tmpfs", sharedMemory)
	} else if !p.alone {
		args = append(args, "--bind-try", sharedMemory, sharedMemory)
	} else {
		args = append(args, "--ro-bind-try", sharedMemory, sharedMemory)
	}
	if p.NoNetwork {
		args = append(args, "--unshare-net")
	}
	for _, w := range p.pinned() {
		args = append(args, "--bind-try", w, w)
	}
	for _, r := range p.readOnly() {
		args = append(args, "--ro-bind-try", r, r)
	}
	for _, o := range p.opened {
		args = append(args, "--bind", o.dir, o.dir)
		for _, one := range o.kept {
			args = append(args, "--ro-bind-try", one, one)
		}
	}
	for _, h := range p.Hidden {
		if below("/dev", h) && !below(sharedMemory, h) {
			continue // it is not there
		}
		if st, err := os.Lstat(h); err == nil && st.IsDir() {
			args = append(args, "--perms", "0000", "--tmpfs", h, "--remount-ro", h)
		} else if err == nil {
			args = append(args, "--ro-bind", "/dev/null", h)
		}
	}
	const most = 8900 // bwrap takes 9000
	if len(args) > most {
		return errors.New("bwrap cannot protect so many files: write rules about whole folders, " +
			"such as read(./keys/**)")
	}
	if dir, err := os.Getwd(); cmd.Dir != "" {
		args = append(args, "--chdir", cmd.Dir)
	} else if err == nil {
		args = append(args, "--chdir", dir)
	}
	args = append(args, p.processes()...)
	settings := addPaths([]string{confine.Within, confine.OwnIPC}, confine.Writable,
		append(append(slices.Clone(p.Writable), p.devices()...), ownTerminal))
	settings = p.openedSettings(settings)
	settings = p.socketSettings(settings)
	if err := launch.Confined(cmd, settings); err != nil {
		return err
	}
	cmd.Args[0] = exe
	cmd.Path, cmd.Args = path, append(append(args, "--"), cmd.Args...)
	return nil
}

// processes returns the arguments of bwrap about the processes that the program sees and reaches.
func (p Policy) processes() (args []string) {
	hides := confine.LandlockVersion() == 0 // their /proc/PID/root would lead out of the sandbox
	if hides || p.alone {
		args = append(args, "--unshare-pid")
	}
	if hides {
		args = append(args, "--proc", "/proc")
	}
	if p.alone { // what the program leaves running ends with the first process
		args = append(args, "--as-pid-1")
	}
	return args
}
