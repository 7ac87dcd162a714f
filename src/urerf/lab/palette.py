"""The colors of all figures: those of Okabe and Ito, which color-blind readers can tell apart.

Red is reserved for URerF.
"""

RED = "#d00000"
CORAL = "#ff7f6b"
ORANGE = "#e69f00"
BROWN = "#8c510a"
OLIVE = "#b8a800"
YELLOW = "#f0e442"
GREEN = "#009e73"
SKY = "#56b4e9"
BLUE = "#0072b2"
ROSE = "#cc79a7"
BLACK = "#000000"
DARK_GRAY = "#555555"
GRAY = "#888888"
LIGHT_GRAY = "#c8c8c8"
