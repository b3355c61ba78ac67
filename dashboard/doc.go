// Package dashboard serves a web page over a folder of runs: what each of them
// is doing, its curves, samples and weights as they come, how runs differ, and
// the pages beside them.
//
//	s, err := dashboard.New("runs", nil)
//	defer s.Close()
//	l, err := net.Listen("tcp", "127.0.0.1:8080")
//	err = s.Serve(ctx, l) // until ctx is cancelled
//
// A Server is an http.Handler, too. It only reads.
//
// # Addresses
//
//	/                              the page
//	/api/runs                      all runs, as runs.Summary
//	/api/runs/NAME                 one, with its configuration and files
//	/api/runs/NAME/metrics         its curves; ?version=V&from=K: what is new
//	/api/runs/NAME/weights         histogram of its weights
//	/api/compare?run=A&run=B       where their configurations differ
//	/api/reports                   pages in HTML or Markdown, wherever they are
//	/reports/PATH                  one of these
//	/api/events                    what changes, as server-sent events
//	/runs/NAME/files/PATH          a file of a run
//	/files/PATH                    a file of the folder
//
// # Who can see what
//
// Whoever can connect sees the whole folder, and nothing else: files are opened
// through an os.Root, so no path and no symbolic link leads out of it. Hidden
// files and what is not a regular file are not served. A request must name the
// server by an IP address, as localhost, or by one of Options.Hosts; otherwise
// a web page elsewhere could give its own name the server's address and read
// along. Pages are shown in an origin of their own, from which their scripts
// reach nothing.
package dashboard
