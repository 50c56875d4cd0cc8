import pytest

from hmem.errors import HmemError
from hmem_evals.bench.apart import measure_in_subprocess


def test_a_process_that_fails_is_an_error_of_one_line():
    with pytest.raises(HmemError, match=r"the process that measures nothing failed \(.*colour.*\) - run"):
        measure_in_subprocess("hmem_evals.bench.tiers", {"colour": "blue"}, "nothing", None)
