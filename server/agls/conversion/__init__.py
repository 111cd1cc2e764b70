"""Documents as text, made by a program of its own."""
