package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rot.example/rot/dataset"
	"rot.example/rot/features"
	"rot.example/rot/internal/text"
	tab "rot.example/rot/table"
)

func newData(std IO) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Look at data sets, spoil them, download them",
		Long: `data works on data sets themselves: info says what one is, mix builds one with
outliers in it, get downloads a public one.`,
		Example: `  rot data info today.csv
  rot data info train-images-idx3-ubyte.gz
  rot data mix synth:eight synth:far@0.05 --out dirty.csv
  rot data get mnist`,
		Args: subcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(newDataInfo(std), newDataMix(std), newDataGet(std))
	return cmd
}

type dataInfoOptions struct {
	spec   string
	tables tableFlags
	size   int
	json   bool
}

func newDataInfo(std IO) *cobra.Command {
	var o dataInfoOptions
	cmd := &cobra.Command{
		Use:   "info DATA",
		Short: "What a data set is: rows or images, columns, labels",
		Long: `info reads a data set as the other commands do and says what it found. Of a
table: the format, the number of rows, and each column with its kind, missing
cells, different values, range, and what the other commands would do with it;
duplicates, constant columns and labels. No table that can be read is refused.
Of images: their number and size, the mean and standard deviation of each
channel, duplicates and labels. It is the quickest way to see whether data are
read as they are meant.

` + text.DataSets(),
		Example: `  rot data info today.csv --label-column outlier
  rot data info features.npz:train --json
  rot data info 'features.npz:x*scale,y[domain=2][label!=0|1]'
  rot data info 'stack:data_batch_*.png,train-labels-idx1-ubyte.gz'
  rot data info photos --size 64
  rot data info synth:moons,n=500,noise=0.05`,
		Args: exactArgs("DATA"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.spec = args[0]
			if err := checkSide(o.size); err != nil {
				return err
			}
			if err := o.tables.read(cmd.Flags().Changed); err != nil {
				return err
			}
			return runDataInfo(cmd.Context(), std, o)
		},
	}
	cmd.Flags().SortFlags = false
	o.tables.bind(cmd.Flags(), tab.MissingError)
	cmd.Flags().Var(countFlag{&o.size}, "size", "resize images to so many pixels a side")
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func runDataInfo(ctx context.Context, std IO, o dataInfoOptions) error {
	p := startProgress(std)
	p.stage(reading(o.spec))
	info, err := await(ctx, func() (describer, error) {
		opts := o.tables.options(std)
		images := dataset.IsImages(o.spec)
		if err := checkKind(o.spec, images, o.size, opts); err != nil {
			return nil, err
		}
		if images {
			im, err := dataset.LoadImages(o.spec, &dataset.ImageOptions{Size: o.size, Tolerant: true, Mixed: features.MixedSide})
			if err != nil {
				return nil, err
			}
			return imagesInfo{im.Info()}, nil
		}
		info, err := dataset.Describe(o.spec, opts)
		if err != nil {
			return nil, err
		}
		return rowsInfo{info}, nil
	})
	p.stop()
	if err != nil {
		return err
	}
	if o.json {
		return std.printJSON(info)
	}
	return std.print([]byte(info.text()))
}

// A describer is a result that has a text.
type describer interface{ text() string }

type rowsInfo struct{ *dataset.Info }

func (r rowsInfo) text() string { return text.RowsInfo(r.Info) }

type imagesInfo struct{ *dataset.ImagesInfo }

func (r imagesInfo) text() string { return text.ImagesInfo(r.ImagesInfo) }

// checkSide refuses a --size that nobody means.
func checkSide(size int) error {
	if size > dataset.MaxSide {
		return usagef("--size %d: images are at most %d pixels a side", size, dataset.MaxSide)
	}
	return nil
}

// checkKind refuses flags for columns where the data are images, and a size of
// images where they are rows.
func checkKind(spec string, images bool, size int, opts *dataset.Options) error {
	switch {
	case images && (opts.IDColumn != "" || opts.LabelColumn != ""):
		return fmt.Errorf("%s: --id-column and --label-column are for rows of numbers, and these are images", spec)
	case !images && size > 0:
		return fmt.Errorf("%s: --size is for images, and these are rows of numbers", spec)
	}
	return nil
}
