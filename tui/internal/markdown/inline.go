package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"github.com/agentscripts/agent/tui/internal/hyperlink"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// look is the style of a piece of text: a set of the bits below and, above them, the number of the
// target to which it leads, 0 = to none.
type look uint32

const (
	bold look = 1 << iota
	italic
	struck
	underlined
	dim
	code
	link
	heading
	keyword
	added
	removed
	hunk
	onAdded
	onRemoved
)

const (
	linkBits = 16        // the bits of a style
	mostLink = 1<<16 - 1 // the greatest number of a target
	linkMask = 1<<linkBits - 1
)

const (
	headingLook = bold | heading
	linkLook    = underlined | link
)

// span is a piece of text in one look. A newline in it ends the line.
type span struct {
	text string
	look look
}

// page is a text to draw.
type page struct {
	source []byte
	inks   *palette.Palette
	links  bool // texts lead to the targets of links
	joined bool // see Drawer.Joined
	// the targets of links, by their numbers from 1
	targets []string
}

// inline returns the text below n.
func (p *page) inline(n ast.Node, l look) (spans []span) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		spans = append(spans, p.span(c, l)...)
	}
	return spans
}

// span returns the text of one inline node.
func (p *page) span(n ast.Node, l look) []span {
	switch n := n.(type) {
	case *ast.Text:
		return []span{{p.text(n), l}}
	case *ast.String:
		return []span{{string(n.Value), l}}
	case *ast.CodeSpan:
		return p.inline(n, l|code)
	case *ast.Emphasis:
		if n.Level > 1 {
			return p.inline(n, l|bold)
		}
		return p.inline(n, l|italic)
	case *extast.Strikethrough:
		return p.inline(n, l|struck)
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return []span{{"[x] ", l}}
		}
		return []span{{"[ ] ", l}}
	case *ast.AutoLink:
		return []span{{string(n.Label(p.source)), l | linkLook | p.target(string(n.URL(p.source)))}}
	case *ast.Link:
		return p.link(p.inline(n, l|bold), n.Destination, n.Title, l)
	case *ast.Image:
		alt := slices.Concat([]span{{"[image: ", l}}, p.inline(n, l), []span{{"]", l}})
		return p.link(alt, n.Destination, n.Title, l)
	case *ast.RawHTML:
		return []span{{string(n.Segments.Value(p.source)), l}}
	}
	return p.inline(n, l)
}

// text returns the text of a node with the line break after it. Line breaks are kept, unless the
// lines are joined, because models mean them, and because a streaming answer is shown with them.
func (p *page) text(n *ast.Text) string {
	s := string(n.Value(p.source))
	if !n.IsRaw() {
		s = literal(s)
	} else {
		s = strings.ReplaceAll(s, "\n", " ") // a code span over several lines
	}
	switch {
	case n.HardLineBreak() || n.SoftLineBreak() && !p.joined:
		s += "\n"
	case n.SoftLineBreak():
		s += " "
	}
	return s
}

// target returns the look of a text that leads to an address.
func (p *page) target(address string) look {
	if !p.links || len(p.targets) == mostLink {
		return 0
	}
	target := hyperlink.Web(address)
	if target == "" {
		return 0
	}
	p.targets = append(p.targets, target)
	return look(len(p.targets)) << linkBits
}

// link returns a label, the destination unless it equals the label, and the title. A label that
// reads like another address does not lead to the destination.
func (p *page) link(label []span, destination, title []byte, l look) []span {
	said := ""
	for _, s := range label {
		said += s.text
	}
	d := literal(string(destination))
	to := p.target(d)
	if d == said || !hyperlink.Poses(said) {
		for i := range label {
			label[i].look = label[i].look&linkMask | to
		}
	}
	if d != "" && d != said {
		if said != "" {
			label = append(label, span{" ", l})
		}
		label = append(label, span{d, l | linkLook | to})
	}
	if len(title) > 0 {
		label = append(label,
			span{` "` + strings.ReplaceAll(literal(string(title)), "\n", " ") + `"`, l})
	}
	return label
}
