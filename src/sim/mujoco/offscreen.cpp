#include "sim/mujoco/offscreen.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <vector>

#include "antaeus/core/error.hpp"

namespace antaeus::detail {

// EGL 1.5 and EXT_platform_device, as far as they are used: a machine that compiles this need not have their headers.
using Handle = void*;
using Integer = std::int32_t;

/// The functions that are used.
struct Egl {
  Handle (*get_display)(Handle) = nullptr;
  unsigned (*initialize)(Handle, Integer*, Integer*) = nullptr;
  unsigned (*choose_config)(Handle, const Integer*, Handle*, Integer, Integer*) = nullptr;
  unsigned (*bind_api)(unsigned) = nullptr;
  Handle (*create_surface)(Handle, Handle, const Integer*) = nullptr;
  Handle (*create_context)(Handle, Handle, Handle, const Integer*) = nullptr;
  unsigned (*make_current)(Handle, Handle, Handle, Handle) = nullptr;
  unsigned (*destroy_surface)(Handle, Handle) = nullptr;
  unsigned (*destroy_context)(Handle, Handle) = nullptr;
  Handle (*get_function)(const char*) = nullptr;
  // Extensions; null where they are missing.
  unsigned (*query_devices)(Integer, Handle*, Integer*) = nullptr;
  Handle (*get_platform_display)(unsigned, Handle, const Integer*) = nullptr;
};

namespace {

constexpr Integer kNone = 0x3038, kSurfaceType = 0x3033, kPbufferBit = 1, kRenderableType = 0x3040, kOpenGlBit = 8,
                  kRed = 0x3024, kGreen = 0x3023, kBlue = 0x3022, kDepth = 0x3025, kWidth = 0x3057, kHeight = 0x3056;
constexpr unsigned kOpenGlApi = 0x30A2, kPlatformDevice = 0x313F;

[[noreturn]] void fail(const std::string& problem) {
  throw Error("camera", "pictures cannot be rendered: " + problem,
              "install EGL (Debian: apt-get install libegl1 libgl1-mesa-dri)");
}

template <class Function>
void find(Handle library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function) fail(std::string("libEGL.so.1 has no ") + name);
}

Egl load_egl() {
  // For all to see: MuJoCo asks the process for eglGetProcAddress.
  Handle const library = ::dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!library) fail("there is no libEGL.so.1");
  Egl egl;
  find(library, "eglGetDisplay", egl.get_display);
  find(library, "eglInitialize", egl.initialize);
  find(library, "eglChooseConfig", egl.choose_config);
  find(library, "eglBindAPI", egl.bind_api);
  find(library, "eglCreatePbufferSurface", egl.create_surface);
  find(library, "eglCreateContext", egl.create_context);
  find(library, "eglMakeCurrent", egl.make_current);
  find(library, "eglDestroySurface", egl.destroy_surface);
  find(library, "eglDestroyContext", egl.destroy_context);
  find(library, "eglGetProcAddress", egl.get_function);
  egl.query_devices = reinterpret_cast<decltype(egl.query_devices)>(egl.get_function("eglQueryDevicesEXT"));
  egl.get_platform_display =
      reinterpret_cast<decltype(egl.get_platform_display)>(egl.get_function("eglGetPlatformDisplayEXT"));
  return egl;
}

const Egl& egl() {
  static const Egl loaded = load_egl();
  return loaded;
}

/// A display that needs no screen: of a device where that can be asked for, else the default one. It stays open.
Handle open_display() {
  std::vector<Handle> displays;
  if (egl().query_devices && egl().get_platform_display) {
    std::array<Handle, 16> devices{};
    Integer count = 0;
    if (egl().query_devices(static_cast<Integer>(devices.size()), devices.data(), &count)) {
      for (Integer i = 0; i < count; ++i) {
        displays.push_back(egl().get_platform_display(kPlatformDevice, devices[static_cast<std::size_t>(i)], nullptr));
      }
    }
  }
  displays.push_back(egl().get_display(nullptr));
  for (Handle const display : displays) {
    if (display && egl().initialize(display, nullptr, nullptr)) return display;
  }
  fail("EGL finds no device to render with");
}

}  // namespace

Offscreen::Offscreen() : egl_(egl()) {
  static Handle const display = open_display();
  display_ = display;
  constexpr std::array<Integer, 13> kWanted = {
      kSurfaceType, kPbufferBit, kRenderableType, kOpenGlBit, kRed, 8, kGreen, 8, kBlue, 8, kDepth, 24, kNone};
  Handle config = nullptr;
  Integer count = 0;
  if (!egl_.choose_config(display_, kWanted.data(), &config, 1, &count) || count < 1 || !egl_.bind_api(kOpenGlApi)) {
    fail("EGL has no OpenGL");
  }
  constexpr std::array<Integer, 5> kPixel = {kWidth, 1, kHeight, 1, kNone};
  surface_ = egl_.create_surface(display_, config, kPixel.data());
  context_ = egl_.create_context(display_, config, nullptr, nullptr);
  if (!surface_ || !context_) fail("EGL makes no context of OpenGL");
}

Offscreen::~Offscreen() {
  egl_.destroy_context(display_, context_);
  egl_.destroy_surface(display_, surface_);
}

Offscreen::Current::Current(const Offscreen& on) : on_(on) {
  if (!on.egl_.bind_api(kOpenGlApi) || !on.egl_.make_current(on.display_, on.surface_, on.surface_, on.context_)) {
    fail("EGL gives no context of OpenGL to this thread");
  }
}

Offscreen::Current::~Current() { on_.egl_.make_current(on_.display_, nullptr, nullptr, nullptr); }

}  // namespace antaeus::detail
