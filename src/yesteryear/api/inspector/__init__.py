"""Pages to look at a mind: what is remembered of a person, why, until when; and to correct and delete it.

Made on the server, whole without a script, and without anything from elsewhere.
"""
