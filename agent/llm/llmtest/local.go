// This file implements the APIs of model servers on the user's machine. Sources: the API references
// of Ollama and of llama.cpp's server.

package llmtest

import (
	"encoding/json"
	"net/http"
)

// Ollama returns a handler for Ollama's API: its own lists, and the OpenAI-compatible endpoints.
func (s *Server) Ollama() http.Handler {
	mux := http.NewServeMux()
	s.openAI(mux)
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, r *http.Request) {
		models := []any{}
		for _, m := range s.Models {
			models = append(models, object{"name": m.ID, "model": m.ID,
				"modified_at": "2026-01-01T00:00:00Z", "size": 1 << 30, "digest": "abc",
				"details": object{"format": "gguf", "family": "llama", "parameter_size": "8B",
					"quantization_level": "Q4_K_M"}})
		}
		sendJSON(w, object{"models": models})
	})
	mux.HandleFunc("POST /api/show", s.ollamaShow)
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, r *http.Request) {
		models := []any{}
		for _, m := range s.Models {
			if m.Loaded > 0 {
				models = append(models, object{"name": m.ID, "model": m.ID, "size_vram": 1 << 30,
					"context_length": m.Loaded})
			}
		}
		sendJSON(w, object{"models": models})
	})
	return mux
}

func (s *Server) ollamaShow(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Model string }
	_ = json.NewDecoder(r.Body).Decode(&ask) // an empty name is unknown, too
	for _, m := range s.Models {
		if m.ID != ask.Model {
			continue
		}
		can := []any{"completion", "tools"}
		if m.Images {
			can = append(can, "vision")
		}
		if m.Thinking {
			can = append(can, "thinking")
		}
		sendJSON(w, object{"capabilities": can,
			"model_info": object{"general.architecture": "llama",
				"llama.context_length": m.Context}})
		return
	}
	w.WriteHeader(http.StatusNotFound)
	sendJSON(w, object{"error": "model '" + ask.Model + "' not found"})
}

// LlamaCpp returns a handler for llama.cpp's API: /health, /props and the OpenAI-compatible
// endpoints. It has one model.
func (s *Server) LlamaCpp() http.Handler {
	mux := http.NewServeMux()
	s.openAI(mux)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter,
		r *http.Request) {
		sendJSON(w, object{"status": "ok"})
	})
	mux.HandleFunc("GET /props", func(w http.ResponseWriter, r *http.Request) {
		var m Model
		if len(s.Models) > 0 {
			m = s.Models[0]
		}
		sendJSON(w, object{"default_generation_settings": object{"id": 0, "n_ctx": m.Context,
			"params": object{}}, "total_slots": 1,
			"model_path": m.ID, "modalities": object{"vision": m.Images, "audio": false},
			"chat_template": "..."})
	})
	return mux
}
