"""Short runs of experiments."""

import json

from weft.experiments.registry import run_experiment


def quick_report(name, tmp_path):
    report = run_experiment(name, quick=True)
    paths = report.write(tmp_path)
    assert [path.suffix for path in paths] == [".json", ".png"]
    assert json.loads(paths[0].read_text(encoding="utf-8"))["measurements"]
    assert paths[1].stat().st_size > 10_000
    return {(m.quantity, m.setting, m.method): m.mean for m in report.measurements}
