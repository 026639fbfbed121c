"""What the command line can do, a file a group of commands; `service.cli` joins them."""
