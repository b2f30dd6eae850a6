"""A run as a RayJob: `overlays` reads the manifests, `rayjob` writes a command into them, and
`kubectl` renders and applies. What the manifests are for stands in `k8s/README.md`.
"""
