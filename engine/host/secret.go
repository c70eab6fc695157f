// This file implements ext.env and ext.secret: a script's access to the environment.

package host

import (
	"fmt"
	"os"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
)

// environment implements ext.env and ext.secret. It looks up a variable; nil looks in the
// environment of this process.
type environment func(name string) (string, bool)

func (e environment) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"env": e.getVariable, "secret": e.secret,
	}
}

func (e environment) lookup(name string) (string, bool) {
	if e != nil {
		return e(name)
	}
	return os.LookupEnv(name)
}

func (e environment) getVariable(c *engine.HostCall) (any, error) {
	name := c.Args[0].(string)
	v, ok := e.lookup(name)
	if !ok {
		return nil, nil
	}
	if namesSecret(name) {
		c.Gen.Engine().Mask.NewSecret(name, strings.TrimSpace(v), "%s") // masked from now on
	}
	return strings.ToValidUTF8(v, "\uFFFD"), nil
}

// namesSecret reports whether a variable holds a secret, by its name: GITHUB_TOKEN, API_KEY.
func namesSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, end := range secretNames {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// secretNames are ends of the names of variables that hold secrets.
var secretNames = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"}

func (e environment) secret(c *engine.HostCall) (any, error) {
	name, form := c.Args[0].(string), "%s"
	if c.Args[1] != nil {
		form = text(c.Args[1])
	}
	if strings.Count(form, "%") != 1 || !strings.Contains(form, "%s") {
		return nil, fmt.Errorf(
			`ext.secret: format: got %.80q, want a text with one %%s in it, such as "Bearer %%s"`,
			form)
	}
	v, _ := e.lookup(name)
	if v = strings.TrimSpace(v); v == "" {
		return nil, &fault.WorldError{Code: "not_found",
			Message: fmt.Sprintf("ext.secret: %.200s is not set in the environment", name)}
	}
	return c.Gen.Engine().Mask.NewSecret(name, v, form), nil
}
