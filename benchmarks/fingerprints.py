"""Share of fingerprints that noise in a probe's vector changes: `python benchmarks/fingerprints.py`.

Random unit vectors stand for probes; the noise is that of a device with another precision, or of an endpoint whose
answers vary slightly. It compares a digest of the vector rounded to two decimals with signs along fixed directions.
"""

import hashlib

import numpy as np

from hmem.language.embed.measured import signature

PROBES = 500


def digest(row: np.ndarray) -> str:
    return hashlib.sha256(np.rint(row * 100).astype("<i2").tobytes()).hexdigest()


def main() -> None:
    chance = np.random.default_rng(5)
    print(f"{'dimension':>9} {'noise':>8} {'rounded':>8} {'signs':>8}")
    for dimension in (384, 1_536):
        for noise in (1e-6, 1e-5, 1e-4, 1e-3):
            changed = np.zeros(2)
            for _ in range(PROBES):
                row = chance.normal(size=dimension)
                row /= np.linalg.norm(row)
                other = row + noise * chance.normal(size=dimension) / np.sqrt(dimension)
                changed += [digest(row) != digest(other), signature(row) != signature(other)]
            print(f"{dimension:>9} {noise:>8.0e} {changed[0] / PROBES:>8.3f} {changed[1] / PROBES:>8.3f}")


if __name__ == "__main__":
    main()
