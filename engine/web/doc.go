// Package web makes HTTP requests that reach granted hosts only.
//
//	c := &web.Client{Hosts: []string{"api.github.com", "localhost:8080"}}
//	resp, err := c.Do(req) // *web.HostError, *web.AddressError
//	events := web.NewEvents(func(e web.Event) error { ... })
//
// A host is checked before the request, before each redirect, and when its address is known: a name
// cannot resolve differently in between. Headers and bodies are not sent to another host after a
// redirect. The package does not read bodies: the caller must limit their size.
package web
