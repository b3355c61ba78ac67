// Command rot-beam answers rot's questions about tables in shards, on Apache
// Beam: embedded (prism), or on Flink, Spark and Dataflow by Beam's own flags.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"  // --runner dataflow
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"     // --runner flink
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"     // --runner prism
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"     // --runner spark
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal" // --runner universal
	"github.com/spf13/cobra"

	"rot.example/rot/beam/engine"
	"rot.example/rot/beam/store"
	"rot.example/rot/table"
)

// errAlarm ends a command whose answer has been printed with exit code 4.
var errAlarm = errors.New("drift alarm")

// errUsage is wrapped by what is wrong with a command line.
var errUsage = errors.New("usage")

// stderr is where errors go.
var stderr = os.Stderr

func main() {
	if isWorker(os.Args[1:]) {
		flag.Parse()
		if err := boot(); err != nil {
			fmt.Fprintln(os.Stderr, "rot-beam: worker:", err)
			os.Exit(1)
		}
		beam.Init() // does not return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newRoot().ExecuteContext(ctx)
	switch {
	case err == nil:
	case errors.Is(err, errAlarm):
		os.Exit(4)
	case errors.Is(err, errUsage):
		fmt.Fprintln(stderr, "rot-beam:", strings.TrimSuffix(err.Error(), ": usage"))
		os.Exit(2)
	default:
		fmt.Fprintln(stderr, "rot-beam:", err)
		os.Exit(1)
	}
}

// common are the flags that all verbs have.
type common struct {
	temp    string
	block   int64
	header  string
	json    bool
	verbose bool
}

func newRoot() *cobra.Command {
	var c common
	root := &cobra.Command{
		Use:   "rot-beam",
		Short: "rot for tables in many files, on one machine or many",
		Long: `rot-beam answers questions of rot about tables in shards. Shards are files of
CSV, TSV, JSON lines (these also as .gz) or Parquet, given by name or by
patterns, on disk or in gs:// and s3://; they are read in blocks as if they were
one file, in the order of their names.

It runs on this machine unless Beam's flags say otherwise: --runner flink
--endpoint HOST:8099, --runner dataflow --project P --region R and so on.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", err, errUsage) })
	fs := root.PersistentFlags()
	fs.SortFlags = false
	fs.StringVar(&c.temp, "temp", "", "`folder` that this process and all workers share, for results on their way (default: one of the system's)")
	fs.Int64Var(&c.block, "block", 0, "bytes a block (default: a 128th of the table, but 1 to 16 MiB)")
	fs.StringVar(&c.header, "header", "", "yes or no: whether the first line of CSV has names (default: by its looks)")
	fs.BoolVar(&c.json, "json", false, "print one JSON object")
	fs.BoolVar(&c.verbose, "verbose", false, "print what the engine has to say")
	flag.VisitAll(func(f *flag.Flag) {
		if fs.Lookup(f.Name) == nil {
			fs.AddGoFlag(f)
			if f.Name != "runner" && f.Name != "endpoint" {
				fs.Lookup(f.Name).Hidden = true
			}
		}
	})
	fs.Lookup("runner").Usage = "engine: prism (this machine), flink, spark, dataflow or universal (default prism)"
	clean := &cobra.Command{Use: "clean", Short: "Which rows do not belong?"}
	clean.AddCommand(newFit(&c), newScore(&c))
	root.AddCommand(clean, newDrift(&c), newDist(&c), newPool())
	return root
}

// job makes ready for pipelines.
func (c *common) job() (*engine.Job, func(), error) {
	if c.header != "" && c.header != "yes" && c.header != "no" {
		return nil, nil, fmt.Errorf("--header %s: want yes or no: %w", c.header, errUsage)
	}
	if !c.verbose {
		log.SetLogger(silent{})
		// Beam sets up a logger of its own on what it takes for standard error.
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return nil, nil, err
		}
		os.Stderr = null
	}
	if err := flag.CommandLine.Parse(nil); err != nil {
		return nil, nil, err
	}
	beam.Init()
	// A folder of its own within the one that is given: others may use it, too.
	if store.IsRemote(c.temp) {
		return &engine.Job{Runner: *runners.Runner, Temp: store.Join(c.temp, "rot-beam-"+rand.Text())}, func() {}, nil
	}
	if c.temp != "" {
		if err := os.MkdirAll(c.temp, 0o755); err != nil {
			return nil, nil, err
		}
	}
	dir, err := os.MkdirTemp(c.temp, "rot-beam-")
	if err != nil {
		return nil, nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, nil, err
	}
	return &engine.Job{Runner: *runners.Runner, Temp: dir}, func() { os.RemoveAll(dir) }, nil
}

// arguments reports a wrong number of arguments as wrong usage.
func arguments(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%s: %w: %w", cmd.CommandPath(), err, errUsage)
		}
		return nil
	}
}

func (c *common) tableHeader() table.Header { return table.Header(c.header) }

// silent keeps the engine quiet: what matters comes back as an error.
type silent struct{}

func (silent) Log(context.Context, log.Severity, int, string) {}

func (c *common) print(v any, text string) error {
	if !c.json {
		_, err := fmt.Print(text)
		return err
	}
	out, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(out))
	return err
}
