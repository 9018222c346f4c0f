"""Language models and embedders of others, over pydantic-ai: loaded only where the settings name one."""
