package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	protocol "github.com/coder/acp-go-sdk"
)

// TestEditorDisconnects checks that however a client disconnects, its sessions end normally and no
// process or goroutine is left.
func TestEditorDisconnects(t *testing.T) {
	script := `ext.on("session_end", function(ev) ext.log.info("ended " .. ev.cause) end)`
	_, before := settled()
	for how, leave := range map[string]func(e *editor){
		"closes its end":       func(e *editor) { e.in.Close() },
		"reads no more":        func(e *editor) { e.out.Close() },
		"is ended by a signal": func(e *editor) { e.stop() },
	} {
		t.Run(how, func(t *testing.T) {
			e := newEditor(t, map[string]string{"end.lua": script})
			e.open("--yolo")
			ctx, cancel := context.WithCancel(e.ctx)
			defer cancel()
			asked := make(chan struct{})
			go func() {
				defer close(asked)
				_, _ = e.conn.Prompt(ctx, protocol.PromptRequest{SessionId: e.id,
					Prompt: []protocol.ContentBlock{protocol.TextBlock("play\n" +
						`call bash {"command": "touch runs; while true; do echo tick; sleep 0.1; ` +
						`done"}`)}})
			}()
			eventually(t, "the tool runs", func() bool {
				_, err := os.Stat(filepath.Join(e.dir, "runs"))
				return err == nil
			})
			leave(e)
			select {
			case <-e.code:
			case <-e.ctx.Done():
				t.Fatal("the program does not end")
			}
			cancel()
			<-asked
			if got := strings.Join(e.logged("end.lua"), " "); !strings.Contains(got, "ended ") {
				t.Errorf("session_end did not fire: %q", got)
			}
			e.in.Close()
			e.out.Close()
		})
	}
	eventually(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before+2 })
}
