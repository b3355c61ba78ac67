package experiments

import (
	"fmt"
	"strings"

	"rot.example/rot/da"
	"rot.example/rot/dataset"
)

// pairsOf returns the tasks of a part, and a study that has its title and notes;
// no tasks, and why, where its data are missing.
func pairsOf(o *Options, part string) ([]pair, *study, error) {
	switch part {
	case "digits":
		return digitPairs(o)
	case "surf":
		return tablePairs(o, part, "Office-Caltech10, SURF features", "office-caltech10/surf.npz", func(file, domain string) string {
			return fmt.Sprintf("%s:%s_x,%[2]s_y", file, domain)
		}, office, 1)
	case "efficientnet":
		return tablePairs(o, part, "Office-Caltech10, EfficientNet-Lite4 features", "office-caltech10/efficientnet_lite4_f16.npz", numbered("features,label", office), office, 0)
	case "pacs":
		return tablePairs(o, part, "PACS, MobileNetV2 features", "pacs/mobilenetv2_u8.npz", numbered("features*scale,label", styles), styles, 0)
	case "visda":
		return visdaPairs(o)
	}
	return nil, nil, fmt.Errorf("experiments: no data for %q", part)
}

var (
	office = domains{names: []string{"amazon", "caltech10", "dslr", "webcam"}, classes: 10}
	styles = domains{names: []string{"art", "cartoon", "photo", "sketch"}, classes: 7}
)

// domains are the names of a data set's domains and the number of its classes.
type domains struct {
	names   []string
	classes int
}

// numbered returns a function that names the rows of a domain in an archive that numbers them.
func numbered(arrays string, d domains) func(file, domain string) string {
	return func(file, domain string) string {
		for i, n := range d.names {
			if n == domain {
				return fmt.Sprintf("%s:%s[domain=%d]", file, arrays, i)
			}
		}
		panic("experiments: no domain " + domain)
	}
}

// tablePairs returns the pairs of feature vectors: clean, with 15 % of the target made
// of noise, and with two classes left out of the source: those at 2·seed and
// 2·seed+1, round the classes.
func tablePairs(o *Options, set, title, file string, spec func(file, domain string) string, d domains, firstLabel int) ([]pair, *study, error) {
	if err := o.missing(file); err != nil {
		st, err := notRun(title, err)
		return nil, st, err
	}
	st := &study{title: title}
	st.notes = append(st.notes, "Open set: two classes are left out of the source, others at each seed. Contaminated, in table 2: 15 % of the target are rows of noise, uniform in the box that holds the good ones.")
	path := o.at(file)
	var pairs []pair
	for _, form := range []string{clean, contaminated, openSet} {
		for _, from := range d.names {
			for _, to := range d.names {
				if from == to {
					continue
				}
				c, err := paperForm("mlp")
				if err != nil {
					return nil, nil, err
				}
				c.Source, c.Target = spec(path, from), spec(path, to)
				shorten(o, &c)
				if form == contaminated {
					c.Outliers = dataset.Uniform + "@0.15"
				}
				p := pair{set: set, from: from, to: to, form: form, config: c}
				if form == openSet {
					p.open = func(seed int) string {
						a, b := 2*seed%d.classes, (2*seed+1)%d.classes
						label := "label"
						if set == "surf" {
							label = from + "_y"
						}
						return fmt.Sprintf("%s[%s!=%d|%d]", c.Source, label, a+firstLabel, b+firstLabel)
					}
				}
				pairs = append(pairs, p)
			}
		}
	}
	if o.Quick {
		pairs = []pair{pairs[0], pairs[len(pairs)/3], pairs[2*len(pairs)/3]}
	}
	return pairs, st, nil
}

// digitPairs returns the pairs of digit images, clean and with 15 % photographs.
func digitPairs(o *Options) ([]pair, *study, error) {
	st := &study{title: "Digits, LeNet from scratch"}
	const (
		mnist  = "mnist/train-images-idx3-ubyte.gz"
		mnistM = "mnist-m/train.png"
		photos = "cifar10/data_batch_1.png"
	)
	if err := o.missing(mnist, uspsImages, mnistM, photos); err != nil {
		st, err := notRun(st.title, err)
		return nil, st, err
	}
	spec := map[string]string{
		"MNIST":   o.at(mnist) + "[0:20000]",
		"USPS":    o.at(uspsImages),
		"MNIST-M": fmt.Sprintf("stack:%s,%s", o.at(mnistM), o.at("mnist-m/train-labels-idx1-ubyte.gz")),
	}
	st.notes = append(st.notes, "The first 20 000 images of MNIST, the 7 291 of USPS's training set and the first 5 000 of MNIST-M's. Contaminated: 15 % of the target are CIFAR-10 photographs, in the target's size and colours.")
	var pairs []pair
	for _, form := range []string{clean, contaminated} {
		for _, p := range []string{"MNIST USPS", "USPS MNIST", "MNIST MNIST-M"} {
			from, to, _ := strings.Cut(p, " ")
			c, err := paperForm("lenet")
			if err != nil {
				return nil, nil, err
			}
			c.Zoom = 1.5 // the digits of USPS fill the frame, those of MNIST 20 of its 28 pixels
			c.Source, c.Target = spec[from], spec[to]
			if form == contaminated {
				c.Outliers = fmt.Sprintf("stack:%s@0.15", o.at(photos))
			}
			shorten(o, &c)
			pairs = append(pairs, pair{set: "digits", from: from, to: to, form: form, config: c})
		}
	}
	if o.Quick {
		pairs = []pair{pairs[0], pairs[3]}
	}
	return pairs, st, nil
}

// paperForm returns the usual configuration of a network without self-training,
// which a column turns on.
func paperForm(net string) (da.Config, error) {
	c, err := da.Preset(net)
	c.NoSelfTraining()
	return c, err
}

// shorten makes a run quick, if it is to be.
func shorten(o *Options, c *da.Config) {
	if o.Quick {
		c.Steps, c.WarmUp, c.BankEvery, c.EvalEvery, c.Batch = 100, 40, 20, 50, 32
	}
}
