"""Log lines as a terminal shows them, for tests that compare what commands print with a page."""
import re

STAMP = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?=bigdna )", re.M)  # a terminal shows none
