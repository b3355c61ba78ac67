package experiments

import (
	"fmt"

	"rot.example/rot/gan"
)

var fig4 = Experiment{
	Name:   "fig4",
	Title:  "sketches with photographs among them (PACS in place of DomainNet), SN-GAN and robust SN-GAN",
	Paper:  "The paper's figure 4",
	Parts:  []string{"pacs"},
	scored: true,
	study: func(o *Options, _ string) (*study, error) {
		st := &study{title: "PACS sketches, 10 % of them photographs"}
		if err := o.missing(sketches, sketchClass, photographs); err != nil {
			return notRun(st.title, err)
		}
		c, err := ganConfig(o, "resnet")
		if err != nil {
			return nil, err
		}
		c.Data = fmt.Sprintf("stack:%s,%s", o.at(sketches), o.at(sketchClass))
		if o.Quick {
			c.Data += "[0:600]"
			c.Size = 32
		}
		c.UseLoss(gan.Hinge)
		if !o.Quick {
			c.Steps, c.Batch = 5000, 64 // of images four times as large
		}
		photos := "stack:" + o.at(photographs)
		s := setting{name: "sketches with 10 % photographs", config: c, gamma: 0.1, outliers: photos}
		models := []model{
			{name: "SN-GAN", change: func(c *gan.Config) { c.Rho = 0 }},
			matching("robust SN-GAN"),
			penalized("robust SN-GAN", 0.1),
			automatic("robust SN-GAN"),
		}
		return st, st.train(o, []setting{s}, models, newJudge(c.Data, photos), showPictures)
	},
}
