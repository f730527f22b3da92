"""The derived, disposable index: passages, lexical and dense search, fusion and reranking."""
