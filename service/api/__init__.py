"""The service as programs see it: contract.md §2 to §7 over HTTP, a blueprint a resource."""
