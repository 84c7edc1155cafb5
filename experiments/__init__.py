"""Playing agents against one another, and measuring what came of it.

`match` plays games, `tournament` decides who meets whom on which deals, `store` keeps the results
in one file, `statistics` puts error bars on them, `report` shows them, `cli` is the command line.
Playing and reporting meet in the results file only.
"""
