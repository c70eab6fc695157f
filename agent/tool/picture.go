// This file checks pictures before they are sent to a model.

package tool

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// PictureBytes is the size limit of a picture: 5 MB in base64, which providers accept.
	PictureBytes = 5 << 20 / 4 * 3
	// pictureSide is the largest width and height, in pixels, that providers accept.
	pictureSide = 8000
)

// pictures maps the types that models accept to functions that read the size; nil = not supported.
var pictures = map[string]func(io.Reader) (image.Config, error){
	"image/png": png.DecodeConfig, "image/jpeg": jpeg.DecodeConfig, "image/gif": gif.DecodeConfig,
	"image/webp": nil,
}

// Picture converts a picture for a model. It returns an error for a picture that providers would
// refuse: in the conversation, it would make every further request fail.
func Picture(data []byte) (chat.Block, error) {
	kind := http.DetectContentType(data)
	size, known := pictures[kind]
	switch {
	case !known:
		return chat.Block{},
			fmt.Errorf("it holds no image that models take (%s): png, jpeg, gif and webp are", kind)
	case len(data) > PictureBytes:
		return chat.Block{}, TooLarge(int64(len(data)))
	}
	if size != nil {
		c, err := size(bytes.NewReader(data))
		switch {
		case err != nil:
			return chat.Block{}, fmt.Errorf("it is a broken image: %w", plain.Wrap(err))
		case c.Width < 1 || c.Height < 1 || max(c.Width, c.Height) > pictureSide:
			return chat.Block{},
				fmt.Errorf("the image has %d x %d pixels, and %d are the most that models take: "+
					"make a smaller one first", c.Width, c.Height, pictureSide)
		}
	}
	return chat.Block{Type: "image", MimeType: kind,
		Data: base64.StdEncoding.EncodeToString(data)}, nil
}

// PictureOf is Picture for an existing block.
func PictureOf(b chat.Block) (chat.Block, error) {
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return chat.Block{}, fmt.Errorf("it is not base64: %w", plain.Wrap(err))
	}
	return Picture(data)
}

// TooLarge returns the error for a picture of the given size.
func TooLarge(size int64) error {
	return fmt.Errorf(
		"the image has %.1f MB, and %.1f MB are the most that models take: make a smaller one "+
			"first", float64(size)/(1<<20), float64(PictureBytes)/(1<<20))
}
