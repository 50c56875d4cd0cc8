"""Programs that run in the environments of the peers: a worker, and an adapter for each."""
