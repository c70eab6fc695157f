// This file receives descriptors from the process that starts a program.

package fence

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// addSocket gives cmd one end of a socket: fd there. The other one reads its end when all processes
// that have it have ended.
func addSocket(cmd *exec.Cmd, name string) (conn *net.UnixConn, fd int, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, 0, err
	}
	own, theirs := os.NewFile(uintptr(fds[0]), name), os.NewFile(uintptr(fds[1]), name)
	c, err := net.FileConn(own)
	own.Close()
	if err != nil {
		theirs.Close()
		return nil, 0, err
	}
	const firstExtra = 3
	fd = firstExtra + len(cmd.ExtraFiles)
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	return c.(*net.UnixConn), fd, nil
}

// receiveFile returns the file that the next message of conn holds.
func receiveFile(conn *net.UnixConn) (*os.File, error) {
	_ = conn.SetReadDeadline(time.Now().Add(proxyStart))
	oob := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), oob)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.New("the message holds no descriptor")
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.New("the message holds no descriptor")
	}
	syscall.CloseOnExec(fds[0])
	return os.NewFile(uintptr(fds[0]), "received"), conn.SetReadDeadline(time.Time{})
}
