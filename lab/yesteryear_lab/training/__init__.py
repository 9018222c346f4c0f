"""Training of the small heads, for who works on them: labelled rows in, weights and a model card out.

Nothing here runs when memories are made or recalled. scikit-learn does the fitting.
"""
