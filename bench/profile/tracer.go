//go:build cgo && linux && amd64

package main

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

// The parts of PJRT's interface that lead to its tracer.
typedef struct extension {
  size_t struct_size;
  int type;
  struct extension *next;
} extension;

typedef struct {
  size_t struct_size;
  extension *extensions;
} plugin_api;

typedef void *(*call)(void *);

typedef struct {
  size_t struct_size;
  void *priv;
  call error_destroy, error_message, error_code, create, destroy, start, stop, collect;
} tracer_api;

typedef struct {
  extension base;
  tracer_api *api;
} tracer_extension;

enum { TRACER_EXTENSION = 1 };

static tracer_api *find_tracer(const char *path) {
  void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL); // it is loaded already
  plugin_api *(*get)(void) = lib ? (plugin_api * (*)(void)) dlsym(lib, "GetPjrtApi") : NULL;
  if (!get) return NULL;
  for (extension *e = get()->extensions; e; e = e->next)
    if (e->type == TRACER_EXTENSION) return ((tracer_extension *)e)->api;
  return NULL;
}

static int new_tracer(tracer_api *api, char *options, size_t size, void **tracer) {
  struct { size_t struct_size; const char *options; size_t size; void *tracer; } args = {sizeof args, options, size, NULL};
  void *error = api->create(&args);
  *tracer = args.tracer;
  return error == NULL;
}

static int tell_tracer(tracer_api *api, void *tracer, int start) {
  struct { size_t struct_size; void *tracer; } args = {sizeof args, tracer};
  return (start ? api->start : api->stop)(&args) == NULL;
}

// The header says to call twice, with a buffer the second time; XLA's own
// plugins hand out a buffer of theirs the first time, and nothing later.
static int collect_trace(tracer_api *api, void *tracer, uint8_t **buffer, size_t *size) {
  struct { size_t struct_size; void *tracer; uint8_t *buffer; size_t size; } args = {sizeof args, tracer, *buffer, *size};
  void *error = api->collect(&args);
  *buffer = args.buffer;
  *size = args.size;
  return error == NULL;
}
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"strings"
	"unsafe"
)

// A tracer is XLA's, of a plugin that is in use.
type tracer struct {
	api    *C.tracer_api
	handle unsafe.Pointer
}

// startTracer starts the tracer of a plugin, given by its file.
func startTracer(file string) (*tracer, error) {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	t := &tracer{api: C.find_tracer(path)}
	if t.api == nil {
		return nil, errors.New("the plugin has no tracer")
	}
	// ProfileOptions: version 1, no host events, device events.
	options := C.CBytes([]byte{5 << 3, 1, 2 << 3, 0, 3 << 3, 1})
	defer C.free(options)
	if C.new_tracer(t.api, (*C.char)(options), 6, &t.handle) == 0 {
		return nil, errors.New("the plugin's tracer cannot be made")
	}
	if C.tell_tracer(t.api, t.handle, 1) == 0 {
		return nil, errors.New("the plugin's tracer does not start")
	}
	return t, nil
}

func (t *tracer) stop() error {
	if C.tell_tracer(t.api, t.handle, 0) == 0 {
		return errors.New("the plugin's tracer does not stop")
	}
	return nil
}

// collect returns the trace, an XSpace message.
func (t *tracer) collect() ([]byte, error) {
	var buffer *C.uint8_t
	var size C.size_t
	if C.collect_trace(t.api, t.handle, &buffer, &size) == 0 || size == 0 {
		return nil, errors.New("the plugin's tracer has no trace")
	}
	if buffer == nil {
		buffer = (*C.uint8_t)(C.malloc(size))
		defer C.free(unsafe.Pointer(buffer))
		if C.collect_trace(t.api, t.handle, &buffer, &size) == 0 {
			return nil, errors.New("the plugin's tracer does not hand its trace over")
		}
	}
	return C.GoBytes(unsafe.Pointer(buffer), C.int(size)), nil
}

var errTrace = errors.New("the trace is damaged")

// A field of a protocol buffer: a number, or bytes.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

// fields returns those of a message.
func fields(message []byte) (out []field, err error) {
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		if n <= 0 {
			return nil, errTrace
		}
		if tag == 0 {
			break // what the plugin hands over ends with a zero
		}
		message = message[n:]
		f := field{number: int(tag >> 3)}
		skip := 0
		switch tag & 7 {
		case 0:
			f.value, skip = binary.Uvarint(message)
		case 1:
			skip = 8
		case 2:
			size, n := binary.Uvarint(message)
			if n <= 0 || uint64(len(message)-n) < size {
				return nil, errTrace
			}
			f.bytes, skip = message[n:n+int(size)], n+int(size)
		case 5:
			skip = 4
		}
		if skip <= 0 || skip > len(message) {
			return nil, errTrace
		}
		message = message[skip:]
		out = append(out, f)
	}
	return out, nil
}

// kernels returns what ran on the GPU's streams, by an XSpace message.
func kernels(space []byte) (events []event, err error) {
	var zero uint64
	planes, err := fields(space)
	if err != nil {
		return nil, err
	}
	for _, p := range planes {
		if p.number != 1 {
			continue
		}
		plane, err := fields(p.bytes)
		if err != nil {
			return nil, err
		}
		names, isGPU := map[uint64]string{}, false
		for _, f := range plane {
			switch f.number {
			case 2:
				isGPU = strings.HasPrefix(string(f.bytes), "/device:GPU")
			case 4: // an entry of a map from numbers to names
				id, name, err := eventName(f.bytes)
				if err != nil {
					return nil, err
				}
				names[id] = name
			}
		}
		for _, f := range plane {
			if !isGPU || f.number != 3 {
				continue
			}
			line, err := lineEvents(f.bytes, names, &zero)
			if err != nil {
				return nil, err
			}
			events = append(events, line...)
		}
	}
	return events, nil
}

func eventName(entry []byte) (id uint64, name string, err error) {
	outer, err := fields(entry)
	if err != nil {
		return 0, "", err
	}
	for _, f := range outer {
		if f.number == 1 {
			id = f.value
		}
		if f.number != 2 {
			continue
		}
		inner, err := fields(f.bytes)
		if err != nil {
			return 0, "", err
		}
		for _, g := range inner {
			if g.number == 2 {
				name = string(g.bytes)
			}
		}
	}
	return id, name, nil
}

// lineEvents returns the events of a stream. Their times count from zero, in
// nanoseconds, which the first stream sets.
func lineEvents(message []byte, names map[uint64]string, zero *uint64) (events []event, err error) {
	line, err := fields(message)
	if err != nil {
		return nil, err
	}
	var name string
	var begin float64
	for _, f := range line {
		switch f.number {
		case 2:
			name = string(f.bytes)
		case 3:
			if *zero == 0 {
				*zero = f.value
			}
			begin = float64(int64(f.value-*zero)) * 1e-9
		}
	}
	if !strings.HasPrefix(name, "Stream") {
		return nil, nil
	}
	for _, f := range line {
		if f.number != 4 {
			continue
		}
		parts, err := fields(f.bytes)
		if err != nil {
			return nil, err
		}
		var e event
		for _, g := range parts {
			switch g.number {
			case 1:
				e.name = names[g.value]
			case 2:
				e.start = begin + float64(g.value)*1e-12
			case 3:
				e.end = float64(g.value) * 1e-12
			}
		}
		e.end += e.start
		events = append(events, e)
	}
	return events, nil
}
