"""Constants of the theories measured along training runs, and the bounds with these constants."""
