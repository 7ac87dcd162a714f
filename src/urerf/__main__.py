"""``python -m urerf``: the command line where its program is not on the PATH, as on Windows."""

from urerf.cli import app

if __name__ == "__main__":
    app(prog_name="urerf")
