# syntax=docker/dockerfile:1
# The image of every pod of ours: head, workers, submitter. See k8s/README.md.
#   docker build --build-arg EXTRAS=all --tag REGISTRY/ifbench:0.1.0 .
# Python and Ray must be the same in all pods, and Ray's version the one that the RayJob names.

FROM ghcr.io/astral-sh/uv:0.13.9 AS uv

FROM python:3.11-slim-trixie AS build
# Names of extras in pyproject.toml, separated by blanks.
ARG EXTRAS=all
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_COMPILE_BYTECODE=1 \
    UV_LINK_MODE=copy \
    UV_PROJECT_ENVIRONMENT=/opt/ifbench \
    UV_PYTHON_DOWNLOADS=never
WORKDIR /src
# The dependencies change less often than the code, so they are a layer of their own.
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN --mount=type=cache,target=/root/.cache/uv \
    set -- && for extra in $EXTRAS; do set -- "$@" --extra "$extra"; done && \
    uv sync --locked --no-install-project "$@"
COPY conf conf
COPY k8s k8s
COPY ifbench ifbench
RUN --mount=type=cache,target=/root/.cache/uv \
    set -- && for extra in $EXTRAS; do set -- "$@" --extra "$extra"; done && \
    uv sync --locked --no-editable "$@"

FROM python:3.11-slim-trixie
LABEL org.opencontainers.image.title="ifbench" \
      org.opencontainers.image.description="Instruction following of multimodal models, on Ray" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
# KubeRay may start its command in a login shell, which sets PATH anew.
RUN echo "PATH=/opt/ifbench/bin:\$PATH" > /etc/profile.d/ifbench.sh && \
    useradd --uid 1000 --user-group --no-create-home --home-dir /tmp ifbench && \
    install --directory --owner 1000 --group 1000 /store /cache
COPY --from=build /opt/ifbench /opt/ifbench
COPY jobs /app/jobs
# Nothing is written but below /store, /cache and /tmp, which are volumes in a cluster.
ENV PATH=/opt/ifbench/bin:$PATH \
    HOME=/tmp \
    IFBENCH_CACHE=/cache \
    XDG_CACHE_HOME=/cache \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
WORKDIR /app
USER 1000:1000
HEALTHCHECK NONE
CMD ["ifbench", "--help"]
