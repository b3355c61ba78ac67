//go:build cgo && linux && amd64

package engine

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "pjrt.h"

static inline pjrt_api *rot_open(const char *path) {
  void *lib = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  pjrt_api *(*get)(void) = lib ? (pjrt_api * (*)(void)) dlsym(lib, "GetPjrtApi") : NULL;
  return get ? get() : NULL;
}

static inline void *rot_call(const pjrt_api *api, int function, void *args) {
  return ((void *(*)(void *))api->functions[function])(args);
}

static inline void rot_drop_error(const pjrt_api *api, void *error) {
  pjrt_destroy_args args = {sizeof args, NULL, error};
  ((void (*)(void *))api->functions[PJRT_ERROR_DESTROY])(&args);
}

// rot_load makes a loaded program of bytes; NULL where the plugin refuses them.
static inline void *rot_load(const pjrt_api *api, void *client, const char *bytes, size_t size) {
  pjrt_load_args args = {sizeof args, NULL, client, bytes, size, NULL, NULL, 0};
  void *error = rot_call(api, PJRT_DESERIALIZE_AND_LOAD, &args);
  if (error) {
    rot_drop_error(api, error);
    return NULL;
  }
  return args.loaded;
}

// rot_save fills args with the bytes of a loaded program; 0 where the plugin
// refuses.
static inline int rot_save(const pjrt_api *api, void *loaded, pjrt_serialize_args *args) {
  pjrt_get_executable_args get = {sizeof get, NULL, loaded, NULL};
  void *error = rot_call(api, PJRT_LOADED_GET_EXECUTABLE, &get);
  if (!error) {
    memset(args, 0, sizeof *args);
    args->struct_size = sizeof *args;
    args->executable = get.executable;
    error = rot_call(api, PJRT_EXECUTABLE_SERIALIZE, args);
    pjrt_destroy_args done = {sizeof done, NULL, get.executable};
    void *ignored = rot_call(api, PJRT_EXECUTABLE_DESTROY, &done);
    if (ignored) rot_drop_error(api, ignored);
  }
  if (error) {
    rot_drop_error(api, error);
    return 0;
  }
  return 1;
}

static inline void rot_saved(pjrt_serialize_args *args) { args->free_owner(args->owner); }

static inline void rot_version(const pjrt_api *api, void *client, pjrt_version_args *args) {
  memset(args, 0, sizeof *args);
  args->struct_size = sizeof *args;
  args->client = client;
  void *error = rot_call(api, PJRT_CLIENT_PLATFORM_VERSION, args);
  if (error) {
    rot_drop_error(api, error);
    args->text_size = 0;
  }
}
*/
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/gomlx/go-xla/pjrt"
)

// front is the plugin that functions of ours stand in front of: the first one
// opened for a GPU. Go-xla keeps plugins for the life of the process, too.
var front struct {
	sync.Mutex
	file  string
	api   *C.pjrt_api // the plugin's own
	store *programStore
}

// standInFront opens a plugin for go-xla with functions in front of its own: a
// compiler that looks into the store first, if there is one, and calls that do not
// wait for the GPU (pjrt.c). Go-xla then finds the plugin by the path.
func standInFront(file string, store *programStore) error {
	front.Lock()
	defer front.Unlock()
	if front.api != nil {
		if front.file == file {
			front.store = store
		}
		return nil
	}
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	api := C.rot_open(path)
	if api == nil {
		return errors.New("the plugin cannot be opened")
	}
	if api.version.major != 0 || uintptr(api.struct_size) < unsafe.Sizeof(*api)+C.PJRT_FUNCTIONS_USED*unsafe.Sizeof(uintptr(0)) {
		return errors.New("the plugin's interface is another than that of PJRT 0")
	}
	table := C.rot_in_front(api)
	if table == nil {
		return errors.New("no memory")
	}
	front.file, front.api, front.store = file, api, store
	return pjrt.RegisterPreloadedPlugin(file, uintptr(unsafe.Pointer(table)))
}

// rotCompile takes the place of PJRT_Client_Compile.
//
//export rotCompile
func rotCompile(args *C.pjrt_compile_args) unsafe.Pointer {
	front.Lock()
	api, store := front.api, front.store
	front.Unlock()
	if store == nil {
		return C.rot_call(api, C.PJRT_CLIENT_COMPILE, unsafe.Pointer(args))
	}
	var version C.pjrt_version_args
	C.rot_version(api, args.client, &version)
	program := args.program
	path := store.path(
		unsafe.Slice((*byte)(unsafe.Pointer(program.code)), program.code_size),
		unsafe.Slice((*byte)(unsafe.Pointer(program.format)), program.format_size),
		unsafe.Slice((*byte)(unsafe.Pointer(args.options)), args.options_size),
		unsafe.Slice((*byte)(unsafe.Pointer(version.text)), version.text_size),
	)
	if code := store.load(path); len(code) > 0 {
		args.executable = C.rot_load(api, args.client, (*C.char)(unsafe.Pointer(&code[0])), C.size_t(len(code)))
		if args.executable != nil {
			return nil
		}
	}
	if err := C.rot_call(api, C.PJRT_CLIENT_COMPILE, unsafe.Pointer(args)); err != nil {
		return err
	}
	var saved C.pjrt_serialize_args
	if C.rot_save(api, args.executable, &saved) != 0 {
		// One that cannot be kept is compiled again next time.
		_ = store.save(path, unsafe.Slice((*byte)(unsafe.Pointer(saved.bytes)), saved.bytes_size))
		C.rot_saved(&saved)
	}
	return nil
}
