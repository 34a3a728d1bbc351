"""Alembic's entry: it is handed a connection by `shutthebox_league.database.migrate`."""

from alembic import context

from shutthebox_league.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
