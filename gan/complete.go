package gan

import (
	"cmp"
	"slices"

	"rot.example/rot/dataset"
	"rot.example/rot/train"
)

// Complete sets the fields of c that are zero to what suits the others, and
// checks all of them; its errors are FieldErrors of package train, joined. Only
// Data has to be set:
//
//   - Preset is mlp for points and tiny for images;
//   - Weights are transport, or net where there is a radius for the samples,
//     TargetRho, or the constraint penalty, which only that knows;
//   - with weights by transport the radius is automatic, RhoAuto, unless Rho is
//     set; with others it is the preset's, and 0 for the unbalanced losses;
//   - CriticSteps is what suits the loss (see UseLoss);
//   - WeightLR is LR, if that is set;
//   - SampleEvery is a tenth of Steps;
//   - everything else is the preset's.
//
// Zero and false are values too: a plain GAN has Rho 0. A field that given
// names, by its name in config.json, stays as it is, so that
//
//	c := gan.Config{Data: "photos/"}
//	err := c.Complete("rho")
//
// is a plain GAN on the photos.
func (c *Config) Complete(given ...string) error {
	if err := c.checkData(); err != nil {
		return err
	}
	if c.Preset == "" {
		c.Preset = "mlp"
		if dataset.IsImages(c.Data) {
			c.Preset = "tiny"
		}
	}
	if c.Features == noFeatures {
		c.Features = ""
	}
	usual, err := Preset(c.Preset)
	if err != nil {
		return err
	}
	if c.TargetRho == 0 && c.Constraint != Penalty {
		usual.Weights = WeightTransport
	}
	radius := c.Rho != 0 || slices.Contains(given, "rho") || slices.Contains(given, "rho_auto")
	if cmp.Or(c.Weights, usual.Weights) == WeightTransport && !radius && !c.unbalanced() {
		c.RhoAuto = true
	}
	if c.RhoAuto || c.unbalanced() {
		usual.Rho = 0
	}
	if c.LR != 0 {
		usual.WeightLR = c.LR
	}
	steps := c.CriticSteps != 0 || slices.Contains(given, "critic_steps")
	if err := train.FillZeros(c, usual, given); err != nil {
		return err
	}
	if !steps {
		c.UseLoss(c.Loss)
	}
	if c.SampleEvery == 0 && !slices.Contains(given, "sample_every") {
		c.SampleEvery = max(1, c.Steps/10)
	}
	return c.Validate()
}

// checkData checks what names the data.
func (c *Config) checkData() error {
	f := &train.Faults{Package: "gan"}
	f.Data("data", c.Data)
	f.Outliers("outliers", c.Outliers)
	return f.Err()
}
