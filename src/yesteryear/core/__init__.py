"""The words of the domain: pure values that every stage shares. Knows nothing of storage, providers or steps."""
