package da

import (
	"slices"

	"rot.example/rot/dataset"
	"rot.example/rot/train"
)

// Complete sets the fields of c that are zero to what suits the others, and
// checks all of them; its errors are FieldErrors of package train, joined. Only
// Source and Target have to be set:
//
//   - Net is mlp for feature vectors and lenet for images;
//   - the automatic radius, RhoAuto, implies Rho 0 until it is chosen;
//   - methods other than Robust do without self-training (see NoSelfTraining);
//   - WarmUp, SelfFrom, BankEvery and EvalEvery have the same share of Steps as
//     in the network's usual run;
//   - everything else is the network's (see Preset).
//
// Zero and false are values too: a run without a warm-up has WarmUp 0. A field
// that given names, by its name in config.json, stays as it is, so that
//
//	c := da.Config{Source: "photos/", Target: "sketches/"}
//	err := c.Complete("warm_up")
//
// weighs the sketches from the first step on.
func (c *Config) Complete(given ...string) error {
	if err := c.checkData(); err != nil {
		return err
	}
	if c.Net == "" {
		c.Net = "mlp"
		if dataset.IsImages(c.Source) {
			c.Net = "lenet"
		}
	}
	usual, err := Preset(c.Net)
	if err != nil {
		return err
	}
	if c.RhoAuto {
		usual.Rho = 0
	}
	if c.SelfTrain == 0 && (c.Method != "" && c.Method != Robust || slices.Contains(given, "self_train")) {
		usual.NoSelfTraining()
	}
	if c.Steps > 0 {
		share := func(steps int) int { return max(1, steps*c.Steps/usual.Steps) }
		usual.WarmUp, usual.BankEvery, usual.EvalEvery = share(usual.WarmUp), share(usual.BankEvery), share(usual.EvalEvery)
		if usual.SelfFrom > 0 {
			usual.SelfFrom = share(usual.SelfFrom)
		}
	}
	if err := train.FillZeros(c, usual, given); err != nil {
		return err
	}
	return c.Validate()
}

// checkData checks what names the data.
func (c *Config) checkData() error {
	f := &train.Faults{Package: "da"}
	f.Data("source", c.Source)
	f.Data("target", c.Target)
	f.Outliers("outliers", c.Outliers)
	return f.Err()
}
