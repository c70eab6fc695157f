// This file gives a program in a network namespace of its own a proxy.

package fence

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"

	"github.com/agentscripts/agent/engine/internal/confine"
	"github.com/agentscripts/agent/engine/web"
)

// addProxy gives cmd, which has a network namespace of its own, a proxy to the hosts of a policy.
// It returns the setting for the new process, which creates a listener in its namespace and sends
// it through a socket. This process serves the listener until all processes that have the socket
// have ended.
func (f *Fence) addProxy(cmd *exec.Cmd, hosts []string) (setting string, err error) {
	conn, fd, err := addSocket(cmd, "proxy")
	if err != nil {
		return "", err
	}
	setting = confine.Proxy + ":" + strconv.Itoa(fd)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(slices.Clip(cmd.Env), proxyVariables(hosts)...)
	go f.serveProxy(conn, hosts)
	return setting, nil
}

// serveProxy serves the listener that arrives on conn until conn ends.
func (f *Fence) serveProxy(conn *net.UnixConn, hosts []string) {
	defer conn.Close()
	file, err := receiveFile(conn)
	if err != nil {
		return
	}
	l, err := net.FileListener(file)
	file.Close()
	if err != nil {
		return
	}
	server := &http.Server{Handler: &proxy{fence: f, client: &web.Client{Hosts: hosts}},
		ReadHeaderTimeout: proxyHeaders}
	defer server.Close()
	go func() { _ = server.Serve(l) }()
	_, _ = io.Copy(io.Discard, conn)
}
