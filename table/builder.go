package table

import (
	"math"
	"slices"
	"unicode/utf8"
)

// A field is what a reader knows of a column before it reads its cells.
type field struct {
	name  string
	kind  Kind // Text stands for categories, too, until all cells are read
	width int
	index bool
	typed bool   // the file says that these are categories
	whole bool   // cells are kept as they are written, whatever they look like
	why   string // of kind Other
}

// A builder collects the cells of one column of a block.
type builder struct {
	field
	point   byte // the decimal mark
	numbers []float64
	codes   []int32
	levels  []string
	seen    map[string]int32
	bad     BadCells
	tally
	cost int64 // of the words in memory
}

// A tally is what helps to tell whether a column was read as the right kind.
type tally struct {
	good   int // cells of the kind
	clocks int // bad cells that are times
	truths int // bad cells that are booleans
}

// wordCost is what a distinct word takes in memory beside its letters: a
// string, an entry of a map, its share of the room to grow.
const wordCost = 80

// add appends the cell, which lies on this line of a text file, and returns
// false when it is no valid text.
func (b *builder) add(cell []byte, line int) bool {
	cell = trim(cell)
	if b.kind.numeric() {
		b.addNumeric(cell, line)
		return true
	}
	if isMissing(cell) {
		b.codes = append(b.codes, -1)
		return true
	}
	return b.addWord(cell)
}

func (b *builder) addWord(cell []byte) bool {
	code, ok := b.seen[string(cell)]
	if !ok {
		if !utf8.Valid(cell) {
			return false
		}
		if b.seen == nil {
			b.seen = make(map[string]int32)
		}
		code = int32(len(b.levels))
		s := string(cell)
		b.seen[s] = code
		b.levels = append(b.levels, s)
		b.cost += int64(len(s)) + wordCost
	}
	b.codes = append(b.codes, code)
	b.good++
	return true
}

func (b *builder) addMissing() {
	switch {
	case b.kind.numeric():
		for range max(b.width, 1) {
			b.numbers = append(b.numbers, math.NaN())
		}
	default:
		b.codes = append(b.codes, -1)
	}
}

func (b *builder) addNumeric(cell []byte, line int) {
	v, ok := parseCell(b.kind, cell, b.point)
	if ok {
		b.good++
		b.numbers = append(b.numbers, v)
		return
	}
	if !isGap(cell) {
		b.addBad(cell, line)
		return
	}
	b.numbers = append(b.numbers, math.NaN())
}

func (b *builder) addBad(cell []byte, line int) {
	if b.bad.Count == 0 {
		b.bad.Row, b.bad.Line, b.bad.Text = len(b.numbers), line, string(cell)
	}
	b.bad.Count++
	if _, ok := parseTime(cell); ok {
		b.clocks++
	} else if _, ok := parseBoolean(cell); ok {
		b.truths++
	}
	b.numbers = append(b.numbers, math.NaN())
}

// parseCell reads a cell of a numeric kind.
func parseCell(k Kind, cell []byte, point byte) (float64, bool) {
	switch k {
	case Boolean:
		return parseBoolean(cell)
	case Time:
		return parseTime(cell)
	}
	return parseNumber(cell, point)
}

// column hands over what was built.
func (b *builder) column() Column {
	return Column{
		Name: b.name, Kind: b.kind, Numbers: b.numbers, Width: max(b.width, 1),
		Codes: b.codes, Levels: b.levels, Index: b.index, Bad: b.bad, Why: b.why, typed: b.typed, whole: b.whole, tally: b.tally,
	}
}

// misread reports whether a column of a text format cannot stay of its kind,
// and the kind that it should be read as.
func (c *Column) misread() (Kind, bool) {
	bad := c.Bad.Count
	if !c.Kind.numeric() || c.Kind == Vector || 9*bad <= c.good {
		return c.Kind, false
	}
	switch {
	case c.good == 0 && c.clocks*10 >= 9*bad:
		return Time, true
	case c.good == 0 && c.truths*10 >= 9*bad:
		return Boolean, true
	}
	return Text, true
}

// The most different words that categories may have.
const (
	fewLevels  = 12   // in a table of any length
	mostLevels = 256  // at least two rows for each
	mostTyped  = 4096 // where the file says that they are categories
)

// settleWords tells categories from text.
func settleWords(c *Column) {
	if !c.Kind.words() {
		return
	}
	rows := 0
	for _, code := range c.Codes {
		if code >= 0 {
			rows++
		}
	}
	c.Kind = Text
	if !c.Index && !c.whole && isCategories(len(c.Levels), rows, c.typed) {
		c.Kind = Category
	}
}

func isCategories(levels, rows int, typed bool) bool {
	if typed {
		return levels <= mostTyped
	}
	return levels <= fewLevels || (levels <= mostLevels && 2*levels <= rows)
}

// sortLevels puts the levels into order, so that they do not depend on the
// order of the rows.
func sortLevels(c *Column) {
	if slices.IsSorted(c.Levels) {
		return
	}
	order := make([]int, len(c.Levels))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		if c.Levels[a] < c.Levels[b] {
			return -1
		}
		return 1
	})
	levels := make([]string, len(order))
	place := make([]int32, len(order))
	for k, old := range order {
		levels[k], place[old] = c.Levels[old], int32(k)
	}
	for i, code := range c.Codes {
		if code >= 0 {
			c.Codes[i] = place[code]
		}
	}
	c.Levels = levels
}
