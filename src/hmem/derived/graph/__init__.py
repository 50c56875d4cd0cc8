"""Knowledge graph: entities, the turns that name them, and the relations between them."""
