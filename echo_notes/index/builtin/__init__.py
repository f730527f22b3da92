"""The embedding model that ships with the program, and its reader."""
