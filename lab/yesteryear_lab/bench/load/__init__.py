"""The suites of load: what is waited for, lost or slowed where much is asked at once, and what they have in common."""
