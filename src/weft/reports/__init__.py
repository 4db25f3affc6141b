"""Reports on models: plain values in, one self-contained HTML page out."""

from weft.reports.facts import (
    Block,
    Calibration,
    Case,
    ClassScore,
    Confusion,
    Curve,
    FeatureGroup,
    Picture,
    Report,
    Score,
    as_json,
)
from weft.reports.page import page, report_page
from weft.spelling import suggest_names

__all__ = [
    "Block",
    "Calibration",
    "Case",
    "ClassScore",
    "Confusion",
    "Curve",
    "FeatureGroup",
    "Picture",
    "Report",
    "Score",
    "as_json",
    "page",
    "report_page",
]

suggest_names(__name__)
