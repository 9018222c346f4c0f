"""Plain facts of language that several stages share: tokens, sentences, passages, cues."""
