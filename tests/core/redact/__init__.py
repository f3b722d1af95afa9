"""Tests of taking credentials out of text."""
