"""The frozen values every room speaks in. Imports nothing of ours."""
