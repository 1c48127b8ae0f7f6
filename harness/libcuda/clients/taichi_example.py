"""Runs one of Taichi's bundled examples without a display: taichi_example.py FILE FRAMES

The data that an example would draw is read back from the device and must be finite; it ends after FRAMES frames, or on its own.
"""

import random
import runpy
import sys
from unittest import mock

import numpy as np
import taichi as ti

example, frames = sys.argv[1], int(sys.argv[2])
drawn = {"frames": 0, "arrays": 0}


def look(value):
    """Reads the data to be drawn back to the host, and checks that it contains no NaN or infinities."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    for array in value.values() if isinstance(value, dict) else [value]:
        if isinstance(array, np.ndarray) and array.dtype.kind in "fiu":
            if not np.isfinite(array).all():
                sys.exit("an array to be drawn holds NaN or an infinity")
            drawn["arrays"] += 1


def shown():
    drawn["frames"] += 1
    if drawn["frames"] >= frames:
        print(f"drew {drawn['frames']} frames of {drawn['arrays']} arrays")
        sys.exit(0)


def look_at_all(*values, **named):
    for value in [*values, *named.values()]:
        look(value)


class Gui(ti.GUI):
    """Taichi's own window class, in its mode without a window."""

    def __init__(self, *values, **named):
        named["show_gui"] = False
        super().__init__(*values, **named)

    def show(self, file=None):
        self.clear()
        shown()

    def set_image(self, image):
        look(image)
        super().set_image(image)

    def circles(self, pos, *values, **named):
        look(pos)
        super().circles(pos, *values, **named)

    def get_key_event(self):
        return None


class Widgets:
    """The panel of a window of Taichi's newer kind, without user input: no slider moves and no button is pressed."""

    def __getattr__(self, name):
        if name.startswith("slider") or name in ("checkbox", "color_edit_3"):
            return lambda _, old, *_limits, **_named: old
        return mock.MagicMock(side_effect=lambda *_values, **_named: False)

    def sub_window(self, *_values, **_named):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None


class Window:
    """A window of Taichi's newer kind, which would need Vulkan."""

    running = True
    event = None

    def __init__(self, _title="", res=(640, 480), *_values, **_named):
        self.res = res

    def get_canvas(self):
        return mock.MagicMock(**{f"{name}.side_effect": look_at_all for name in ("set_image", "circles", "lines", "triangles")})

    def get_gui(self):
        return Widgets()

    GUI = property(get_gui)

    def get_scene(self):
        return Scene()

    def get_window_shape(self):
        return self.res

    def is_pressed(self, *_keys):
        return False

    def get_event(self, *_filter):
        return False

    def get_events(self, *_filter):
        return []

    def get_cursor_pos(self):
        return (0.5, 0.5)

    def show(self):
        shown()

    def destroy(self):
        pass

    def save_image(self, _file):
        pass


def Scene():
    return mock.MagicMock(**{f"{name}.side_effect": look_at_all for name in ("particles", "mesh", "lines")})


ti.GUI = Gui
ti.ui.Window, ti.ui.Scene = Window, Scene
ti.ui.Camera = ti.ui.make_camera = mock.MagicMock
random.seed(1)
np.random.seed(1)
sys.argv = [example]
runpy.run_path(example, run_name="__main__")
print(f"ended after {drawn['frames']} frames of {drawn['arrays']} arrays")
