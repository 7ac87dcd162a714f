"""What ``urerf demo`` computes and draws: penguins and a helix that are hidden among noise."""
