package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"github.com/spf13/cobra"
)

var provisionEndpoint = flag.String("provision_endpoint", "", "worker: provision service (given by the engine)")

// isWorker reports whether an engine has started this process as a worker.
func isWorker(args []string) bool {
	for _, a := range args {
		a = strings.TrimLeft(a, "-")
		if a == "worker" || strings.HasPrefix(a, "worker=") || strings.HasPrefix(a, "provision_endpoint") {
			return true
		}
	}
	return false
}

// boot asks the engine for what a worker has to know. An engine's PROCESS
// environment starts its command with --id and --provision_endpoint only; Beam's
// container boot asks that service for the rest, and so does this, so that the
// binary is its own boot loader and nothing need be staged.
func boot() error {
	if *provisionEndpoint == "" {
		return nil
	}
	ctx := grpcx.WriteWorkerID(context.Background(), flag.Lookup("id").Value.String())
	info, err := tools.ProvisionInfo(ctx, *provisionEndpoint)
	if err != nil {
		return err
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
	if u := info.GetStatusEndpoint().GetUrl(); u != "" {
		os.Setenv("STATUS_ENDPOINT", u)
	}
	for name, value := range map[string]string{
		"worker":           "true",
		"control_endpoint": info.GetControlEndpoint().GetUrl(),
		"logging_endpoint": info.GetLoggingEndpoint().GetUrl(),
		"options":          options,
	} {
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// newPool is the verb that serves workers to engines on other hosts.
func newPool() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "pool",
		Short: "Serve workers on this host, for --environment_type EXTERNAL",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flag.CommandLine.Parse(nil); err != nil {
				return err
			}
			beam.Init()
			srv, err := extworker.StartLoopback(cmd.Context(), port)
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "workers at", srv.EnvironmentConfig(cmd.Context()))
			<-cmd.Context().Done()
			return srv.Stop(context.Background())
		},
	}
	cmd.Flags().IntVar(&port, "port", 50000, "port to serve at")
	return cmd
}
