"""What is known of models and providers."""
