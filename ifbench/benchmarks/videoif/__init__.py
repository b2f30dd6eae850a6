"""Video-IFBench: instructions on real video, 39 types of constraints in two kinds."""
