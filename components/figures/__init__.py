"""Figures: a frame and labels in, a ``go.Figure`` out; no Dash and no SQL."""
