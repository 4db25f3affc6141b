"""Learners: each turns a batch of output spaces into weights."""
