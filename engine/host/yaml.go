// This file holds ext.yaml: YAML as plain data.

package host

import (
	"fmt"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/internal/yamltext"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// maxDocument is how long a text of YAML or TOML may be, in bytes.
const maxDocument = yamltext.MaxBytes

func yamlEncode(c *engine.HostCall) (any, error) {
	v, err := value.JSONData("ext.yaml.encode: value", c.Args[0])
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err = enc.Encode(wholeNumbers(v)); err == nil {
		err = enc.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("ext.yaml.encode: value: %w", err)
	}
	return b.String(), nil
}

// wholeNumbers converts the whole numbers in v to integers: 1000000, not 1e+06.
func wholeNumbers(v any) any {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= most {
			return int64(v)
		}
	case []any:
		for i, e := range v {
			v[i] = wholeNumbers(e)
		}
	case map[string]any:
		for k, e := range v {
			v[k] = wholeNumbers(e)
		}
	}
	return v
}

func yamlDecode(c *engine.HostCall) (any, error) {
	v, err := yamltext.Decode(text(c.Args[0]), nil)
	if err != nil {
		return nil, &fault.WorldError{Code: "invalid",
			Message: "ext.yaml.decode: " + plain.YAML(err.Error())}
	}
	return v, nil
}
