package llmtest

import (
	"encoding/json"
	"net/http"
)

// sendJSON answers with one JSON value.
func sendJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in a test
	}
	return string(b)
}
