"""How right the neighbours and the geodesic distances are: ``urerf bench``. The engine is that of `urerf.paper`."""
