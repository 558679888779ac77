"""The GGP protocol over HTTP: playing for any manager, and managing any players.

messages        text ↔ values: INFO, PREVIEW, START, PLAY, STOP, ABORT
wire            bytes ↔ HTTP, without input or output
player_server   an agent on a port
manager         matches between peers, on the network and in this process
match_files     their records
tournament      round robin: from a file by a schedule to a folder and a report
"""
