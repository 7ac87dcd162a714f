"""Everything that is tried, by name."""

from hardening.fuzz.runner import Target

from .command import Commands
from .files import FILE_TARGETS
from .fit import FIT
from .frames import FRAME
from .model import Models

TARGETS: tuple[Target, ...] = (*FILE_TARGETS, Models(), FIT, FRAME, Commands())
ALL: dict[str, Target] = {target.name: target for target in TARGETS}
