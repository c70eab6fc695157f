// This file holds ext.env and ext.secret: what scripts may know of the environment.

package host

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
)

func (t *Table) envGet(c *engine.HostCall) (any, error) {
	if v, ok := t.env(c.Args[0].(string)); ok {
		return strings.ToValidUTF8(v, "\uFFFD"), nil
	}
	return nil, nil
}

func (t *Table) secret(c *engine.HostCall) (any, error) {
	name, form := c.Args[0].(string), "%s"
	if c.Args[1] != nil {
		form = text(c.Args[1])
	}
	if strings.Count(form, "%") != 1 || !strings.Contains(form, "%s") {
		return nil, fmt.Errorf(
			`ext.secret: format: got %.80q, want a text with one %%s in it, such as "Bearer %%s"`,
			form)
	}
	v, _ := t.env(name)
	if v = strings.TrimSpace(v); v == "" {
		return nil, &engine.WorldError{Code: "not_found",
			Message: fmt.Sprintf("ext.secret: %.200s is not set in the environment", name)}
	}
	return c.Gen.Engine().Mask.NewSecret(name, v, form), nil
}
