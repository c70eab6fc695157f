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
	for _, path := range slices.Concat(p.ReadOnly, p.Hidden) {
		if slices.ContainsFunc(p.Writable, func(w string) bool { return below(w, path) }) {
			gaps = append(gaps, path+" is not protected from programs: it lies in a folder that "+
				"they may write, and this system allows no namespaces")
		}
	}
	return gaps
}
