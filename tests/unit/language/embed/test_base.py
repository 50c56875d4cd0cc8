from hypothesis import given
from hypothesis import strategies as st

from hmem.language.embed.base import Calibration

RAW = st.floats(-1, 1)


@given(RAW, RAW)
def test_a_calibration_keeps_the_order_of_cosines(one: float, other: float) -> None:
    calibrate = Calibration(((0.0, 0.1), (0.2, 0.3), (0.6, 0.7)))
    assert (calibrate(one) <= calibrate(other)) == (one <= other) or abs(one - other) < 1e-12


def test_a_calibration_meets_its_points_and_the_ends() -> None:
    calibrate = Calibration(((0.2, 0.3), (0.6, 0.7)))
    assert [calibrate(x) for x in (-1.0, 0.2, 0.6, 1.0)] == [-1.0, 0.3, 0.7, 1.0]
    assert abs(calibrate(0.4) - 0.5) < 1e-9
    assert calibrate(1.0000001) == 1.0


def test_without_points_it_changes_nothing() -> None:
    assert Calibration()(0.25) == 0.25
