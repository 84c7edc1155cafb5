"""Pictures of the table: `layout` says where each tile lies, `svg` and `raster` draw it."""
