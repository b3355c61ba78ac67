package store

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"cloud.google.com/go/storage"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/gcsx"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// ranged are the file systems of which a part of a file can be read; of others
// what comes before it is read, too.
var ranged = map[string]func(ctx context.Context, name string, start, n int64) (io.ReadCloser, error){
	"gs": openGCS,
	"s3": openS3,
}

// maxRange is more bytes than any object has.
const maxRange = 1 << 60

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
	if n > maxRange {
		n = -1 // to the end
	}
	r, err := gcs.client.Bucket(bucket).Object(object).NewRangeReader(ctx, start, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

var amazon struct {
	sync.Mutex
	client *s3.Client
}

func openS3(ctx context.Context, name string, start, n int64) (io.ReadCloser, error) {
	bucket, object, ok := strings.Cut(strings.TrimPrefix(name, "s3://"), "/")
	if !ok {
		return nil, fmt.Errorf("%s: no object is named", name)
	}
	amazon.Lock()
	if amazon.client == nil {
		cfg, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			amazon.Unlock()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		amazon.client = s3.NewFromConfig(cfg)
	}
	client := amazon.client
	amazon.Unlock()
	part := fmt.Sprintf("bytes=%d-", start)
	if n <= maxRange {
		part += fmt.Sprint(start + n - 1)
	}
	out, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &object, Range: &part})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out.Body, nil
}
