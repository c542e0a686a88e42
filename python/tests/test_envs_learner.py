"""The example learner, shortened."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

LEARNER = Path(os.environ["LASTNIM_SOURCE"]) / "python" / "examples" / "learner.py"


def test_the_regret_of_the_learner_falls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    specification = importlib.util.spec_from_file_location("learner", LEARNER)
    assert specification is not None and specification.loader is not None
    learner = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(learner)
    plot = tmp_path / "regret.svg"
    curve = learner.main(["--steps", "60", "--measurements", "4", "--plot", str(plot)])
    assert [takes for takes, _ in curve] == [0, 61440, 122880, 184320, 245760]
    # An untrained learner takes one counter.
    assert curve[-1][1] < curve[0][1] / 2
    assert len(capsys.readouterr().out.splitlines()) == 6
    drawn = ElementTree.parse(plot).getroot()
    line = drawn.find("{http://www.w3.org/2000/svg}polyline")
    assert line is not None and len(line.attrib["points"].split()) == 5
