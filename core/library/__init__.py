"""What a notebook calls beside `run`: the attention of any model, a chart, and the link."""
