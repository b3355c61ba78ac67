package cli

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"rot.example/rot/worker"
)

func newWorker(std IO) *cobra.Command {
	var parent int
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Answer the requests of another program on stdin and stdout",
		Hidden: true,
		Long: `worker is what the Python package talks to: requests come as messages on stdin,
answers go to stdout (docs of the Go package worker). It ends when stdin does,
or with the process that started it.`,
		Example: "  rot worker --parent $$",
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Ctrl-C is for the program that asks, which then cancels.
			signal.Ignore(os.Interrupt)
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			if parent > 0 {
				go watchParent(ctx, parent, time.Second, cancel)
			}
			_, err := await(ctx, func() (struct{}, error) {
				return struct{}{}, worker.Serve(ctx, std.In, std.Out, &worker.Options{Version: readBuild().Version})
			})
			return err
		},
	}
	cmd.Flags().IntVar(&parent, "parent", 0, "end when the process of this number is no longer the parent")
	return cmd
}

// watchParent calls gone once the parent of this process is another than it
// was: a second line behind the end of stdin, which somebody else may hold open.
func watchParent(ctx context.Context, parent int, every time.Duration, gone func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if os.Getppid() != parent {
			gone()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
