#pragma once
// A place to render into without a screen: EGL, loaded when the first camera is made.

namespace antaeus::detail {

struct Egl;

/// A context of OpenGL with a surface of one pixel; what is drawn goes into framebuffers.
class Offscreen {
 public:
  /// \throws Error that names what is missing and its package
  Offscreen();
  ~Offscreen();
  Offscreen(const Offscreen&) = delete;
  Offscreen& operator=(const Offscreen&) = delete;

  /// Takes the calling thread's context; it has it back when the guard goes.
  class Current {
   public:
    explicit Current(const Offscreen& on);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Offscreen& on_;
  };

 private:
  const Egl& egl_;
  void *display_ = nullptr, *surface_ = nullptr, *context_ = nullptr;
};

}  // namespace antaeus::detail
