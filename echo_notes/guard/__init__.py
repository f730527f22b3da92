"""The gate's rules: pure functions over the model that say what may be written and who may see it."""
