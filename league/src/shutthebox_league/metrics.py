"""Counters of a consumer, in OpenMetrics' format."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram


class Metrics:
    """The counters of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.messages = Counter(
            "shutthebox_league_messages",
            "Messages by what became of them",
            ["outcome"],
            registry=self.registry,
        )
        self.dropped = Counter(
            "shutthebox_league_dropped",
            "Messages of boxes that sent too many at once",
            registry=self.registry,
        )
        self.waiting = Gauge("shutthebox_league_waiting", "Messages that wait", registry=self.registry)
        self.database_errors = Counter(
            "shutthebox_league_database_errors", "Transactions that failed", registry=self.registry
        )
        self.seconds = Histogram(
            "shutthebox_league_transaction_seconds",
            "Time of a transaction, whatever it commits",
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
            registry=self.registry,
        )
        self.connected = Gauge(
            "shutthebox_league_connected", "Whether the broker is there", registry=self.registry
        )
