"""The screens, one module each, and the dialogs that return a value."""
