"""The commands of the command line and their options: one table, from which help and completion are made."""
