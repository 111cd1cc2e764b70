"""How each family of model servers is spoken to."""
