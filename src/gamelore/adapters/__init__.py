"""Adapters to the interfaces of other libraries; each is imported only when used."""
