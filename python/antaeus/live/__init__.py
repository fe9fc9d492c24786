"""`antaeus watch`: forces with their doubt beside a running robot, in the streams that it already publishes."""
