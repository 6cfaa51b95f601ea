-- What hierarchical locks are taken on, in MySQL and MariaDB. All times are this server's UTC_TIMESTAMP. Taking a lock
-- writes nothing here. A statement that creates a table commits at once, so each can be run again.

-- What everybody who locks in this database has agreed on: one row, from when the first did. Of the buckets the first ones
-- are there, in the order of level and bucket; provisioned says how many of them in all.
CREATE TABLE IF NOT EXISTS @hier_lock_space (
    id TINYINT NOT NULL PRIMARY KEY,
    strategy VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    hash SMALLINT NOT NULL,
    buckets BIGINT NOT NULL,
    levels SMALLINT NOT NULL,
    provisioned BIGINT NOT NULL DEFAULT 0,
    recorded_at DATETIME(6) NOT NULL,
    provisioned_at DATETIME(6)
) ENGINE = InnoDB;

-- One row for each bucket, which is locked and never changed. The name and the columns are those that others may share.
CREATE TABLE IF NOT EXISTS @hier_lock_buckets (
    level TINYINT NOT NULL,
    bucket INT NOT NULL,
    PRIMARY KEY (level, bucket)
) ENGINE = InnoDB;

-- The last fencing epoch that was given out.
CREATE TABLE IF NOT EXISTS @hier_lock_epoch (
    id TINYINT NOT NULL PRIMARY KEY,
    epoch BIGINT NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO @hier_lock_epoch (id, epoch) VALUES (1, 0);

-- Who holds locks and waits for some, by name: what processes said of themselves, for people. Targets are JSON text.
CREATE TABLE IF NOT EXISTS @hier_lock_owner (
    process VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    session VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    label TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    held MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    wanted MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    held_since DATETIME(6),
    waiting_since DATETIME(6),
    expires_at DATETIME(6) NOT NULL,
    PRIMARY KEY (process, session)
) ENGINE = InnoDB;

-- How often and how long buckets were waited for in an hour. Hours that are long over are removed.
CREATE TABLE IF NOT EXISTS @hier_lock_wait (
    level TINYINT NOT NULL,
    bucket BIGINT NOT NULL,
    hour DATETIME NOT NULL,
    waits BIGINT NOT NULL,
    waited_micros BIGINT NOT NULL,
    PRIMARY KEY (level, bucket, hour),
    KEY hier_lock_wait_hour (hour)
) ENGINE = InnoDB;

-- Which version of these tables this is. Stays last: with it, all of them are there.
CREATE TABLE IF NOT EXISTS @hier_lock_history (
    version INT NOT NULL PRIMARY KEY,
    migrated_at DATETIME(6) NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO @hier_lock_history (version, migrated_at) VALUES (1, UTC_TIMESTAMP(6));
