// libpcaudio.so.0 of the tarball: the functions that libespeak-ng takes from there, without a sound system behind them.
// voxport asks espeak-ng for phonemes only, and the real one needs thirty more libraries.
#include <stddef.h>

struct audio_object;

struct audio_object *create_audio_device_object(const char *device, const char *application, const char *description) {
  (void)device, (void)application, (void)description;
  return NULL;
}

int audio_object_open(struct audio_object *object, int format, unsigned rate, unsigned char channels) {
  (void)object, (void)format, (void)rate, (void)channels;
  return -1;
}

void audio_object_close(struct audio_object *object) { (void)object; }

void audio_object_destroy(struct audio_object *object) { (void)object; }

int audio_object_write(struct audio_object *object, const void *data, size_t bytes) {
  (void)object, (void)data, (void)bytes;
  return -1;
}

int audio_object_drain(struct audio_object *object) {
  (void)object;
  return 0;
}

int audio_object_flush(struct audio_object *object) {
  (void)object;
  return 0;
}

const char *audio_object_strerror(struct audio_object *object, int error) {
  (void)object, (void)error;
  return "this espeak-ng has no sound";
}
