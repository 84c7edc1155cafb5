"""What a results file shows: figures as JSON, a page that needs nothing else, tables, comparisons.

All of it is a pure function of files: the same files give the same bytes.
"""

from experiments.figures import summary
from experiments.report.names import MARK, YARDSTICK, marked
from experiments.report.page import write_html, write_json

__all__ = ["MARK", "YARDSTICK", "marked", "summary", "write_html", "write_json"]
