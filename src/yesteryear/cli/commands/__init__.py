"""The commands, in rooms by what a person does. What loads numpy is imported when one runs, so that help is quick."""
