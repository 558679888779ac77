"""HTTP for the GGP protocol: messages, a listening port, requests to many peers."""
