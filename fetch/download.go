package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// mostUnknown is the size of a download at most of which no size is published.
const mostUnknown = 256 << 20

var (
	errSilent = errors.New("the server has sent nothing for a while")
	errPage   = errors.New("the server sent a web page instead of the file")
)

// tooLarge reports a server that sends more than there is.
func tooLarge(most int64) error {
	return fmt.Errorf("the server sends more than the %d bytes that the file may have", most)
}

// download appends to part what is missing of it.
func (f *file) download(ctx context.Context, url, part string, o *Options) error {
	out, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer out.Close()
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if f.size > 0 && have == f.size {
		return nil // all of it, and only the check was missing
	}
	if f.size > 0 && have > f.size {
		have = 0
	}
	// Whatever waits for the server is given up when nothing comes for a while.
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	alarm := time.AfterFunc(o.Silence, func() { giveUp(errSilent) })
	defer alarm.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept-Encoding", "identity") // the hash is of the file as it is
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	res, err := o.Client.Do(req)
	if err != nil {
		return blame(ctx, err)
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusOK:
		have = 0 // from the start, whatever was asked
	case res.StatusCode == http.StatusPartialContent && strings.HasPrefix(res.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		// There is no more of it: it is complete, or was never right.
		return nil
	default:
		return fmt.Errorf("the server answered %s", res.Status)
	}
	most := cmp.Or(f.size, mostUnknown)
	if res.ContentLength > most-have {
		return tooLarge(most)
	}
	if kind := res.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return errPage
	}
	if err := out.Truncate(have); err != nil {
		return err
	}
	if _, err := out.Seek(have, io.SeekStart); err != nil {
		return err
	}
	total := f.size
	if total == 0 && res.ContentLength > 0 {
		total = have + res.ContentLength
	}
	w := &counted{w: out, done: have, report: func(done int64) {
		alarm.Reset(o.Silence)
		if o.Progress != nil {
			o.Progress(f.name, done, total)
		}
	}}
	_, err = io.Copy(w, io.LimitReader(res.Body, most-have+1)) // more than that is no reason to fill the disk
	if err == nil && w.done > most {
		err = errors.Join(tooLarge(most), out.Truncate(0))
	}
	if err == nil && w.done < cmp.Or(f.size, total) {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(blame(ctx, err), out.Sync())
}

// blame is err, or why ctx was given up when that is the reason for it.
func blame(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// counted reports what is written to it.
type counted struct {
	w      io.Writer
	done   int64
	report func(done int64)
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.done += int64(n)
	c.report(c.done)
	return n, err
}
