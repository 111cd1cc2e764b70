"""The door for other Python programs; they import it as `agls.library`."""
