// The part of PJRT's C interface that standing in front of a plugin needs: the
// table of functions up to the last one used, and their arguments. PJRT only
// ever adds fields at the end of its structures.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t struct_size;
  void *extension;
  struct {
    size_t struct_size;
    void *extension;
    int major, minor;
  } version;
  void *functions[];
} pjrt_api;

// Places in the table.
enum {
  PJRT_ERROR_DESTROY = 0,
  PJRT_CLIENT_PLATFORM_VERSION = 14,
  PJRT_CLIENT_COMPILE = 20,
  PJRT_CLIENT_BUFFER_FROM_HOST = 22,
  PJRT_EXECUTABLE_DESTROY = 40,
  PJRT_EXECUTABLE_SERIALIZE = 49,
  PJRT_LOADED_GET_EXECUTABLE = 51,
  PJRT_LOADED_EXECUTE = 55,
  PJRT_DESERIALIZE_AND_LOAD = 56,
  PJRT_FUNCTIONS_USED = 57
};

typedef struct {
  size_t struct_size;
  void *extension;
  char *code;
  size_t code_size;
  const char *format;
  size_t format_size;
} pjrt_program;

typedef struct {
  size_t struct_size;
  void *extension;
  void *client;
  const pjrt_program *program;
  const char *options;
  size_t options_size;
  void *executable; // out
} pjrt_compile_args;

typedef struct {
  size_t struct_size;
  void *extension;
  void *object;
} pjrt_destroy_args;

typedef struct {
  size_t struct_size;
  void *extension;
  void *client;
  const char *text; // out
  size_t text_size; // out
} pjrt_version_args;

typedef struct {
  size_t struct_size;
  void *extension;
  void *loaded;
  void *executable; // out
} pjrt_get_executable_args;

typedef struct {
  size_t struct_size;
  void *extension;
  void *executable;
  const char *bytes; // out, alive as long as owner
  size_t bytes_size; // out
  void *owner;       // out
  void (*free_owner)(void *);
} pjrt_serialize_args;

typedef struct {
  size_t struct_size;
  void *extension;
  void *client;
  const char *bytes;
  size_t bytes_size;
  void *loaded; // out
  const char *options;
  size_t options_size;
} pjrt_load_args;

// Who may change what a buffer is made from, and when.
enum { PJRT_IMMUTABLE_ONLY_DURING_CALL = 0 };

typedef struct {
  size_t struct_size;
  void *extension;
  void *client;
  const void *data;
  int type;
  const int64_t *dims;
  size_t num_dims;
  const int64_t *byte_strides;
  size_t num_byte_strides;
  int semantics;
} pjrt_from_host_args;

typedef struct {
  size_t struct_size;
  void *extension;
  void *executable;
  void *options;
  void *argument_lists;
  size_t num_devices;
  size_t num_args;
  void *output_lists;
  void **complete_events;
} pjrt_execute_args;

// rot_in_front returns a copy of a plugin's table with functions of ours in the
// place of some; NULL where there is no memory. There is one plugin in a process.
pjrt_api *rot_in_front(const pjrt_api *api);
