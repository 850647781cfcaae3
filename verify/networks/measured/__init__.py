"""Constants of the theories along training runs, and bounds at them."""
