"""One module for each dialect of model servers, and what they share."""
