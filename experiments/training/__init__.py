"""Training runs: `chickenfoot train ppo`."""
