"""Language processing: analysts, embedders, rerankers, dates and language models."""
