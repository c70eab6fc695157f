// This file lets confined programs reach some hosts: they have no network except a proxy, which
// connects for them.

package fence

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/internal/confine"
	"github.com/agentscripts/agent/engine/web"
)

const (
	// proxyStart is how long a program has to start and to send its listener.
	proxyStart = 30 * time.Second
	// proxyHeaders is how long a program has to send the headers of a request.
	proxyHeaders = 30 * time.Second
	// mostHosts is how many refused hosts are stored until Refused returns them.
	mostHosts = 20
)

// proxyVariables returns the environment variables that name the proxy for programs, which reaches
// some hosts. Addresses of this machine are those of the program's own network namespace, unless
// the hosts name them.
func proxyVariables(hosts []string) (env []string) {
	const address = "http://" + confine.ProxyAddress
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy",
		"https_proxy", "all_proxy"} {
		env = append(env, name+"="+address)
	}
	own := ""
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if !web.Names(hosts, host) {
			own += "," + host
		}
	}
	own = strings.TrimPrefix(own, ",")
	return append(env, "NO_PROXY="+own, "no_proxy="+own)
}

// proxy is an HTTP proxy to the hosts of its client.
type proxy struct {
	fence  *Fence
	client *web.Client
}

// ServeHTTP implements http.Handler.
func (x *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u := r.URL
	if r.Method == http.MethodConnect {
		u = &url.URL{Scheme: "https", Host: r.Host}
	}
	if !u.IsAbs() || u.Host == "" {
		http.Error(w, "this is a proxy: want an absolute URL", http.StatusBadRequest)
		return
	}
	if err := web.Allowed(x.client.Hosts, u); err != nil {
		x.refuse(w, u, err)
		return
	}
	if r.Method == http.MethodConnect {
		x.connect(w, r, u)
		return
	}
	(&httputil.ReverseProxy{Transport: x.client, Rewrite: func(*httputil.ProxyRequest) {},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			x.fail(w, u, err)
		}}).ServeHTTP(w, r)
}

// connect connects the program with a host.
func (x *proxy) connect(w http.ResponseWriter, r *http.Request, u *url.URL) {
	ctx, cancel := context.WithTimeout(r.Context(), proxyStart)
	defer cancel()
	out, err := x.client.Dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), web.Port(u)))
	if err != nil {
		x.fail(w, u, err)
		return
	}
	defer out.Close()
	in, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer in.Close()
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(out, buffered)
		if c, ok := out.(*net.TCPConn); ok {
			_ = c.CloseWrite()
		}
	}()
	_, _ = io.Copy(in, out)
	in.Close()
	<-done
}

// unreached begins the answer about a host that is allowed, and cannot be reached.
const unreached = "the sandbox may reach "

// fail responds that a request has failed: it was refused, or the host cannot be reached.
func (x *proxy) fail(w http.ResponseWriter, u *url.URL, err error) {
	var address *web.AddressError
	if errors.As(err, &address) {
		x.refuse(w, u, err)
		return
	}
	http.Error(w, unreached+web.HostOf(u)+", but: "+web.Cause(err).Error(), http.StatusBadGateway)
}

// refuse responds that a host is not allowed, and stores it for Refused.
func (x *proxy) refuse(w http.ResponseWriter, u *url.URL, err error) {
	what, address := web.HostOf(u), (*web.AddressError)(nil)
	if errors.As(err, &address) && address.Host != address.Address {
		what += " (it leads to " + address.Address + ", which is no public address: the list of " +
			"hosts must name that)"
	}
	x.fence.hosts.addHost(what)
	http.Error(w, "the sandbox refused to reach "+web.HostOf(u)+": "+err.Error(),
		http.StatusForbidden)
}

// refusedHosts are hosts that the proxy has refused since the last call of takeHosts.
type refusedHosts struct {
	mu   sync.Mutex
	list []string
}

func (h *refusedHosts) addHost(host string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if host = strings.ToLower(host); !slices.Contains(h.list, host) && len(h.list) < mostHosts {
		h.list = append(h.list, host)
	}
}

// takeHosts returns the hosts and clears the list.
func (h *refusedHosts) takeHosts() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}
