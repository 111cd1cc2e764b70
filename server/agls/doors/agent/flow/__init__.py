"""Flow of events to a client that may read slowly: queued, merged, kept to a size (protocol#flow)."""
