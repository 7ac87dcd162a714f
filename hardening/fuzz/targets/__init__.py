"""Everything that is tried, by name."""

from hardening.fuzz.runner import Target

from .command import Commands
from .files import FILE_TARGETS
from .fit import Fits
from .frames import Frames
from .model import Models

ALL: dict[str, Target] = {
    target.name: target for target in (*FILE_TARGETS, Models(), Fits(), Frames(), Commands())
}
