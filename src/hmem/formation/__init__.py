"""Formation: the pipeline that turns new turns into derived state."""
