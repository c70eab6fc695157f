//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

package confine

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
)

// call is a system call as a filter sees it.
type call struct {
	arch, number uint32
	args         [6]uint64
}

// run returns what the program of a filter says about a call.
func run(t *testing.T, program []instruction, c call) uint32 {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(program))
	for i, one := range program {
		raw[i] = bpf.RawInstruction{Op: one.code, Jt: one.jt, Jf: one.jf, K: one.k}
	}
	list, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("it is no program", list)
	}
	vm, err := bpf.NewVM(list)
	if err != nil {
		t.Fatal(err)
	}
	// the machine of package bpf reads words as in packets: the highest byte first
	data := binary.BigEndian.AppendUint32(nil, c.number)
	data = binary.BigEndian.AppendUint32(data, c.arch)
	data = append(data, make([]byte, 8)...)
	for _, arg := range c.args {
		if c.arch == s390x {
			data = binary.BigEndian.AppendUint64(data, arg)
			continue
		}
		data = binary.BigEndian.AppendUint32(data, uint32(arg))
		data = binary.BigEndian.AppendUint32(data, uint32(arg>>32))
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

// The names of architectures, from linux/audit.h.
const (
	x86_64  = 0xC000003E
	i386    = 0x40000003
	aarch64 = 0xC00000B7
	arm     = 0x40000028
	riscv64 = 0xC00000F3
	s390x   = 0x80000016
	ppc64le = 0xC0000015
)

// TestFilter: what the filter says about calls of each architecture. The numbers are those of
// linux/unistd.h.
func TestFilter(t *testing.T) {
	t.Parallel()
	const newUser, vfork, newNS, other = 0x10000000, 0x4000 | 17, 0x20000, 1 << 40
	for _, tt := range []struct {
		machine      string
		arch, number uint32
		args         [6]uint64
		want         uint32
	}{
		{"amd64", x86_64, 1, [6]uint64{1}, allow},          // write
		{"amd64", x86_64, 59, [6]uint64{1}, allow},         // execve
		{"amd64", x86_64, 101, [6]uint64{16, 1}, allow},    // ptrace
		{"amd64", x86_64, 302, [6]uint64{0, 7, 99}, allow}, // prlimit64, its own
		{"amd64", x86_64, 302, [6]uint64{0, 7, 99 << 32}, allow},
		{"amd64", x86_64, 302, [6]uint64{5, 7, 0, 9}, allow}, // it reads
		{"amd64", x86_64, 302, [6]uint64{5, 7, 99}, notAllowed},
		{"amd64", x86_64, 302, [6]uint64{5, 7, other}, notAllowed}, // a high address
		{"amd64", x86_64, 302, [6]uint64{other, 7, 99}, allow},     // a PID is an int: 0
		{"amd64", x86_64, 272, [6]uint64{newUser}, notAllowed},     // unshare
		{"amd64", x86_64, 272, [6]uint64{newTime}, notAllowed},
		{"amd64", x86_64, 272, [6]uint64{0x400 | 0x200}, allow}, // files, fs
		{"amd64", x86_64, 56, [6]uint64{vfork}, allow},          // clone
		{"amd64", x86_64, 56, [6]uint64{newNS | 17}, notAllowed},
		{"amd64", x86_64, 308, [6]uint64{3}, notAllowed},       // setns
		{"amd64", x86_64, 435, [6]uint64{3}, noCall},           // clone3
		{"amd64", x86_64, 425, [6]uint64{3}, noCall},           // io_uring_setup
		{"amd64", x86_64, 427, [6]uint64{3}, noCall},           // io_uring_register
		{"amd64", x86_64, 428, [6]uint64{3}, allow},            // open_tree
		{"amd64", x86_64, 41, [6]uint64{40, 1}, noSuchKinds},   // socket, AF_VSOCK
		{"amd64", x86_64, 41, [6]uint64{1, 1}, allow},          // AF_UNIX
		{"amd64", x86_64, 41, [6]uint64{10, 1}, allow},         // AF_INET6
		{"amd64", x86_64, 41, [6]uint64{16, 3}, allow},         // AF_NETLINK
		{"amd64", x86_64, 41, [6]uint64{17, 3}, noSuchKinds},   // AF_PACKET
		{"amd64", x86_64, 53, [6]uint64{1, 1}, allow},          // socketpair
		{"amd64", x86_64, 53, [6]uint64{30, 1}, noSuchKinds},   // AF_TIPC
		{"amd64", x86_64, 250, [6]uint64{}, noCall},            // keyctl
		{"amd64", x86_64, 248, [6]uint64{}, noCall},            // add_key
		{"amd64", x86_64, 251, [6]uint64{}, allow},             // ioprio_set
		{"amd64", x86_64, 30, [6]uint64{}, noCall},             // shmat
		{"amd64", x86_64, 240, [6]uint64{}, noCall},            // mq_open
		{"amd64", x86_64, 246, [6]uint64{}, allow},             // kexec_load
		{"amd64", x86_64, 0x40000000 + 1, [6]uint64{}, noCall}, // x32
		{"amd64", x86_64, 0x40000000 + 302, [6]uint64{5, 7, 99}, noCall},
		{"amd64", i386, 4, [6]uint64{1}, allow},                    // write
		{"amd64", i386, 340, [6]uint64{5, 7, 99}, notAllowed},      // prlimit64
		{"amd64", i386, 120, [6]uint64{newUser | 17}, notAllowed},  // clone
		{"amd64", i386, 102, [6]uint64{1, 99}, noCall},             // socketcall: socket
		{"amd64", i386, 102, [6]uint64{8, 99}, noCall},             // its socketpair
		{"amd64", i386, 102, [6]uint64{3, 99}, allow},              // its connect
		{"amd64", i386, 117, [6]uint64{21}, noCall},                // ipc
		{"amd64", i386, 397, [6]uint64{21}, noCall},                // shmat
		{"amd64", aarch64, 64, [6]uint64{}, noCall},                // of another machine
		{"386", i386, 102, [6]uint64{1, 99}, allow},                // Go needs it
		{"386", i386, 359, [6]uint64{40}, noSuchKinds},             // socket
		{"386", x86_64, 302, [6]uint64{5, 7, 99}, notAllowed},      // on a kernel of 64 bits
		{"arm64", aarch64, 64, [6]uint64{1}, allow},                // write
		{"arm64", aarch64, 261, [6]uint64{5, 7, 99}, notAllowed},   // prlimit64
		{"arm64", aarch64, 97, [6]uint64{newNS}, notAllowed},       // unshare
		{"arm64", aarch64, 220, [6]uint64{newNS | 17}, notAllowed}, // clone
		{"arm64", aarch64, 198, [6]uint64{40}, noSuchKinds},        // socket
		{"arm64", aarch64, 196, [6]uint64{}, noCall},               // shmat
		{"arm64", aarch64, 219, [6]uint64{}, noCall},               // keyctl
		{"arm64", aarch64, 221, [6]uint64{}, allow},                // execve
		{"arm64", arm, 369, [6]uint64{5, 7, 99}, notAllowed},       // prlimit64
		{"arm64", arm, 4, [6]uint64{}, allow},                      // write
		{"arm", arm, 281, [6]uint64{40}, noSuchKinds},              // socket
		{"riscv64", riscv64, 268, [6]uint64{3}, notAllowed},        // setns
		{"s390x", s390x, 334, [6]uint64{5, 7, 99}, notAllowed},     // prlimit64
		{"s390x", s390x, 334, [6]uint64{0, 7, 99}, allow},
		{"s390x", s390x, 120, [6]uint64{99, newUser | 17}, notAllowed},      // clone
		{"s390x", s390x, 120, [6]uint64{newUser, 17}, allow},                // a stack
		{"ppc64le", ppc64le, 326, [6]uint64{40}, noSuchKinds},               // socket
		{"loong64", 0xC0000102, 97, [6]uint64{newUser | newNS}, notAllowed}, // unshare
	} {
		got := run(t, filter(ofArch(tt.machine), false, false), call{tt.arch, tt.number, tt.args})
		if got != tt.want {
			t.Errorf("%s: %#x %d%v: got %#x, want %#x", tt.machine, tt.arch, tt.number, tt.args,
				got, tt.want)
		}
	}
	own := filter(ofArch("amd64"), true, false)
	if got := run(t, own, call{x86_64, 30, [6]uint64{}}); got != allow {
		t.Errorf("shared memory in a namespace of its own: %#x", got)
	}
}

// TestNoSockets: a program without sockets can make none of any kind; a pair leads nowhere.
func TestNoSockets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		machine      string
		arch, number uint32
		args         [6]uint64
		want         uint32
	}{
		{"amd64", x86_64, 41, [6]uint64{1, 1}, noSuchKinds},     // socket, AF_UNIX
		{"amd64", x86_64, 41, [6]uint64{10, 1}, noSuchKinds},    // AF_INET6
		{"amd64", x86_64, 41, [6]uint64{16, 3}, noSuchKinds},    // AF_NETLINK
		{"amd64", x86_64, 53, [6]uint64{1, 1}, allow},           // socketpair
		{"amd64", i386, 359, [6]uint64{1, 1}, noSuchKinds},      // socket
		{"386", i386, 102, [6]uint64{1, 99}, noCall},            // socketcall: socket
		{"s390x", s390x, 102, [6]uint64{1, 99}, noCall},         // Go needs it otherwise
		{"arm64", aarch64, 198, [6]uint64{1, 1}, noSuchKinds},   // socket
		{"arm64", aarch64, 63, [6]uint64{1, 1}, allow},          // read
		{"ppc64le", ppc64le, 326, [6]uint64{1}, noSuchKinds},    // socket
		{"riscv64", riscv64, 198, [6]uint64{2, 1}, noSuchKinds}, // AF_INET
	} {
		got := run(t, filter(ofArch(tt.machine), true, true), call{tt.arch, tt.number, tt.args})
		if got != tt.want {
			t.Errorf("%s: %#x %d%v: got %#x, want %#x", tt.machine, tt.arch, tt.number, tt.args,
				got, tt.want)
		}
	}
}

// TestFilterLength: a jump skips at most 255 instructions.
func TestFilterLength(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"amd64", "386", "arm64", "arm", "riscv64", "loong64",
		"ppc64le",
		"s390x"} {
		for i, a := range ofArch(machine) {
			if n := len(a.rules(false, true, i == 0)); n > 255 {
				t.Errorf("%s: %d instructions", machine, n)
			}
		}
	}
	if ofArch("mips") != nil {
		t.Error("an unknown architecture has calls")
	}
}
