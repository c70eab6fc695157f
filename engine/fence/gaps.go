package fence

import (
	"slices"

	"github.com/agentscripts/agent/engine/internal/confine"
)

// Gaps returns the parts of the policy for dir that the method in use cannot enforce, in words for
// the user.
func (f *Fence) Gaps(dir string) (gaps []string) {
	m, _ := f.Method()
	if m == None {
		return nil
	}
	p := f.o.Policy(dir).real()
	if !p.NoNetwork && !confine.HoldsAbstract() {
		gaps = append(gaps, "abstract sockets of programs outside can be reached: the kernel is "+
			"older than Linux 6.12")
	}
	if f.failing.Load() > 0 {
		gaps = append(gaps, "programs that run could not be kept from a protected file that was "+
			"replaced")
	}
	if m != Landlock && m != Bubblewrap {
		return gaps
	}
	for _, path := range p.links {
		gaps = append(gaps, path+" can be replaced by programs: it is a link, and "+string(m)+
			" protects only what it leads to")
	}
	if m == Bubblewrap {
		return gaps
	}
	gaps = append(gaps, "programs can change the mode, owner, times and attributes of all files "+
		"that you own: landlock has no rights for that", "programs can reach sockets on which "+
		"programs outside listen, such as those of Docker and tmux, and so have your rights: "+
		"landlock has none for that")
	for _, list := range []struct {
		verb  string
		paths []string
	}{{"write", p.ReadOnly}, {"read and write", p.Hidden}} {
		for _, path := range list.paths {
			i := slices.IndexFunc(p.Writable, func(w string) bool { return below(w, path) })
			if i < 0 {
				continue
			}
			gaps = append(gaps, "programs can "+list.verb+" "+path+": they may write "+
				p.Writable[i]+", and landlock makes no exceptions")
		}
	}
	return gaps
}
