"""The command line: the only layer that prints, prompts, exits and reads the environment."""
