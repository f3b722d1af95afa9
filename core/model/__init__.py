"""The frozen values that all rooms exchange. Imports nothing of ours."""
