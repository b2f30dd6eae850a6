"""ifbench: how well do multimodal models follow instructions?"""

from __future__ import annotations

__version__ = "0.1.0"
