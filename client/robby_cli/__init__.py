"""The command `robby`: the composition root, the only place that may import both sides."""
