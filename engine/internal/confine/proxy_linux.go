//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

package confine

import (
	"strconv"
	"syscall"
)

// sendListener listens at ProxyAddress in the network namespace of this process, and sends the
// listener through the socket fd. It returns another descriptor of the socket, which the program
// inherits: when all its processes have ended, the receiver reads the end of the stream.
func sendListener(fd string) (uint32, error) {
	socket, err := strconv.Atoi(fd)
	if err != nil {
		return 0, about("proxy", err)
	}
	l, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, about("proxy", err)
	}
	defer syscall.Close(l)
	address := &syscall.SockaddrInet4{Port: ProxyPort, Addr: [4]byte{127, 0, 0, 1}}
	if err := syscall.Bind(l, address); err != nil {
		return 0, about("proxy", err)
	}
	const waiting = 128
	if err := syscall.Listen(l, waiting); err != nil {
		return 0, about("proxy", err)
	}
	if err := syscall.Sendmsg(socket, []byte{0}, syscall.UnixRights(l), nil, 0); err != nil {
		return 0, about("proxy", err)
	}
	// shell scripts use the low descriptors
	const high = 200
	copied, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(socket), syscall.F_DUPFD,
		high)
	if errno != 0 {
		return 0, about("proxy", errno)
	}
	return uint32(copied), nil
}
