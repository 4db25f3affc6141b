"""Models behind HTTP, and a page that shows what they do.

`supervisor` starts `worker` processes; each has the application of `routes`, guarded by `guards`: requests are read by
`bodies` into `types`, their cost is held against `limits`, `batching` asks the `tasks` of the `models` about them in
micro-batches, and `metrics` counts.
"""
