"""The analyst that needs no key and no network: rules and word lists, deterministic, English where words matter."""
