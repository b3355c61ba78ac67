// Package cli is the command line of rot: one file a verb, and around them
// what all verbs share.
//
// A verb is a constructor newXxx that binds flags, an options struct whose
// method resolve checks the command line as a whole, and a function runXxx
// that does the work and that tests call directly. Whatever the command line
// alone can tell is a usage error; whatever needs a look at a file is not.
// Files appear complete or not at all, and only when everything has worked.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"rot.example/rot/internal/plain"
	"rot.example/rot/ot"
)

// The exit codes of the command line.
const (
	ExitOK           = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitNotConverged = 3 // the best certified answer has been printed; also after an interrupt
	ExitAlarm        = 4 // the answer has been printed: the data has moved
)

// Main runs the command line args, without the name of the program, and
// returns the exit code. An interrupt, a request to terminate or the end of the
// terminal cancels what is going on; a second one kills the process.
func Main(args []string, std IO) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop)
	return run(ctx, args, std)
}

func run(ctx context.Context, args []string, std IO) (code int) {
	defer func() {
		if p := recover(); p != nil {
			// Left alone it would end in exit code 2, which means usage.
			fmt.Fprintf(std.Err, "rot: internal error: %v\n%s", p, debug.Stack())
			code = ExitFailed
		}
	}()
	std.args = args
	std.Err = plain.NewWriter(std.Err)
	root := newRoot(std)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	return conclude(ctx, std, cmd.CommandPath(), err)
}

// conclude reports err, which the command path ended with, and turns it into
// an exit code.
func conclude(ctx context.Context, std IO, path string, err error) int {
	var usage *usageError
	var short *ot.ConvergenceError
	var stopped *interruptedError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &stopped):
		fmt.Fprintln(std.Err, "rot: interrupted; the bounds reached so far are printed, no file was written")
		return ExitNotConverged
	case errors.Is(err, errAlarm):
		return ExitAlarm
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		fmt.Fprintln(std.Err, "rot: interrupted")
		return ExitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(std.Err, "rot: %s\nRun '%s --help' for usage.\n", plainText(err), path)
		return ExitUsage
	case errors.As(err, &short):
		fmt.Fprintf(std.Err, "rot: not converged: %s\n", plainText(err))
		return ExitNotConverged
	}
	fmt.Fprintf(std.Err, "rot: %s%s\n", flagText(err), std.tableHint(err))
	return ExitFailed
}

// packages start the errors of libraries.
var packages = []string{
	"ot: ", "chisq: ", "dataset: ", "table: ", "figure: ", "train: ", "gan: ", "da: ", "engine: ", "clean: ", "drift: ", "features: ", "metrics: ",
	"experiments: ", "fetch: ", "page: ", "report: ", "runs: ", "nn: ", "dashboard: ", "worker: ",
}

// plainText is the message of err on one line, without the packages that
// library errors start with: to a user all of them are rot.
func plainText(err error) string {
	var texts []string
	for _, err := range joined(err) {
		text := strings.ReplaceAll(err.Error(), "\n", " ")
		for _, pkg := range packages {
			text = strings.TrimPrefix(text, pkg)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// A usageError is a command line that makes no sense, whatever the files hold.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

// An interruptedError is an interrupt after which an answer was printed.
type interruptedError struct{ error }

func (e *interruptedError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

func newRoot(std IO) *cobra.Command {
	root := &cobra.Command{
		Use:   "rot",
		Short: "Optimal transport that ignores outliers",
		Long: `rot measures how far apart two samples are when some of the rows are garbage,
and says which rows those are.

It reweights rows within a chi-square ball of radius ρ around their weights,
(1/2n) Σ (wᵢ − 1)² ≤ ρ, and moves what is left at the lowest cost. An outlier
fraction γ needs the radius ρ = γ / (2(1 − γ)). With the same weights it trains
GANs and classifiers on dirty data.`,
		Example: `  rot demo
  rot dist today.csv reference.csv --gamma 0.05
  rot curve today.csv reference.csv --plot curve.png
  rot clean measurements.csv
  rot gan train --data photos/ --gamma 0.05
  rot da train --source labelled.csv --target other.csv --label-column class`,
		Version:       readBuild().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          subcommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	root.SetVersionTemplate("rot {{.Version}}\n")
	root.SuggestionsMinimumDistance = 2
	bindMaxMemory(root.PersistentFlags())
	root.AddCommand(newDemo(std), newDist(std), newCurve(std), newCertify(std), newDrift(std), newClean(std), newGAN(std), newDA(std), newReproduce(std), newRuns(std), newServe(std), newData(std), newVersion(std), newWorker(std), newRhoTopic())
	completeNames(root)
	return root
}

// Root is the command rot with all that is below it, for programs that write its
// documentation.
func Root() *cobra.Command {
	return newRoot(IO{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
}

// subcommand refuses the arguments of a command that only has subcommands.
func subcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("%q is not a command of %s", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("%s", msg)
}

// exactArgs demands the named arguments, and no others.
func exactArgs(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return checkArgs(cmd.Name(), names, args) }
}

func checkArgs(verb string, names, args []string) error {
	switch {
	case len(args) == 0 && len(names) > 0:
		return usagef("%s needs %s", verb, strings.Join(names, " and "))
	case len(args) < len(names):
		return usagef("%s needs %s; %s is missing", verb, strings.Join(names, " and "), strings.Join(names[len(args):], " and "))
	case len(args) > len(names) && len(names) == 0:
		return usagef("%s takes no arguments, got %q", verb, args[0])
	case len(args) > len(names):
		return usagef("%s takes %s only, got %q as well", verb, strings.Join(names, " and "), args[len(names)])
	}
	return nil
}
