package experiments

import "fmt"

// longSteps are the paper's: ten times as many as in the other experiments.
const longSteps = 10 * ganSteps

// long asks whether what a tenth of the training shows holds at its end.
var long = Experiment{
	Name:   "long",
	Title:  "the paper's length, 100 000 critic steps, beside a tenth of it: WGAN and robust WGAN on CIFAR-10, clean and with 5 % MNIST digits",
	Paper:  "The length of the runs of the paper's figure 2 and table 1",
	Parts:  []string{"dcgan", "resnet"},
	scored: true,
	study: func(o *Options, part string) (*study, error) {
		st := &study{title: "CIFAR-10, " + part + ", with a running mean of the generator (0.999)"}
		if err := cifarMissing(o); err != nil {
			return notRun(st.title, err)
		}
		lengths := []int{ganSteps, longSteps}
		if o.Quick {
			lengths = []int{40, 80}
		}
		var settings []setting
		for _, gamma := range []float64{0, 0.05} {
			for _, steps := range lengths {
				s, err := cifar(o, part, o.at(mnistImages), gamma)
				if err != nil {
					return nil, err
				}
				s.name += fmt.Sprintf(", %d steps", steps)
				s.config.Steps, s.config.EMA = steps, 0.999
				s.config.SampleEvery, s.config.LogEvery = steps, max(1, steps/200)
				settings = append(settings, s)
			}
		}
		one := *o
		one.Seeds = 1
		return st, st.train(&one, settings, []model{plainAndRobust(0)[0], automatic("robust WGAN")}, cifarJudge(o), showPictures)
	},
}
