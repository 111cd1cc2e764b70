"""The rooms: one package per capability, none of which knows another."""
