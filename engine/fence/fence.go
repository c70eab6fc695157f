package fence

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Method is how programs are confined.
type Method string

// The methods, the best first.
const (
	Mounts     Method = "mounts"
	Namespaces Method = "namespaces"
	Bubblewrap Method = "bubblewrap"
	Landlock   Method = "landlock"
	Seatbelt   Method = "sandbox-exec"
	None       Method = "none"
)

// Options configures a Fence.
type Options struct {
	// Method is the one to use; "" = the first that works here.
	Method Method
	// Policy returns what a program may do that will run in dir. It is called for each program.
	Policy func(dir string) Policy
	// Prepare is called before the first program is confined; it may be nil.
	Prepare func()
	// Holds reports whether the policy names every path that it must protect; nil = it does.
	Holds func() bool
	// HoldsGlob reports whether the policy keeps programs from reading ("reads"), or writing
	// ("writes"), all files that match a glob; nil = none.
	HoldsGlob func(what, glob string) bool
	// Because returns why the policy forbids something: a verb and an object of Refusal. nil =
	// that is unknown.
	Because func(verb, what string) Reason
	// Missing is called once with the reason if no method works on this machine; it may be nil.
	Missing func(why error)
}

// Fence confines programs. A nil Fence, and one whose Method is None, does nothing. Its methods may
// be called from any goroutine.
type Fence struct {
	o      Options
	find   sync.Once
	method Method
	why    error
	first  sync.Once
	// called with what was refused to each program; may be nil
	refused atomic.Pointer[func(Program, []Refusal)]
	hosts   refusedHosts
	// called with what was replaced; may be nil
	replaced atomic.Pointer[func(Replaced)]
	folders  folders      // of paths that are protected
	failing  atomic.Int32 // programs that could not be kept from something that was replaced
}

// New returns a fence.
func New(o Options) *Fence { return &Fence{o: o} }

// Method returns the method in use, and the reason if it is None. The first call runs a program
// with each method until one works.
func (f *Fence) Method() (Method, error) {
	if f == nil {
		return None, errors.New("the sandbox is off")
	}
	f.find.Do(func() {
		f.method, f.why = choose(f.o.Method)
		if f.method == None && f.o.Method != None && f.o.Missing != nil {
			f.o.Missing(f.why)
		}
	})
	return f.method, f.why
}

// Complete reports whether the fence enforces the whole policy: the method in use protects
// exceptions below writable folders and can block the network, and Options.Holds returns true.
func (f *Fence) Complete() bool {
	switch m, _ := f.Method(); {
	case m == None, m == Landlock, m == Bubblewrap && len(f.Gaps("")) > 0, f.failing.Load() > 0:
		return false
	}
	return f.o.Holds == nil || f.o.Holds()
}

// Holds reports whether no confined program can read ("reads"), or write ("writes"), a file that
// matches a glob.
func (f *Fence) Holds(what, glob string) bool {
	return f.Complete() && f.o.HoldsGlob != nil && f.o.HoldsGlob(what, glob)
}

// Keeps reports whether no confined program can write the file or folder at path, or anything in
// it. path is absolute, with links followed.
func (f *Fence) Keeps(path string) bool {
	if !f.Complete() {
		return false
	}
	p := f.o.Policy("").real()
	return p.keeps(path) && !slices.ContainsFunc(p.Writable,
		func(dir string) bool { return dir != path && below(path, dir) })
}

// MayWrite reports whether a confined program may have written the file at path, an absolute path
// with its links followed. Exceptions below writable folders do not count: they protect only paths
// that existed when the program started.
func (f *Fence) MayWrite(path string) bool {
	// a file with a second hard link may be changed through that name
	if m, _ := f.Method(); m == None || !soleName(path) {
		return true
	}
	return slices.ContainsFunc(f.o.Policy("").real().Writable,
		func(dir string) bool { return below(dir, path) })
}

// OnRefused registers a function that is called with each non-empty result of Refused.
func (f *Fence) OnRefused(report func(Program, []Refusal)) {
	if f != nil {
		f.refused.Store(&report)
	}
}

// choose returns the wanted method, or for "" the first that works.
func choose(want Method) (Method, error) {
	if want == None {
		return None, errors.New("the sandbox is off")
	}
	var all []error
	for _, m := range methods {
		if want != "" && want != m.name {
			continue
		}
		err := m.probe()
		if err == nil {
			return m.name, nil
		}
		all = append(all, fmt.Errorf("%s: %w", m.name, err))
	}
	if len(all) == 0 {
		return None, fmt.Errorf("%q is no sandbox of this system", want)
	}
	return None, errors.Join(all...)
}

// method is a way to confine programs.
type method struct {
	name    Method
	confine func(cmd *exec.Cmd, p Policy) error
}

// probe runs a program that does nothing, confined.
func (m method) probe() error {
	cmd := exec.Command("/bin/sh", "-c", ":")
	cmd.Dir = "/"
	if err := m.confine(cmd, Policy{Writable: []string{os.TempDir()}}.real()); err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %.300s", err, out)
	}
	return nil
}

// Close closes the files that Confine has opened for cmd. Call it after cmd.Start, also if that
// failed.
func Close(cmd *exec.Cmd) {
	for _, file := range cmd.ExtraFiles {
		file.Close()
	}
}

// Confine changes cmd, which has not been started, so that it runs confined. If it returns an
// error, the program must not be started.
func (f *Fence) Confine(cmd *exec.Cmd) error { return f.confine(cmd, Lift{}, false) }

// confine is Confine with a policy that is lifted for some paths, or, if reads is set, one under
// which the program may only read.
func (f *Fence) confine(cmd *exec.Cmd, l Lift, reads bool) error {
	name, _ := f.Method()
	if name == None {
		return nil
	}
	if f.o.Prepare != nil {
		f.first.Do(f.o.Prepare)
	}
	p := f.o.Policy(cmd.Dir).real()
	if reads {
		p = p.reading(cmd.Dir)
	}
	if p.scratch && runtime.GOOS == "linux" {
		cmd.Env = append(cmd.Environ(), "TMPDIR="+sharedMemory)
	}
	if err := p.lift(name, l); err != nil {
		return fmt.Errorf("the sandbox cannot be lifted: %w", err)
	}
	for _, m := range methods {
		if m.name != name {
			continue
		}
		if p.NoNetwork && len(p.Hosts) > 0 && name != Landlock {
			var err error
			if p.proxy, err = f.addProxy(cmd, p.Hosts); err != nil {
				return fmt.Errorf("proxy: %w", err)
			}
		}
		if name != Landlock {
			var err error
			if p.space, err = f.addHold(cmd, p); err != nil {
				return fmt.Errorf("hold: %w", err)
			}
		}
		return m.confine(cmd, p)
	}
	return fmt.Errorf("%q is no sandbox of this system", name)
}
