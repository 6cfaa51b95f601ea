-- Which changes have taken effect. Times are those of Spanner, in nanoseconds since 1970:
-- to_timestamp(settled_below / 1e9) shows them readably.

-- A change before covers_from is not for this ledger; one before settled_below is settled and has no row any more, unless
-- it was replayed. Both are null as long as nothing but replays has come.
CREATE TABLE applied_ledger (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    covers_from bigint,
    settled_below bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (settled_below >= covers_from)
);

CREATE TABLE applied_change (
    ledger int NOT NULL,
    commit_nanos bigint NOT NULL,
    transaction_id text NOT NULL,
    record_sequence text NOT NULL,
    replayed boolean NOT NULL,
    PRIMARY KEY (ledger, commit_nanos, transaction_id, record_sequence)
);
