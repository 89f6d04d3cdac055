"""Minimax polynomials of the elementary functions: prints the coefficients that riemann/src/elementary has.

Each is fitted by Remez' exchange: p minimises the largest |w(u) (f(u) - p(u))| over an interval, where w makes that the relative
error of the whole function. Coefficients are rounded to the nearest double afterwards. The second number of a heading is the
largest weighted error with the rounded coefficients, in powers of two.
"""

import sys

import mpmath as mp

mp.mp.prec = 240


def remez(f, w, a, b, count):
    """The `count` coefficients of the polynomial that is closest to f on [a, b], weighted by w."""
    a, b = mp.mpf(a), mp.mpf(b)
    nodes = count + 1
    points = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * nodes)) for k in range(nodes)]
    for _ in range(40):
        rows = mp.matrix(nodes, nodes)
        right = mp.matrix(nodes, 1)
        for i, u in enumerate(points):
            for k in range(count):
                rows[i, k] = u**k
            rows[i, count] = (-1) ** i / w(u)
            right[i] = f(u)
        solution = mp.lu_solve(rows, right)
        coefficients = [solution[k] for k in range(count)]
        error = lambda u: w(u) * (f(u) - mp.polyval(coefficients[::-1], u))
        points, extremes = exchanged(error, a, b, nodes)
        if max(extremes) - min(extremes) < mp.mpf("1e-4") * max(extremes):
            break
    return coefficients


def exchanged(error, a, b, nodes):
    """The places where the error is extreme, of alternating sign, and how large it is there."""
    samples = 24 * nodes
    grid = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * k / samples) for k in range(samples + 1)]
    values = [error(u) for u in grid]
    best = []
    for k, value in enumerate(values):
        if best and mp.sign(values[best[-1]]) == mp.sign(value):
            if abs(value) > abs(values[best[-1]]):
                best[-1] = k
        else:
            best.append(k)
    while len(best) > nodes:
        best.pop(0 if abs(values[best[0]]) < abs(values[best[-1]]) else -1)
    assert len(best) == nodes, "the error does not alternate often enough"
    places, extremes = [], []
    for k in best:
        u, value = grid[k], abs(values[k])
        if 0 < k < samples:
            left, right = abs(values[k - 1]), abs(values[k + 1])
            h, g = grid[k + 1] - u, u - grid[k - 1]
            slopes = (right - value) / h, (value - left) / g
            bend = (slopes[0] - slopes[1]) / (h + g)
            if bend != 0:
                moved = u - ((slopes[0] * g + slopes[1] * h) / (h + g)) / (2 * bend)
                if grid[k - 1] < moved < grid[k + 1] and abs(error(moved)) > value:
                    u, value = moved, abs(error(moved))
        places.append(u)
        extremes.append(value)
    return places, extremes


def tail(terms, start):
    """The series sum of terms(k) u^(k - start), k from start on, until nothing is added."""

    def value(u):
        total, power, k = mp.mpf(0), mp.mpf(1), start
        while True:
            term = terms(k) * power
            total += term
            if abs(term) < mp.mpf(2) ** -230 * abs(total) or (u == 0 and k > start):
                return total
            power *= u
            k += 1

    return value


def factorial_series(sign, odd):
    return lambda k: mp.mpf(sign) ** k / mp.factorial(2 * k + odd)


def arcsine_term(k):
    return mp.binomial(2 * k, k) / (mp.mpf(4) ** k * (2 * k + 1))


def hyperbolic_tangent_tail(u):
    if u == 0:
        return mp.mpf(-1) / 3
    x = mp.sqrt(u)
    return (mp.tanh(x) - x) / (x * u)


HALF_LN2 = mp.log(2) / 2 * (1 + mp.mpf(2) ** -20)
EIGHTH = (mp.tan(mp.pi / 8) * (1 + mp.mpf(2) ** -20)) ** 2
QUARTER = (mp.pi / 4 * (1 + mp.mpf(2) ** -20)) ** 2
ROOT = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1) * (1 + mp.mpf(2) ** -20)) ** 2
sine = tail(factorial_series(-1, 1), 1)
cosine = tail(factorial_series(-1, 0), 2)
hyperbolic_sine = tail(factorial_series(1, 1), 1)
arctangent = tail(lambda k: mp.mpf(-1) ** k / (2 * k + 1), 1)
arcsine = tail(arcsine_term, 1)


def inverse_root(u):
    return 1 / mp.cbrt(u)


exponential = tail(lambda k: 1 / mp.factorial(k), 3)


def logarithm(start):
    series = tail(lambda k: mp.mpf(1) / (2 * k + 1), start)
    return lambda u: 2 * series(u)


def vanishing(power):
    """A weight that grows with a power of the variable: what the polynomial is multiplied by, beside the whole function. Not quite zero
    anywhere, since the exchange divides by it."""
    return lambda u: abs(u) ** power + mp.mpf(2) ** -40


# Name, what it is, function, weight, interval of the polynomial's variable, number of coefficients.
FITS = [
    ("EXP", "e^r = 1 + r + r² (½ + r p(r))", exponential, vanishing(3), -HALF_LN2, HALF_LN2, 9),
    ("SIN", "sin r = r + r³ p(r²)", sine, vanishing(1), 0, QUARTER, 6),
    ("COS", "cos r = 1 − r²/2 + r⁴ p(r²)", cosine, vanishing(2), 0, QUARTER, 6),
    ("LOG", "log((1 + s) / (1 − s)) = 2 s + s³ p(s²)", logarithm(1), vanishing(1), 0, ROOT, 7),
    ("LOG_FINE", "log((1 + s) / (1 − s)) = 2 s + ⅔ s³ + s⁵ p(s²)", logarithm(2), vanishing(2), 0, ROOT, 8),
    ("ATAN", "atan t = t + t³ p(t²)", arctangent, vanishing(1), 0, EIGHTH, 11),
    ("ASIN", "asin x = x + x³ p(x²)", arcsine, vanishing(1), 0, mp.mpf(1) / 4, 13),
    ("SINH", "sinh x = x + x³ p(x²)", hyperbolic_sine, vanishing(1), 0, 1, 8),
    ("CBRT", "m^(−1/3) = p(m), to begin with", inverse_root, mp.cbrt, 1, 2, 6),
    ("TANH", "tanh x = x + x³ p(x²)", hyperbolic_tangent_tail, vanishing(1), 0, mp.mpf("0.3025"), 11),
]


def cut(x, bits):
    """The first bits of x."""
    mantissa, exponent = mp.frexp(x)
    return mp.ldexp(mp.floor(mp.ldexp(mantissa, bits)), int(exponent) - bits)


def print_constants():
    """Prints constants split into parts with given numbers of bits; the last part is the nearest double to the remainder."""
    parts = [("HALF_PI", mp.pi / 2, [33, 33, 33]), ("LN2", mp.log(2), [32]), ("HALF_PI", mp.pi / 2, [53]), ("PI", +mp.pi, [53])]
    parts += [("QUARTER_PI", mp.pi / 4, [53]), ("TWO_THIRDS", mp.mpf(2) / 3, [53])]
    for name, rest, bits in parts:
        values = []
        for count in bits:
            # With all of a double's bits the first part is the nearest one.
            values.append(float(rest) if count == 53 else float(cut(rest, count)))
            rest -= values[-1]
        print(f"{name}: parts of {bits} bits: {', '.join(map(repr, [*values, float(rest)]))}")
    with mp.workprec(1400):
        rest, pieces = 2 / mp.pi, []
        for _ in range(50):
            rest *= 2**24
            pieces.append(int(rest))
            rest -= pieces[-1]
    print(f"2/pi in pieces of 24 bits: {pieces}")


def main():
    wanted = sys.argv[1:]
    for name, formula, f, w, a, b, count in FITS:
        if wanted and name not in wanted:
            continue
        rounded = [float(c) for c in remez(f, w, a, b, count)]
        grid = [mp.mpf(a) + (mp.mpf(b) - a) * k / 997 for k in range(998)]
        largest = max(abs(w(u) * (f(u) - mp.polyval([mp.mpf(c) for c in rounded[::-1]], u))) for u in grid)
        print(f"{name}: {formula}; 2^{mp.nstr(mp.log(largest, 2), 4)}")
        for k, c in enumerate(rounded):
            print(f"    const {name}_{k}: Real = {c!r};")


if __name__ == "__main__":
    main()
    if not sys.argv[1:]:
        print_constants()
