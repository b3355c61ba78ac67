package demo

import (
	"bytes"
	"context"
	"strconv"

	"rot.example/rot/experiments"
	"rot.example/rot/figure"
	"rot.example/rot/ot"
	"rot.example/rot/page"
)

// A Measured is figure 1 of the paper, solved, with its elbow curve.
type Measured struct{ figure1 *experiments.Figure1 }

// Measure solves the three problems of figure 1 and the elbow curve. It calls
// stage before each of these two.
func Measure(ctx context.Context, stage func(string), progress func(ot.Progress)) (*Measured, error) {
	f := experiments.NewFigure1()
	stage("figure 1")
	if err := f.Solve(ctx, progress); err != nil {
		return nil, err
	}
	stage("the elbow curve")
	return &Measured{f}, f.SolveCurve(ctx, progress)
}

// Result is what the page shows of the distances.
func (m *Measured) Result() page.DemoMeasure {
	f := m.figure1
	found, lost := f.Found()
	return page.DemoMeasure{
		Blob: f.Clean.Len(), Moons: f.Target.Len(), Outliers: f.Outliers(), Gamma: f.Gamma(), Rho: f.Ball.Rho,
		Plain: f.Plain.Value, Spoiled: f.Spoiled.Value, Robust: f.Robust.Value,
		Found: found, Lost: lost, Elbow: f.Curve.Elbow,
	}
}

// Figures returns the pictures of the distances, by the names of their files.
func (m *Measured) Figures() []Figure {
	return []Figure{{"couplings.png", m.figure1.Couplings()}, {"curve.png", figure.NewCurve("Choosing ρ: the elbow", m.figure1.Curve, m.figure1.Theorem)}}
}

// Files returns the data, by the names of their files. The last column of dirty.csv
// marks the outliers.
func (m *Measured) Files() map[string][]byte {
	f := m.figure1
	return map[string][]byte{"clean.csv": pointsCSV(f.Clean, nil), "dirty.csv": pointsCSV(f.Dirty, f.Outlier), "target.csv": pointsCSV(f.Target, nil)}
}

// pointsCSV is x,y, and the marks where there are any.
func pointsCSV(p *ot.Points, outlier []bool) []byte {
	var b bytes.Buffer
	b.WriteString("x,y")
	if outlier != nil {
		b.WriteString(",outlier")
	}
	b.WriteByte('\n')
	for i := range p.Len() {
		row := p.Row(i)
		b.WriteString(strconv.FormatFloat(row[0], 'f', -1, 64) + "," + strconv.FormatFloat(row[1], 'f', -1, 64))
		switch {
		case outlier == nil:
		case outlier[i]:
			b.WriteString(",1")
		default:
			b.WriteString(",0")
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}
