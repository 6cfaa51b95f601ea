-- An outbox and the ledger of its idempotency keys, in MySQL and MariaDB. All times are this server's UTC_TIMESTAMP. A statement
-- that creates a table commits at once, so each can be run again. Case, accents and trailing spaces of texts count.

-- A response is kept as its text: a repeated request is answered with the same bytes.
CREATE TABLE IF NOT EXISTS @ledger (
    idempotency_key VARCHAR(512) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    generation INT NOT NULL,
    request_digest VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    http_status INT,
    response_payload_json LONGTEXT CHARACTER SET utf8mb4 COLLATE ${collation},
    reason_code VARCHAR(64) CHARACTER SET utf8mb4 COLLATE ${collation},
    created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    updated_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    settled_at DATETIME(6),
    PRIMARY KEY (idempotency_key, generation),
    KEY begun (created_at),
    CHECK (status IN ('in_progress', 'succeeded', 'failed'))
) ENGINE = InnoDB;

-- The generated columns have values for the entries of one kind alone, so that their indexes list those in their order: entries
-- without an ordering key that can be claimed, unsettled entries of a segment, entries that may expire, and settled entries.
-- The destination names the sender that sends an entry; '' is the default one.
-- A parked entry is due at the last time that a column holds. MySQL also computes a generated column before the defaults of an
-- insert, with a zero date, which it then refuses to store.
CREATE TABLE IF NOT EXISTS @outbox (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    idempotency_key VARCHAR(512) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    order_request_json LONGTEXT CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    payload_type VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ${collation},
    request_digest VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT 'pending',
    attempts INT NOT NULL DEFAULT 0,
    outcome_unknown BOOLEAN NOT NULL DEFAULT FALSE,
    last_error_code VARCHAR(64) CHARACTER SET utf8mb4 COLLATE ${collation},
    last_error_msg VARCHAR(512) CHARACTER SET utf8mb4 COLLATE ${collation},
    locked_by VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin,
    locked_at DATETIME(6),
    lease_until DATETIME(6),
    claim_token BIGINT NOT NULL DEFAULT 0,
    next_run_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    expires_at DATETIME(6),
    destination VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
    ordering_key VARCHAR(512) CHARACTER SET utf8mb4 COLLATE ${collation},
    segment SMALLINT,
    generation INT NOT NULL DEFAULT 1,
    traceparent VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ${collation},
    created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    updated_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    due_at DATETIME(6) AS (CASE WHEN segment IS NOT NULL OR next_run_at < '1000-01-01' THEN NULL
        WHEN status IN ('pending', 'failed') THEN next_run_at WHEN status = 'sending' THEN lease_until END) STORED,
    open_segment SMALLINT AS (CASE WHEN status IN ('pending', 'sending', 'failed') THEN segment END) STORED,
    expiring_at DATETIME(6) AS (CASE WHEN status IN ('pending', 'failed') AND next_run_at < '9999-12-31 23:59:59.999999'
        THEN expires_at END) STORED,
    settled_at DATETIME(6) AS (CASE WHEN status IN ('succeeded', 'aborted') THEN updated_at END) STORED,
    UNIQUE KEY idempotency_key (idempotency_key),
    KEY due (destination, due_at, id),
    KEY segment_order (open_segment, destination, id),
    KEY key_order (ordering_key, destination, status, id),
    KEY expiring (expiring_at, id),
    KEY settled (settled_at, id),
    KEY status (status, next_run_at, id),
    CHECK (status IN ('pending', 'sending', 'failed', 'succeeded', 'aborted')),
    CHECK (status <> 'sending' OR lease_until IS NOT NULL),
    CHECK ((segment IS NULL) = (ordering_key IS NULL)),
    CHECK (segment IS NULL OR segment BETWEEN 0 AND 255)
) ENGINE = InnoDB;

-- The leases of segments: the holder of a segment sends its entries with an ordering key.
CREATE TABLE IF NOT EXISTS @segments (
    segment SMALLINT NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL DEFAULT 0,
    owner VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin,
    lease_until DATETIME(6),
    KEY owner (owner, segment),
    CHECK (segment BETWEEN 0 AND 255)
) ENGINE = InnoDB;

INSERT IGNORE INTO @segments (segment)
WITH RECURSIVE numbers AS (SELECT 0 AS number UNION ALL SELECT number + 1 FROM numbers WHERE number < 255)
SELECT number FROM numbers;

CREATE TABLE IF NOT EXISTS @workers (
    owner VARCHAR(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    alive_until DATETIME(6) NOT NULL
) ENGINE = InnoDB;

-- Operators' changes. They outlive the entries.
CREATE TABLE IF NOT EXISTS @audit (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    actor VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    action VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    entry_id BIGINT NOT NULL,
    idempotency_key VARCHAR(512) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    outcome VARCHAR(200) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    reason VARCHAR(1000) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL,
    KEY entry (entry_id, id),
    KEY at (at, id)
) ENGINE = InnoDB;

-- The version of these tables. Last: with it, all of them are there.
CREATE TABLE IF NOT EXISTS @history (
    version INT NOT NULL PRIMARY KEY,
    migrated_at DATETIME(6) NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO @history (version, migrated_at) VALUES (1, UTC_TIMESTAMP(6));
