"""Errors of the elementary functions compared with mpmath's, in units of the last place.

`cargo xtask elementary` runs this file as a program, which prints the largest errors over many points; test_elementary.py uses fewer.
"""

import math
import sys
from pathlib import Path

import mpmath
import numpy as np

# Guaranteed bounds in units of the last place; the remainder, floor and ceil are exact.
BOUNDS = {name: 1.0 for name in "exp ln sin cos asin acos atan sinh cosh tanh atan2 hypot cbrt exp_m1 ln_1p asinh acosh atanh".split()}
BOUNDS |= {"tan": 2.0, "powf": 2.0, "floor": 0.0, "ceil": 0.0, "remainder": 0.0}

# Bits of the significand, smallest exponent of the last place, upper limit of the exponent.
DOUBLE = (53, -1074, 1024)
SINGLE = (24, -149, 128)


def reference(name, x, y):
    """The value at a point to many digits; None where the result certainly overflows or underflows."""
    if name in ("exp", "exp_m1", "sinh", "cosh") and abs(x) > 1e4:
        return None
    if name == "powf" and x != 0 and abs(y * math.log(abs(x))) > 1e4:
        return None
    # Near multiples of π as many bits cancel as the argument and its distance from the multiple have.
    mpmath.mp.prec = 160 if abs(x) < 1e9 else 1250
    sign = math.copysign(1.0, x)
    x, y = mpmath.mpf(x), mpmath.mpf(y)
    match name:
        case "ln":
            return mpmath.log(x)
        case "powf":
            return mpmath.power(x, y)
        case "exp_m1":
            return mpmath.expm1(x)
        case "ln_1p":
            return mpmath.log1p(x)
        case "cbrt":
            return mpmath.cbrt(abs(x)) * sign
        case "asinh" | "atanh" if abs(x) < 1e-20:
            return x + (x**3 / 3 if name == "atanh" else -(x**3) / 6)
        case "remainder":
            # Bits of the quotient's integer part.
            mpmath.mp.prec = 2200
            return abs(x) % abs(y) if x >= 0 else -(abs(x) % abs(y))
        case "atan2":
            # mpmath's zero has no sign.
            return mpmath.atan2(abs(x), y) * sign
        case "hypot":
            return mpmath.hypot(x, y)
        case _:
            return getattr(mpmath, name)(x)


def error(found, exact, kind):
    """The distance from the exact value, in units of the last place of numbers of this kind."""
    digits, smallest, largest = kind
    if math.isinf(found):
        limit = mpmath.ldexp(2 - mpmath.ldexp(1, -digits), largest - 1)
        return 0.0 if abs(exact) >= limit and (exact > 0) == (found > 0) else math.inf
    if math.isnan(found):
        return math.inf
    if exact == found:
        return 0.0
    exponent = int(mpmath.frexp(exact)[1]) - digits
    return float(abs(exact - found) / mpmath.ldexp(1, max(exponent, smallest)))


def largest_errors(file):
    """The largest error and its point, for a function's samples in double and in single precision."""
    name = Path(file).stem
    samples = np.fromfile(file, dtype="<f8").reshape(-1, 2, 3)
    largest = []
    for kind, points in ((DOUBLE, samples[:, 0]), (SINGLE, samples[:, 1])):
        worst = (0.0, None)
        for x, y, found in points.tolist():
            # Rounding to single precision may overflow, or leave the domain of the function.
            if not (math.isfinite(x) and math.isfinite(y)) or not is_defined(name, x, y):
                continue
            exact = reference(name, x, y)
            here = 0.0 if exact is None else error(found, exact, kind)
            if here > worst[0]:
                worst = (here, (x, y))
        largest.append(worst)
    return largest


def is_defined(name, x, y):
    """Whether the function has a finite value there; special values are tested elsewhere."""
    match name:
        case "ln":
            return x > 0
        case "ln_1p":
            return x > -1
        case "acosh":
            return x >= 1
        case "atanh":
            return abs(x) < 1
        case "asin" | "acos":
            return abs(x) <= 1
        case "powf":
            return x > 0 or (x < 0 and y == math.floor(y))
        case "remainder":
            return y != 0
        case "atan2":
            return x != 0 or y != 0
        case _:
            return True


def main(folder):
    print(f"{'':9} {'largest error':>13} {'in f32':>9}   where, in f64")
    for name, bound in BOUNDS.items():
        (double, point), (single, _) = largest_errors(Path(folder) / f"{name}.bin")
        print(f"{name:9} {double:13.4f} {single:9.4f}   {point}")
        if double > bound or single > bound:
            sys.exit(f"{name}: more than {bound} units of the last place")


if __name__ == "__main__":
    main(sys.argv[1])
