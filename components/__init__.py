"""What is drawn: values and frames in, Dash components and Plotly figures out; no query, no trace, no run."""
