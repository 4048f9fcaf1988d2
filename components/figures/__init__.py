"""Figures: a frame and labels in, a ``go.Figure`` out; no Dash and no SQL. Colors come from the theme, paper from the template."""
