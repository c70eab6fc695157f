// This file converts a server's answer to a tool result.

package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// maxImages is how many images of a result the model gets, and maxImage the greatest size of
	// one in bytes: the limits of model servers.
	maxImages, maxImage = 10, 3_750_000
	// maxStructured limits the additional data for scripts, in bytes: it is stored in the session.
	maxStructured = 256 << 10
)

// images are the image types that model servers accept.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// result converts an answer to the result of a tool. It is shortened for the model later, after
// masking.
func (s *server) result(r *sdk.CallToolResult) *engine.Result {
	out := &engine.Result{IsError: r.IsError}
	var b blocks
	for _, c := range r.Content {
		b.addContent(c)
	}
	if r.StructuredContent != nil {
		text := asJSON(r.StructuredContent)
		if len(r.Content) == 0 {
			b.text(text)
		}
		if v, err := value.JSONData("structured", r.StructuredContent); err == nil &&
			len(text) <= maxStructured {
			out.Details = map[string]any{"structured": v}
		}
	}
	b.endText()
	out.Content = b.list
	return out
}

// blocks collects content; adjacent texts are joined to one block.
type blocks struct {
	list   []chat.Block
	texts  []string // the parts of the last block: there may be very many
	images int
}

func (b *blocks) text(s string) {
	b.texts = append(b.texts, plain.Terminal(strings.ToValidUTF8(s, "\uFFFD")))
}

// endText makes a block from the texts.
func (b *blocks) endText() {
	if len(b.texts) > 0 {
		b.list = append(b.list, chat.Block{Type: "text", Text: strings.Join(b.texts, "\n")})
		b.texts = nil
	}
}

func (b *blocks) image(mime string, data []byte) {
	switch {
	case !slices.Contains(images, mime), len(data) > maxImage, len(data) == 0:
		b.addNote("%s of %d bytes, which the model cannot be shown", mime, len(data))
	case b.images == maxImages:
		b.addNote("one more image: at most %d are shown", maxImages)
	default:
		b.images++
		b.endText()
		b.list = append(b.list, chat.Block{Type: "image", MimeType: mime,
			Data: base64.StdEncoding.EncodeToString(data)})
	}
}

// addNote adds a note about content that cannot be shown.
func (b *blocks) addNote(format string, args ...any) {
	b.text("[" + plain.Line(fmt.Sprintf(format, args...), maxNotice) + "]")
}

func (b *blocks) addContent(c sdk.Content) {
	switch c := c.(type) {
	case *sdk.TextContent:
		b.text(c.Text)
	case *sdk.ImageContent:
		b.image(c.MIMEType, c.Data)
	case *sdk.AudioContent:
		b.addNote("%s of %d bytes, which the model cannot be shown", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		b.addNote("resource %s %s %s", c.URI, c.Name, c.Description)
	case *sdk.EmbeddedResource:
		b.resource(c.Resource)
	default:
		b.addNote("content of a kind that is not known")
	}
}

func (b *blocks) resource(r *sdk.ResourceContents) {
	switch {
	case r == nil:
	case strings.HasPrefix(r.MIMEType, "image/"):
		b.image(r.MIMEType, r.Blob)
	case len(r.Blob) > 0:
		b.addNote("resource %s, %s of %d bytes, which the model cannot be shown", r.URI, r.MIMEType,
			len(r.Blob))
	default:
		b.addNote("resource %s", r.URI)
		b.text(r.Text)
	}
}

// asJSON returns v as JSON text.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
