"""The parts of the screens. Each draws what it is given and tells by typed messages what was done."""
