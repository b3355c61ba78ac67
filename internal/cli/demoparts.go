package cli

import (
	"rot.example/rot/page"
)

// demoGANJSON is the part of demo --json about the GANs.
type demoGANJSON struct {
	Steps  int            `json:"steps"`
	Plain  demoGANVerdict `json:"plain"`
	Robust demoGANVerdict `json:"robust"`
}

type demoGANVerdict struct {
	OnOutliers float64 `json:"on_outliers"`
	OnTheWay   float64 `json:"on_the_way"`
	Modes      int     `json:"modes"`
	AUROC      *number `json:"auroc"`
}

func newDemoGANJSON(r *page.DemoGenerate) *demoGANJSON {
	verdict := func(g page.DemoGAN, auroc *number) demoGANVerdict {
		return demoGANVerdict{g.OnOutliers, g.OnTheWay, g.Modes, auroc}
	}
	return &demoGANJSON{r.Steps, verdict(r.GANs[0], nil), verdict(r.GANs[1], (*number)(&r.AUROC))}
}

// demoTableJSON is the part of demo --json about the table.
type demoTableJSON struct {
	Rows    int             `json:"rows"`
	Bad     int             `json:"bad"`
	Dropped int             `json:"dropped"`
	Found   int             `json:"found"`
	Gamma   float64         `json:"gamma"`
	AUROC   number          `json:"auroc"`
	Kinds   []demoFaultJSON `json:"kinds"`
}

type demoFaultJSON struct {
	Kind  string `json:"kind"`
	Rows  int    `json:"rows"`
	Found int    `json:"found"`
}

func newDemoTableJSON(r *page.DemoClean) *demoTableJSON {
	j := &demoTableJSON{Rows: r.Rows, Bad: r.Bad, Dropped: r.Dropped, Found: r.Found, Gamma: r.Gamma, AUROC: number(r.AUROC)}
	for _, k := range r.Kinds {
		j.Kinds = append(j.Kinds, demoFaultJSON{k.Name, k.Rows, k.Found})
	}
	return j
}
