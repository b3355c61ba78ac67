// The part of PJRT's C interface that keeping compiled programs needs: the
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
  PJRT_EXECUTABLE_DESTROY = 40,
  PJRT_EXECUTABLE_SERIALIZE = 49,
  PJRT_LOADED_GET_EXECUTABLE = 51,
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
