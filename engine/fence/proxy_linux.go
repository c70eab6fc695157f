// This file gives a program in a network namespace of its own a proxy.

package fence

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine/internal/confine"
	"github.com/agentscripts/agent/engine/web"
)

// addProxy gives cmd, which has a network namespace of its own, a proxy to the hosts of a policy.
// It returns the setting for the new process, which creates a listener in its namespace and sends
// it through a socket. This process serves the listener until all processes that have the socket
// have ended.
func (f *Fence) addProxy(cmd *exec.Cmd, hosts []string) (setting string, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	own, theirs := os.NewFile(uintptr(fds[0]), "proxy"), os.NewFile(uintptr(fds[1]), "proxy")
	conn, err := net.FileConn(own)
	own.Close()
	if err != nil {
		theirs.Close()
		return "", err
	}
	const firstExtra = 3
	setting = confine.Proxy + ":" + strconv.Itoa(firstExtra+len(cmd.ExtraFiles))
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clip(cmd.Env), proxyVariables()...)
	go f.serveProxy(conn.(*net.UnixConn), hosts)
	return setting, nil
}

// serveProxy serves the listener that arrives on conn until conn ends.
func (f *Fence) serveProxy(conn *net.UnixConn, hosts []string) {
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(proxyStart))
	oob := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := conn.ReadMsgUnix(make([]byte, 1), oob)
	if err != nil {
		return
	}
	l, err := received(oob[:n])
	if err != nil {
		return
	}
	server := &http.Server{Handler: &proxy{fence: f, client: &web.Client{Hosts: hosts}},
		ReadHeaderTimeout: proxyHeaders}
	defer server.Close()
	go func() { _ = server.Serve(l) }()
	_ = conn.SetReadDeadline(time.Time{})
	_, _ = io.Copy(io.Discard, conn)
}

// received returns the listener that the control data of a message holds.
func received(oob []byte) (net.Listener, error) {
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil || len(messages) != 1 {
		return nil, errors.New("the message holds no listener")
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.New("the message holds no listener")
	}
	file := os.NewFile(uintptr(fds[0]), "listener")
	defer file.Close()
	return net.FileListener(file)
}
