"""What the vault is made of: frozen dataclasses, errors and dates; standard library only, no input or output."""
