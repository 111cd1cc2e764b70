"""The workspace: files with the editor's unsaved buffers over the disk, paths, and processes."""
