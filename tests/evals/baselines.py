"""What others do with the same texts: Tantivy's own analyzers, and grep with a count."""

import re
from collections.abc import Callable, Sequence

import tantivy

from tests.evals.vaults import Haystack

Ranker = Callable[[str], Sequence[str]]
_STOP_WORDS = ["what", "when", "where", "who", "whom", "which", "why", "how", "did", "do", "does", "is", "are", "was"]
_STOP_WORDS += ["were", "has", "have", "had", "will", "would", "can", "could", "should", "may", "might", "in", "on"]
_STOP_WORDS += ["at", "to", "for", "of", "from", "by", "with", "about", "the", "a", "an", "and", "or", "but", "if"]
_STOP_WORDS += ["that", "this", "these", "those", "it", "its", "his", "her", "their", "he", "she", "they", "you", "i"]


def tantivy_ranker(haystack: Haystack, tokenizer: str, *, drop_stop_words: bool = False) -> Ranker:
    """Return BM25 by one of Tantivy's own analyzers over the bare texts, questions taken as bags of words."""
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name=tokenizer)
    built = schema.add_text_field("id", stored=True, tokenizer_name="raw").build()
    index = tantivy.Index(built)
    writer = index.writer(15_000_000, 1)
    for text in haystack.corpus:
        writer.add_document(tantivy.Document(text=str(text["text"]), id=str(text["id"])))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def rank(question: str) -> Sequence[str]:
        words = re.findall(r"\w+", question.lower())
        if drop_stop_words:
            words = [word for word in words if word not in _STOP_WORDS] or words
        if not words:
            return []
        query, _ = index.parse_query_lenient(" ".join(words), ["text"])
        return [str(searcher.doc(at).get_first("id")) for _, at in searcher.search(query, 10, count=False).hits]

    return rank


def grep_ranker(haystack: Haystack) -> Ranker:
    """Return `grep -ci` for each word of the question, texts with the most distinct words first."""
    texts = [(str(text["id"]), str(text["text"]).lower()) for text in haystack.corpus]

    def rank(question: str) -> Sequence[str]:
        words = set(re.findall(r"\w+", question.lower()))
        counted = [(sum(word in text for word in words), at) for at, (_, text) in enumerate(texts)]
        best = sorted((-count, at) for count, at in counted if count)[:10]
        return [texts[at][0] for _, at in best]

    return rank
