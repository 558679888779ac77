"""The lab: a page in the browser to play, analyse, watch, learn and write games.

requests, events   what page and server say to each other, as typed messages
schema             the JSON schema of both, which the page reads
access             who may connect: hosts, origins, the token, headers
workspace          the folder of the user: rule sheets, records, runs
shelf              games by their ids, with simulator and board
drawing            positions as messages: a picture, and the legal moves
matches            matches with persons and agents, and who follows them
analyses           searches for pages, which stop when nobody looks
tournaments        matches between all agents, one after the other
records            match records: read, written, listed
drafts             rules as one types: problems, the first position, figures
forms              the form of a training run, from its settings
runs, run_worker   training runs in processes of their own
desk               carries out the requests of a page
connection         one page: its socket, and what waits to be sent
server             the web application, from start to end

It reads the library and has no game logic of its own. Starlette and uvicorn come with
`pip install 'gamelore[lab]'`.
"""
