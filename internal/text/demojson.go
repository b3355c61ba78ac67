package text

import "rot.example/rot/page"

// DemoJSON is the demo as JSON has it; scripts rely on the names.
type DemoJSON struct {
	Clean    float64        `json:"clean"`
	Plain    float64        `json:"plain"`
	Robust   float64        `json:"robust"`
	Gamma    float64        `json:"gamma"`
	Rho      float64        `json:"rho"`
	Elbow    float64        `json:"elbow"`
	Outliers int            `json:"outliers"`
	Found    int            `json:"found"`
	GAN      *demoGANJSON   `json:"gan"`
	DA       *demoDAJSON    `json:"da"`
	Table    *demoTableJSON `json:"clean_table"`
	Out      string         `json:"out"`
	Files    []string       `json:"files"`
}

// NewDemoJSON returns a demo as JSON has it, with the folder out and the files that
// were written there.
func NewDemoJSON(r *page.DemoResult, out string, files []string) *DemoJSON {
	m := &r.Measure
	return &DemoJSON{
		Clean: m.Plain, Plain: m.Spoiled, Robust: m.Robust, Gamma: m.Gamma, Rho: m.Rho, Elbow: m.Elbow, Outliers: m.Outliers, Found: m.Found,
		GAN: newDemoGANJSON(&r.Generate), DA: newDemoDAJSON(&r.Adapt), Table: newDemoTableJSON(&r.Clean),
		Out: out, Files: files,
	}
}

// demoGANJSON is the part of DemoJSON about the GANs.
type demoGANJSON struct {
	Steps  int            `json:"steps"`
	Plain  demoGANVerdict `json:"plain"`
	Robust demoGANVerdict `json:"robust"`
}

type demoGANVerdict struct {
	OnOutliers float64 `json:"on_outliers"`
	OnTheWay   float64 `json:"on_the_way"`
	Modes      int     `json:"modes"`
	AUROC      *Number `json:"auroc"`
}

func newDemoGANJSON(r *page.DemoGenerate) *demoGANJSON {
	verdict := func(g page.DemoGAN, auroc *Number) demoGANVerdict {
		return demoGANVerdict{g.OnOutliers, g.OnTheWay, g.Modes, auroc}
	}
	return &demoGANJSON{r.Steps, verdict(r.GANs[0], nil), verdict(r.GANs[1], (*Number)(&r.AUROC))}
}

// demoTableJSON is the part of DemoJSON about the table.
type demoTableJSON struct {
	Rows    int             `json:"rows"`
	Bad     int             `json:"bad"`
	Dropped int             `json:"dropped"`
	Found   int             `json:"found"`
	Gamma   float64         `json:"gamma"`
	AUROC   Number          `json:"auroc"`
	Kinds   []demoFaultJSON `json:"kinds"`
}

type demoFaultJSON struct {
	Kind  string `json:"kind"`
	Rows  int    `json:"rows"`
	Found int    `json:"found"`
}

func newDemoTableJSON(r *page.DemoClean) *demoTableJSON {
	j := &demoTableJSON{Rows: r.Rows, Bad: r.Bad, Dropped: r.Dropped, Found: r.Found, Gamma: r.Gamma, AUROC: Number(r.AUROC)}
	for _, k := range r.Kinds {
		j.Kinds = append(j.Kinds, demoFaultJSON{k.Name, k.Rows, k.Found})
	}
	return j
}

// demoDAJSON is the part of DemoJSON about domain adaptation.
type demoDAJSON struct {
	Steps       int          `json:"steps"`
	Images      int          `json:"images"`
	Outliers    int          `json:"outliers"`
	Rho         float64      `json:"rho"`
	Source      demoAccuracy `json:"source"`
	Adversarial demoAccuracy `json:"adversarial"`
	Robust      demoAccuracy `json:"robust"`
}

type demoAccuracy struct {
	Accuracy Number  `json:"accuracy"`
	Oracle   Number  `json:"oracle_accuracy"`
	AUROC    *Number `json:"auroc"`
}

func newDemoDAJSON(r *page.DemoAdapt) *demoDAJSON {
	way := func(w page.DemoWay, auroc *Number) demoAccuracy {
		return demoAccuracy{Number(w.Accuracy), Number(w.Oracle), auroc}
	}
	return &demoDAJSON{
		Steps: r.Steps, Images: r.Images, Outliers: r.Outliers, Rho: r.Rho,
		Source: way(r.Ways[0], nil), Adversarial: way(r.Ways[1], nil), Robust: way(r.Ways[2], (*Number)(&r.AUROC)),
	}
}
