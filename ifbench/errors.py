"""The errors that a user can meet and mend; each is raised before the first paid call.

    IfbenchError
    ├─ ConfigError          conf/model/x.yaml: `limits.concurrency` must be above 0, got -1
    ├─ DatasetError         scimif.jsonl line 12: unknown constraint `general:decimals`
    ├─ PrerequisiteError    chemistry constraints need RDKit: install `ifbench[chemistry]`
    └─ StoreError           responses/x.arrow: schema version 9, this ifbench reads 1

What happens to one row (an outage, a refusal) is no error but a `Failure`, which is data.
"""

from __future__ import annotations


class IfbenchError(Exception):
    """Anything that the user can mend; the message says what was found, expected and where."""


class ConfigError(IfbenchError):
    """A group, name, key or value of the configuration is wrong."""


class DatasetError(IfbenchError):
    """A record file cannot be used; names the file and the line."""


class PrerequisiteError(IfbenchError):
    """Something is missing on this machine; says how to get it."""


class StoreError(IfbenchError):
    """The store cannot be read or written."""
