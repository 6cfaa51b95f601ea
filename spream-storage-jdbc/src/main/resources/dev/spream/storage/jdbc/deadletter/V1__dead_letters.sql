-- Changes that were set aside. Times of Spanner are seconds since 1970 with nine decimals, exact to the nanosecond;
-- times of this server's clock are timestamptz. Positions compare as in the program: text by its bytes.

-- letter is the JSON object that a dead letter file has as a line. It is text: jsonb cannot hold the character U+0000,
-- which values of Spanner can, and would not give numbers back as they came. One that was replayed or discarded stays for
-- a while, with settled and settled_at set.
CREATE TABLE dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription text NOT NULL,
    commit_timestamp numeric(21, 9) NOT NULL,
    server_transaction_id text COLLATE "C" NOT NULL,
    record_sequence text COLLATE "C" NOT NULL,
    reason text NOT NULL CHECK (reason IN ('FAILED', 'PARKED', 'BEHIND_PARKED')),
    kept bigint NOT NULL DEFAULT 1, -- how often; a claim settles what it claimed, and nothing that was kept since
    letter text NOT NULL,
    kept_at timestamptz NOT NULL,
    settled text CHECK (settled IN ('REPLAYED', 'DISCARDED')),
    settled_at timestamptz,
    CHECK ((settled IS NULL) = (settled_at IS NULL))
);

CREATE UNIQUE INDEX dead_letters_open
    ON dead_letters (subscription, commit_timestamp, server_transaction_id, record_sequence) WHERE settled IS NULL;

CREATE INDEX dead_letters_settled ON dead_letters (subscription, settled_at) WHERE settled IS NOT NULL;

-- The keys of open letters, with where the letters are in time. A primary key has any length, an index entry has not:
-- key_hash is the SHA-256 of table and key.
CREATE TABLE dead_letter_keys (
    letter_id bigint NOT NULL REFERENCES dead_letters ON DELETE CASCADE,
    key_hash text COLLATE "C" NOT NULL,
    subscription text NOT NULL,
    failed boolean NOT NULL,
    commit_timestamp numeric(21, 9) NOT NULL,
    server_transaction_id text COLLATE "C" NOT NULL,
    record_sequence text COLLATE "C" NOT NULL,
    table_name text NOT NULL,
    key text NOT NULL,
    PRIMARY KEY (letter_id, key_hash)
);

CREATE INDEX dead_letter_keys_of_key ON dead_letter_keys
    (key_hash, subscription, failed, commit_timestamp, server_transaction_id, record_sequence);

CREATE TABLE dead_letter_parked_keys (
    key_hash text COLLATE "C" NOT NULL,
    subscription text NOT NULL,
    table_name text NOT NULL,
    key text NOT NULL,
    parked_at timestamptz NOT NULL,
    PRIMARY KEY (key_hash, subscription)
);

-- Changes that were delivered, or replayed, past letters of a key that failed: those letters are overtaken.
CREATE TABLE dead_letter_passes (
    key_hash text COLLATE "C" NOT NULL,
    subscription text NOT NULL,
    commit_timestamp numeric(21, 9) NOT NULL,
    server_transaction_id text COLLATE "C" NOT NULL,
    record_sequence text COLLATE "C" NOT NULL,
    PRIMARY KEY (key_hash, subscription, commit_timestamp, server_transaction_id, record_sequence)
);

-- Which store may keep letters of a partition: that of the worker that acquired it last.
CREATE TABLE dead_letter_partitions (
    partition_hash text COLLATE "C" NOT NULL,
    subscription text NOT NULL,
    store text NOT NULL,
    acquired_at timestamptz NOT NULL,
    PRIMARY KEY (partition_hash, subscription)
);
