"""What a verb or pass decides; one module each, writing only through a Change."""
