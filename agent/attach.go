// This file reads the images that a prompt names.
package agent

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// imageBytes is how large an image in a prompt may be: providers take no more.
const imageBytes = 5 << 20

// imageName is a word of a prompt that names an image: @shot.png, @"my shot.png".
var imageName = regexp.MustCompile(`(?i)(?:^|\s)@(?:"([^"]+\.(?:png|jpe?g|gif|webp))"|(\S+\.(?:png|jpe?g|gif|webp)))`)

// attach adds the images that the user names in the text, @PATH, to the input. The text stays as it is. What is no
// image file is a word like any other; one that cannot be sent is told.
func (a *Agent) attach(in *Input) {
	if in.Source == sourceScript {
		return
	}
	for _, m := range imageName.FindAllStringSubmatch(in.Text, -1) {
		path := m[1] + m[2]
		block, err := a.image(path)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			a.notify("warn", fmt.Sprintf("@%s is not sent as an image: %v", path, err))
		default:
			in.Images = append(in.Images, block)
		}
	}
}

func (a *Agent) image(path string) (engine.Block, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.o.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return engine.Block{}, err
	case !info.Mode().IsRegular():
		return engine.Block{}, fmt.Errorf("it is not a regular file")
	case info.Size() > imageBytes:
		return engine.Block{}, fmt.Errorf("it has %.1f MB, and %d MB are the most", float64(info.Size())/(1<<20), imageBytes>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return engine.Block{}, err
	}
	kind := http.DetectContentType(data)
	if !strings.HasPrefix(kind, "image/") {
		return engine.Block{}, fmt.Errorf("it holds no image (%s)", kind)
	}
	return engine.Block{Type: "image", MimeType: kind, Data: base64.StdEncoding.EncodeToString(data)}, nil
}
