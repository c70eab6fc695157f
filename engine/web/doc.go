// Package web makes HTTP requests that reach granted hosts only.
//
//	c := &web.Client{Hosts: []string{"api.github.com", "localhost:8080"}}
//	resp, err := c.Do(req) // *web.HostError, *web.AddressError
//	events := web.NewEvents(func(e web.Event) error { ... })
//
// A host is judged before the request, before each redirect, and when its address is known: what a
// name leads to cannot be exchanged in between. Headers and bodies do not follow a redirect to
// another host. The package reads no bodies: who does must bound them.
package web
