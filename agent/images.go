// This file handles the images of a prompt: those that it names, and those attached to it.

package agent

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

// imageName matches a word of a prompt that names an image: @shot.png, @"my shot.png".
var imageName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)(?:^|\s)@(?:"([^"]+\.(?:png|jpe?g|gif|webp))"|(\S+\.(?:png|jpe?g|gif|webp)))`)
})

// imageReader finds the images of an input.
type imageReader struct {
	dir    string // base of relative paths
	home   string // the user's, which ~ means
	report *report.Reporter
}

// attach adds the images that the text names as @PATH to the input. The text stays unchanged. A
// word that names no image file is ignored; an image that cannot be sent is reported.
func (i imageReader) attach(in *Input) {
	// skips the search in most long texts
	if in.Source == sourceScript || !strings.Contains(in.Text, "@") {
		return
	}
	for _, m := range imageName().FindAllStringSubmatch(in.Text, -1) {
		path := m[1] + m[2]
		block, err := i.readImage(path)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			i.report.Notify("warn", fmt.Sprintf("@%s is not sent as an image: %v", path, err))
		default:
			in.Images = append(in.Images, block)
		}
	}
}

// readImage reads an image file.
func (i imageReader) readImage(path string) (chat.Block, error) {
	path = realpath.Typed(path, i.dir, i.home)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return chat.Block{}, err
	case info.Mode().IsRegular() && info.Size() > tool.PictureBytes:
		return chat.Block{}, tool.TooLarge(info.Size())
	}
	data, err := regularfile.Read(path)
	if err != nil {
		return chat.Block{}, err
	}
	return tool.Picture(data)
}

// usable returns the images that models accept. It reports and drops the others, which a client or
// a script may have sent.
func (i imageReader) usable(images []chat.Block) []chat.Block {
	var out []chat.Block
	for _, b := range images {
		picture, err := tool.PictureOf(b)
		if err != nil {
			i.report.Notify("warn", fmt.Sprintf("an image is not sent: %v", err))
			continue
		}
		out = append(out, picture)
	}
	return out
}
