package store

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"cloud.google.com/go/storage"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/gcsx"
)

// ranged are the file systems of which a part of a file can be read; of others
// what comes before it is read, too.
var ranged = map[string]func(ctx context.Context, name string, start, n int64) (io.ReadCloser, error){
	"gs": openGCS,
}

var gcs struct {
	sync.Mutex
	client *storage.Client
}

func openGCS(ctx context.Context, name string, start, n int64) (io.ReadCloser, error) {
	bucket, object, ok := strings.Cut(strings.TrimPrefix(name, "gs://"), "/")
	if !ok {
		return nil, fmt.Errorf("%s: no object is named", name)
	}
	gcs.Lock()
	defer gcs.Unlock()
	if gcs.client == nil {
		// The client outlives the call that makes it.
		c, err := gcsx.NewClient(context.WithoutCancel(ctx), storage.ScopeReadOnly)
		if err != nil {
			if c, err = gcsx.NewUnauthenticatedClient(context.WithoutCancel(ctx)); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		gcs.client = c
	}
	r, err := gcs.client.Bucket(bucket).Object(object).NewRangeReader(ctx, start, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
