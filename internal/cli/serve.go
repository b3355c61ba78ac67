package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"rot.example/rot/dashboard"
)

type serveOptions struct {
	addr, runs string
	anywhere   bool
	hosts      []string
}

func newServe(std IO) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "A web page over the runs: curves, samples and weights as they come",
		Long: `serve shows a folder of runs in a browser: what each is doing, its losses,
the divergence of its weights and throughput, its samples over time, the
histogram of its weights, its configuration; runs side by side with what differs
between them; and the pages below the folder: report.html, results.html,
results.md. The dashboard follows a run as it trains.

It only reads, and only in that folder. It listens on 127.0.0.1, which is this
machine alone; from another one, use ssh -L 8080:localhost:8080. Any other
address needs --listen-anywhere: whoever reaches it then sees all runs, as there
is no password. A browser must then call the server by its IP address, by the
name of this machine or by a name given with --host.

It prints the address of the page and serves until it is interrupted. Port 0
picks a free one.`,
		Example: `  rot serve
  rot serve --runs results --addr 127.0.0.1:0
  rot serve --addr 0.0.0.0:8080 --listen-anywhere --host lab.example.org`,
		Args: exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runServe(cmd.Context(), std, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8080", "`ADDRESS:PORT` to listen on; without the address it is 127.0.0.1")
	f.StringVar(&o.runs, "runs", "runs", "`folder` of the runs")
	f.BoolVar(&o.anywhere, "listen-anywhere", false, "let --addr be one that other machines reach")
	f.StringSliceVar(&o.hosts, "host", nil, "another `name` that browsers know this machine by")
	return cmd
}

// resolve checks the address and fills it in.
func (o *serveOptions) resolve() error {
	host, port, err := net.SplitHostPort(o.addr)
	if err != nil {
		return usagef("--addr %s: want ADDRESS:PORT, as in 127.0.0.1:8080", o.addr)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		return usagef("--addr %s: the port must be a number from 0 to 65535", o.addr)
	} else if port = strconv.FormatUint(n, 10); host == "" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil && !strings.EqualFold(host, "localhost") && !o.anywhere {
		return usagef("--addr %s: %s may be an address that other machines reach; name one of this machine, or add --listen-anywhere", o.addr, host)
	}
	if err == nil && !ip.Unmap().IsLoopback() && !o.anywhere {
		return usagef("--addr %s: other machines reach that address, and whoever does sees all runs; if that is what you want, add --listen-anywhere", o.addr)
	}
	o.addr = net.JoinHostPort(host, port)
	return nil
}

func runServe(ctx context.Context, std IO, o serveOptions) error {
	if err := o.resolve(); err != nil {
		return err
	}
	if o.anywhere {
		if name, err := os.Hostname(); err == nil {
			o.hosts = append(o.hosts, name)
		}
	}
	s, err := dashboard.New(o.runs, &dashboard.Options{Hosts: o.hosts})
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--runs %s: there is no such folder", o.runs)
	}
	if err != nil {
		return fmt.Errorf("--runs %s: %w", o.runs, cause(err))
	}
	defer s.Close()
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", o.addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("--addr %s: another program listens there; choose another port, or 0 for any that is free", o.addr)
	}
	if err != nil {
		return fmt.Errorf("--addr %s: %w", o.addr, cause(err))
	}
	if err := std.print([]byte(dashboard.URL(l.Addr()) + "\n")); err != nil {
		l.Close()
		return err
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		fmt.Fprintln(std.Err, "rot: other machines can reach this page, and there is no password")
	}
	fmt.Fprintf(std.Err, "rot: showing %s; Ctrl-C ends it\n", o.runs)
	return s.Serve(ctx, l)
}

// cause is what is at the bottom of err, without the operations and names that
// the system puts around it.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}
