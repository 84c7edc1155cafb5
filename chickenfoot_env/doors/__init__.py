"""Doors to other libraries: one module each, which needs its library and which nothing imports.

The modules that a door is made of begin with its name.
"""
