"""The commands, a file each. What they need of the library is imported when they run, so that help is quick."""
