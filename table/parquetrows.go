package table

import "math"

// read returns the next rows of the column and their cost in the budget.
func (c *parquetCursor) read(rows int) (Column, int64, error) {
	b := builder{field: c.column.field}
	if b.kind == Other {
		return b.column(), 0, nil
	}
	cost := int64(rows) * 8 * int64(max(b.width, 1))
	if err := c.r.budget.takeProduct(int64(rows), 8*int64(max(b.width, 1))); err != nil {
		return Column{}, 0, err
	}
	if b.kind.numeric() {
		b.numbers = make([]float64, 0, rows*b.width)
	} else {
		b.codes = make([]int32, 0, rows)
	}
	var err error
	if b.kind == Vector {
		err = c.readVectors(&b, rows)
	} else {
		err = c.readFlat(&b, rows)
	}
	if err == nil {
		err = c.r.budget.take(b.cost)
	}
	return b.column(), cost + b.cost, err
}

func (c *parquetCursor) readFlat(b *builder, rows int) error {
	for got := 0; got < rows; {
		p := &c.page
		if p.pos == p.n {
			ok, err := c.nextPage()
			if err != nil {
				return err
			}
			if !ok {
				return c.fail(errRows)
			}
		}
		n := min(rows-got, p.n-p.pos)
		if b.kind.numeric() {
			c.addNumbers(b, n)
		} else {
			c.addWords(b, n)
		}
		got += n
	}
	return nil
}

var errRows = errorString("fewer values than rows")

type errorString string

// addNumbers appends the next n cells of the page.
func (c *parquetCursor) addNumbers(b *builder, n int) {
	p := &c.page
	present := n
	if p.def != nil {
		present = 0
		for _, d := range p.def[p.pos : p.pos+n] {
			if int(d) == c.column.maxDef {
				present++
			}
		}
	}
	at := len(b.numbers)
	b.numbers = b.numbers[:at+n]
	// The values that are there go to the end of their room, then to their
	// places, from the front.
	dense := b.numbers[at+n-present:]
	if p.values.indexes != nil {
		for i, k := range p.values.indexes[p.value : p.value+present] {
			dense[i] = c.dictNum[k]
		}
	} else {
		part := parquetValues{n: present}
		if p.values.words != nil {
			part.words = p.values.words[p.value : p.value+present]
		} else {
			part.fixed = p.values.fixed[p.value*c.column.size:]
		}
		c.numbers(dense, &part)
	}
	p.value += present
	if present < n {
		k := 0
		for i, d := range p.def[p.pos : p.pos+n] {
			v := math.NaN()
			if int(d) == c.column.maxDef {
				v = dense[k]
				k++
			}
			b.numbers[at+i] = v
		}
	}
	p.pos += n
	b.good += present
}

// addWords appends the next n cells of the page as words.
func (c *parquetCursor) addWords(b *builder, n int) {
	p := &c.page
	var codes []int32 // of dictionary entries in b, plus one
	if p.values.indexes != nil && c.dict.n <= 4*n {
		codes = make([]int32, c.dict.n)
	}
	for range n {
		if p.def != nil && int(p.def[p.pos]) < c.column.maxDef {
			b.codes = append(b.codes, -1)
			p.pos++
			continue
		}
		if codes != nil {
			if k := p.values.indexes[p.value]; codes[k] > 0 {
				b.codes = append(b.codes, codes[k]-1)
				b.good++
				p.value++
				p.pos++
				continue
			}
		}
		w := c.column.word(c.bytesAt(p.value))
		switch {
		case isMissing(w):
			b.codes = append(b.codes, -1)
		case !b.addWord(w):
			b.addWord([]byte(quote(string(w)))) // bytes that are no text
		}
		if codes != nil {
			codes[p.values.indexes[p.value]] = b.codes[len(b.codes)-1] + 1
		}
		p.value++
		p.pos++
	}
}

// readVectors appends rows of lists. A list of another length is bad.
func (c *parquetCursor) readVectors(b *builder, rows int) error {
	row := make([]float64, 0, b.width)
	var number [1]float64
	for range rows {
		row = row[:0]
		missing, length := false, 0
		for first := true; ; first = false {
			if c.page.pos == c.page.n {
				ok, err := c.nextPage()
				if err != nil {
					return err
				}
				if !ok {
					if first {
						return c.fail(errRows)
					}
					break
				}
			}
			p := &c.page
			if (p.rep[p.pos] == 0) != first {
				if first {
					return c.fail(errCoding)
				}
				break
			}
			v := math.NaN()
			switch def := int(p.def[p.pos]); {
			case def == c.column.maxDef:
				if p.values.indexes != nil {
					v = c.dictNum[p.values.indexes[p.value]]
				} else {
					b := c.bytesAt(p.value)
					number[0] = c.column.number(b)
					v = number[0]
				}
				p.value++
				length++
			case def >= c.column.element:
				length++
			default:
				missing = true
			}
			if len(row) < b.width {
				row = append(row, v)
			}
			p.pos++
		}
		switch {
		case missing:
			b.addMissing()
		case length != b.width:
			b.addBadVector([]byte(lengthText(length)), 0)
		default:
			b.numbers = append(b.numbers, row...)
			b.good++
		}
	}
	return nil
}

func lengthText(n int) string { return "a list of " + count(n, "number") }

func (e errorString) Error() string { return string(e) }
