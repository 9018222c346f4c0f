"""Adapters of the ports that are no stores: models, clocks, token counters. Imported only when they are chosen."""
