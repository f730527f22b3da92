"""The build of the builtin embedding model: corpus, vocabulary, teachers, training; not part of the program."""
