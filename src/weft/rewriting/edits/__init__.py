"""Forms written from lemmas edit by edit: each edit depends on the tags, the lemma and what was written."""
