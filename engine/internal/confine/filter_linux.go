//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

// This file refuses system calls that reach outside by something that is no file: other processes,
// keys, shared memory, sockets that lead to other machines without a network, new namespaces.
// Source: seccomp(2), linux/filter.h.

package confine

import (
	"errors"
	"runtime"
	"syscall"
	"unsafe"
)

// instruction is struct sock_filter: an instruction of a classic BPF program.
type instruction struct {
	code   uint16
	jt, jf uint8 // instructions to skip, if the condition holds and if not
	k      uint32
}

// The codes of instructions.
const (
	loadWord    = 0x20 // the word at offset k of the description of the call
	jumpEqual   = 0x15
	jumpGreater = 0x25
	jumpAtLeast = 0x35
	jumpBits    = 0x45 // some bits of k are set
	result      = 0x06
)

// Results of the filter.
const (
	allow       = 0x7fff_0000
	refuse      = 0x0005_0000 // with the error of the call
	notAllowed  = refuse | 1  // EPERM
	noCall      = refuse | 38 // ENOSYS: programs take another way, as on an older kernel
	noSuchKinds = refuse | 97 // EAFNOSUPPORT
)

// Offsets in struct seccomp_data.
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16
)

// newSpaces are the flags of unshare and clone that make namespaces. In clone, the lowest byte is a
// signal.
const (
	newTime   = 0x80
	newSpaces = 0x7e02_0000
)

// filterCalls refuses system calls to this process and to the program that it executes. With ownIPC
// it has an IPC namespace of its own; with noSockets it gets no sockets.
func filterCalls(ownIPC, noSockets bool) error {
	abis := ofArch(runtime.GOARCH)
	if len(abis) == 0 {
		return errors.New("filter: unknown architecture")
	}
	list := filter(abis, ownIPC, noSockets)
	program := struct {
		length uint16
		first  *instruction
	}{uint16(len(list)), &list[0]}
	// without the flag, older kernels slow the program down: it may not speculate about memory
	const modeFilter, speculate = 1, 1 << 2
	_, _, errno := syscall.RawSyscall(uintptr(abis[0].seccomp), modeFilter, speculate,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return about("filter", errno)
	}
	return nil
}

// filter returns the program of the filter. A call by an unknown abi is refused.
func filter(abis []abi, ownIPC, noSockets bool) []instruction {
	out := []instruction{{code: loadWord, k: atArch}}
	for i, a := range abis {
		rules := a.rules(ownIPC, noSockets, i == 0)
		out = append(out, instruction{jumpEqual, 0, uint8(len(rules)), a.arch})
		out = append(out, rules...)
	}
	return append(out, returns(noCall))
}

func returns(what uint32) instruction { return instruction{code: result, k: what} }

// rules returns the instructions that decide about the calls of an abi.
func (a abi) rules(ownIPC, noSockets, native bool) []instruction {
	out := []instruction{{code: loadWord, k: atNumber}}
	// calls adds instructions that decide about some numbers, and end
	calls := func(s span, decide ...instruction) {
		out = append(out, instruction{jumpAtLeast, 0, uint8(len(decide) + 1), s.from},
			instruction{jumpGreater, uint8(len(decide)), 0, s.to})
		out = append(out, decide...)
	}
	one := func(number uint32) span { return span{number, number} }
	if a.foreign != 0 {
		calls(span{a.foreign, 1<<32 - 1}, returns(noCall))
	}
	calls(one(clone3), returns(noCall)) // its flags are in memory, and clone exists
	calls(ioUring, returns(noCall))
	calls(one(pidfdGet), returns(notAllowed))
	calls(one(a.setns), returns(notAllowed))
	calls(one(a.unshare), a.withoutBits(0, newSpaces|newTime)...)
	calls(one(a.clone), a.withoutBits(a.cloneFlags, newSpaces)...)
	calls(one(a.prlimit), a.ownLimits()...)
	if noSockets {
		calls(one(a.socket), returns(noSuchKinds))
	}
	calls(one(a.socket), a.ofFamily()...)
	calls(one(a.socketPair), a.ofFamily()...)
	// the arguments are in memory; Go needs it where it is the architecture's own
	if a.socketCall != 0 && (noSockets || !native) {
		calls(one(a.socketCall), a.withoutSockets()...)
	}
	for _, s := range a.keys {
		calls(s, returns(noCall))
	}
	if !ownIPC {
		for _, s := range a.ipc {
			calls(s, returns(noCall))
		}
	}
	return append(out, returns(allow))
}

// low returns the offset of the lower half of an argument, and high that of the upper one.
func (a abi) low(arg int) uint32 {
	if a.bigEndian {
		return uint32(atArgs + 8*arg + 4)
	}
	return uint32(atArgs + 8*arg)
}

func (a abi) high(arg int) uint32 { return a.low(arg) ^ 4 }

// withoutBits refuses calls in which an argument has one of the bits.
func (a abi) withoutBits(arg int, bits uint32) []instruction {
	return []instruction{{loadWord, 0, 0, a.low(arg)}, {jumpBits, 0, 1, bits},
		returns(notAllowed), returns(allow)}
}

// ownLimits refuses to change the limits of another process. A process names itself by 0.
func (a abi) ownLimits() []instruction {
	const process, limit = 0, 2
	return []instruction{{loadWord, 0, 0, a.low(process)}, {jumpEqual, 4, 0, 0},
		{loadWord, 0, 0, a.low(limit)}, {jumpEqual, 0, 3, 0},
		{loadWord, 0, 0, a.high(limit)}, {jumpEqual, 0, 1, 0},
		returns(allow), returns(notAllowed)}
}

// ofFamily refuses sockets of kinds that lead to the host of a virtual machine or to hardware, also
// without a network: it allows unix, inet, inet6 and netlink.
func (a abi) ofFamily() []instruction {
	families := [...]uint32{1, 2, 10, 16}
	out := []instruction{{loadWord, 0, 0, a.low(0)}}
	for i, family := range families {
		out = append(out, instruction{jumpEqual, uint8(len(families) - i), 0, family})
	}
	return append(out, returns(noSuchKinds), returns(allow))
}

// withoutSockets refuses to make sockets by socketcall.
func (a abi) withoutSockets() []instruction {
	const socket, pair = 1, 8
	return []instruction{{loadWord, 0, 0, a.low(0)}, {jumpEqual, 1, 0, socket},
		{jumpEqual, 0, 1, pair}, returns(noCall), returns(allow)}
}
