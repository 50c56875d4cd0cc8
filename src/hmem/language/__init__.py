"""Language processing: analysts, embedders, rerankers, language models, and the rules of languages."""
