package text

import (
	"fmt"
	"path/filepath"
	"strings"

	"rot.example/rot/da"
	"rot.example/rot/gan"
	"rot.example/rot/internal/terminal"
	"rot.example/rot/page"
	"rot.example/rot/train"
)

// WeightsJSON sums up the weights of a run as JSON has it; scripts rely on the
// names.
type WeightsJSON struct {
	N        int     `json:"n"`
	Outliers int     `json:"outliers"`
	AUROC    *Number `json:"auroc"`
	MeanIn   Number  `json:"mean_in"`
	MeanOut  *Number `json:"mean_out"`
	Chi2     Number  `json:"chi2"` // Divergence under an older name
	Zero     int     `json:"zero"` // samples of weight below 0.01
	Scores   *Number `json:"auroc_scores,omitempty"`

	Divergence Number `json:"divergence"` // (1/2n) Σ (w − 1)²
}

// NewWeightsJSON returns s as JSON has it.
func NewWeightsJSON(s *train.WeightSummary) *WeightsJSON {
	return &WeightsJSON{
		N: s.N, Outliers: s.Outliers, AUROC: (*Number)(s.AUROC), MeanIn: Number(s.MeanIn), MeanOut: (*Number)(s.MeanOut),
		Chi2: Number(s.Divergence), Divergence: Number(s.Divergence), Zero: s.Zero, Scores: (*Number)(s.Scores),
	}
}

// Weights sums up the weights of a run.
func Weights(r *train.WeightSummary) string {
	var s strings.Builder
	fmt.Fprintf(&s, "weights of %s samples: divergence %s, %s below 0.01\n", count(r.N), digits(r.Divergence, 3), count(r.Zero))
	if r.AUROC != nil {
		fmt.Fprintf(&s, "outliers   %s known; mean weight %s, others %s; AUROC %s\n",
			count(r.Outliers), digits(*r.MeanOut, 3), digits(r.MeanIn, 3), digits(*r.AUROC, 4))
	}
	return s.String()
}

// scores says how well scores tell known outliers; "" where there are none of either.
func scores(r *train.WeightSummary) string {
	if r.Scores == nil {
		return ""
	}
	return fmt.Sprintf("scores     of known outliers (%s) beside those of the others: AUROC %s\n", count(r.Outliers), digits(*r.Scores, 4))
}

// runFiles appends the paths of files of a run, each after a label.
func runFiles(s *strings.Builder, run string, files ...[2]string) {
	for _, f := range files {
		fmt.Fprintf(s, "%-10s %s\n", f[0], filepath.Join(run, f[1]))
	}
}

// GANWeights sums up the weights of a GAN, and names the files about them.
func GANWeights(g *gan.Session, r *train.WeightSummary) string {
	var s strings.Builder
	s.WriteString(Weights(r))
	if r.Divergence == 0 {
		s.WriteString(scores(r))
	}
	runFiles(&s, g.Run.Path(), [2]string{"weights", page.WeightsFile}, [2]string{"histogram", "weights.png"})
	if g.Config.Size > 0 {
		runFiles(&s, g.Run.Path(), [2]string{"sorted", "sorted.png"})
	}
	return s.String()
}

// A GANTrained is a GAN at the end of its training.
type GANTrained struct {
	*gan.Session
	Last    gan.Record // of the steps of this process; zero for none
	Weights *train.WeightSummary
}

// GANTrainedJSON is a GANTrained as JSON has it; scripts rely on the names.
type GANTrainedJSON struct {
	Run             string  `json:"run"`
	Steps           int     `json:"steps"`
	Seconds         Number  `json:"seconds"`
	ImagesPerSecond Number  `json:"images_per_second"`
	Backend         string  `json:"backend"`
	AUROC           *Number `json:"auroc"`
	Scores          *Number `json:"auroc_scores,omitempty"`
	Rho             Number  `json:"rho"`
}

// JSON returns g as JSON has it.
func (g *GANTrained) JSON() *GANTrainedJSON {
	t := g.Trainer
	return &GANTrainedJSON{
		Run: g.Run.Path(), Steps: t.Step(), Seconds: Number(t.Seconds()),
		ImagesPerSecond: Number(g.Last.ImagesPerSecond), Backend: g.Backend.Kind, AUROC: (*Number)(g.Weights.AUROC), Scores: (*Number)(g.Weights.Scores), Rho: Number(t.Rho()),
	}
}

// Text is what came of the training, and where.
func (g *GANTrained) Text() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s in %s", plural(g.Trainer.Step(), "critic step"), seconds(g.Trainer.Seconds()))
	if g.Last.ImagesPerSecond > 0 {
		fmt.Fprintf(&s, ", %s %s a second", count(int(g.Last.ImagesPerSecond)), g.Unit())
	}
	if g.Last.Step > 0 {
		fmt.Fprintf(&s, "; critic distance %s", digits(g.Last.Distance, 3))
	}
	s.WriteByte('\n')
	if g.Config.RhoAuto {
		fmt.Fprintf(&s, "%-10s %s\n", "radius", page.GANRadius(g.Trainer.Radius()))
	}
	if g.Trainer.Rho() > 0 {
		s.WriteString(Weights(g.Weights))
	} else {
		s.WriteString(scores(g.Weights))
	}
	runFiles(&s, g.Run.Path(), [2]string{"run", ""}, [2]string{"samples", filepath.Join("samples", page.SamplesFile(&g.Config, g.Trainer.Step()))},
		[2]string{"weights", page.WeightsFile}, [2]string{"page", page.RunFile})
	return s.String()
}

// A DATrained is a classifier at the end of its training.
type DATrained struct {
	*da.Session
	Last    da.Record // of the steps of this process; zero for none
	Weights *train.WeightSummary
	Open    *da.OpenSet // what the weights call unknown; nil without weights
}

// DATrainedJSON is a DATrained as JSON has it; scripts rely on the names.
type DATrainedJSON struct {
	Run             string  `json:"run"`
	Steps           int     `json:"steps"`
	Seconds         Number  `json:"seconds"`
	ImagesPerSecond Number  `json:"images_per_second"`
	Backend         string  `json:"backend"`
	Accuracy        *Number `json:"accuracy"`
	SelectedBy      string  `json:"selected_by"`
	SelectedAt      int     `json:"selected_at"`
	OracleAccuracy  *Number `json:"oracle_accuracy"`
	AUROC           *Number `json:"auroc"`
	Rho             Number  `json:"rho"`
	Unknown         int     `json:"unknown"` // samples of weight below 0.5
	H               *Number `json:"h_score"`
}

// JSON returns d as JSON has it.
func (d *DATrained) JSON() *DATrainedJSON {
	t, r := d.Trainer, d.Trainer.Result()
	open := da.OpenSet{H: -1}
	if d.Open != nil {
		open = *d.Open
	}
	return &DATrainedJSON{
		Run: d.Run.Path(), Steps: t.Step(), Seconds: Number(t.Seconds()), ImagesPerSecond: Number(d.Last.ImagesPerSecond), Backend: d.Backend.Kind,
		Accuracy: known(r.Accuracy), SelectedBy: r.SelectedBy, SelectedAt: r.SelectedAt, OracleAccuracy: known(r.Oracle), AUROC: (*Number)(d.Weights.AUROC), Rho: Number(t.Rho()),
		Unknown: open.Unknown, H: known(open.H),
	}
}

// Text is what came of the training, and where.
func (d *DATrained) Text() string {
	var s strings.Builder
	r := d.Trainer.Result()
	fmt.Fprintf(&s, "%s in %s", plural(d.Trainer.Step(), "step"), seconds(d.Trainer.Seconds()))
	if d.Last.ImagesPerSecond > 0 {
		fmt.Fprintf(&s, ", %s source %s a second", count(int(d.Last.ImagesPerSecond)), d.Unit())
	}
	fmt.Fprintf(&s, "\nmodel      of step %s, picked by %s without target labels\n", count(r.SelectedAt), page.DASelection(r.SelectedBy))
	if r.Accuracy >= 0 {
		fmt.Fprintf(&s, "accuracy   %s on the target (an oracle that sees its labels would have picked %s)\n", percent(r.Accuracy), percent(r.Oracle))
	}
	if d.Config.Method == da.Robust {
		if r := d.Trainer.Radius(); r != nil {
			fmt.Fprintf(&s, "radius     %s\n", page.DARadius(r))
		}
		s.WriteString(Weights(d.Weights))
		if o := d.Open; o != nil && o.H >= 0 {
			fmt.Fprintf(&s, "unknown    %s of weight below %g; H-score %s (%s of those that belong to no class, and %s of the others right)\n",
				plural(o.Unknown, "sample"), da.UnknownWeight, percent(o.H), percent(o.Found), percent(o.Right))
		}
	}
	runFiles(&s, d.Run.Path(), [2]string{"run", ""}, [2]string{"predicted", page.PredictionsFile}, [2]string{"weights", page.WeightsFile}, [2]string{"page", page.RunFile})
	return s.String()
}

// GANStep is what a step reports to people: the critic is D, the generator G.
func GANStep(r gan.Record) terminal.Step {
	return terminal.Step{
		Number: r.Step, Rate: r.ImagesPerSecond,
		Values: []terminal.Value{{Name: "critic loss", Short: "D", Value: r.CriticLoss}, {Name: "generator loss", Short: "G", Value: r.GeneratorLoss}, {Name: "divergence", Short: "div", Value: r.Divergence}},
	}
}

// DAStep is what a step reports to people: the classifier is C, the
// discriminator D.
func DAStep(r da.Record) terminal.Step {
	return terminal.Step{
		Number: r.Step, Rate: r.ImagesPerSecond,
		Values: []terminal.Value{{Name: "class loss", Short: "C", Value: r.ClassLoss}, {Name: "discriminator loss", Short: "D", Value: r.CriticLoss}, {Name: "divergence", Short: "div", Value: r.Divergence}},
	}
}
