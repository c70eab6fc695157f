package graphics

import (
	"encoding/base64"
	"strings"
	"testing"
)

// read reads all images that are to be read, and says whether one was sent.
func (s *Shelf) read(t *testing.T, owner any) (sent bool) {
	t.Helper()
	for next := s.Next(); next != nil; next = s.Next() {
		if s.Next() != nil {
			t.Error("two images are read at once")
		}
		a := next()
		who, send := s.Take(a)
		if send != "" {
			sent = true
			who = s.Sent(a)
		}
		if who != owner {
			t.Errorf("the owner is %v", who)
		}
	}
	return sent
}

func TestShelf(t *testing.T) {
	i := NewItem("image/png", encode(t, "png", aPicture(320, 320)))
	s := &Shelf{}
	if label, lines := s.Draw(i, 1, 80, 11); lines != nil || label != "[image image/png, 1 KB]" {
		t.Errorf("got %q and %d lines", label, len(lines))
	}
	if s.read(t, 1) {
		t.Error("an image was sent to a terminal that does not draw it")
	}
	label, lines := s.Draw(i, 1, 80, 11)
	if label != "[image png 320x320, 1 KB]" || lines != nil || s.Next() != nil {
		t.Errorf("got %q and %d lines", label, len(lines))
	}
	i = NewItem("image/png", encode(t, "png", aPicture(320, 320)))
	i.Name = "a.png"
	s.Paints = true
	s.Draw(i, 1, 80, 11)
	s.Draw(i, 2, 60, 11) // another width, while it waits
	if !s.read(t, 2) {
		t.Error("it was not sent")
	}
	if label, lines := s.Draw(i, 2, 60, 11); label != "[image a.png 320x320, 1 KB]" ||
		len(lines) != 11 {
		t.Errorf("got %q and %d lines", label, len(lines))
	}
	if s.read(t, 2) {
		t.Error("the same image was sent twice")
	}
	if _, lines := s.Draw(i, 2, 10, 11); lines != nil {
		t.Error("it is wider than there is room")
	}
	s.read(t, 2)
	if _, lines := s.Draw(i, 2, 10, 11); len(lines) != 5 {
		t.Errorf("%d lines", len(lines))
	}
}

// TestShelfIsBounded checks that not all of many images is kept.
func TestShelfIsBounded(t *testing.T) {
	// what follows the end of an image is not read
	raw, _ := base64.StdEncoding.DecodeString(encode(t, "png", aPicture(9, 9)))
	data := base64.StdEncoding.EncodeToString(append(raw, make([]byte, MostBytes/2)...))
	s := &Shelf{Paints: true}
	drawn := 0
	for range 2 * mostKept / len(data) {
		i := NewItem("image/png", data)
		s.Draw(i, nil, 10, 5)
		next := s.Next()
		if next == nil {
			t.Fatal("an image is not read")
		}
		a := next()
		s.Take(a)
		if a.send != "" {
			drawn++
		}
		if !strings.Contains(i.label(), "9x9") {
			t.Fatalf("the label is %s", i.label())
		}
	}
	if drawn != mostKept/len(data) || s.kept > mostKept {
		t.Errorf("%d images are drawn, %d bytes are kept", drawn, s.kept)
	}
	broken := NewItem("image/png", base64.StdEncoding.EncodeToString(make([]byte, 3000)))
	s.Draw(broken, nil, 10, 5)
	s.read(t, nil)
	if label, _ := s.Draw(broken, nil, 10, 5); label != "[image image/png, 3 KB]" {
		t.Errorf("got %s", label)
	}
}
