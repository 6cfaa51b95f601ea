package dev.spream.storage.jdbc.lock.dialect;

/**
 * The statements that store and read reports in one kind of database, with {@code @} for the place.
 *
 * @param putOwner process, session, label, held, wanted, microseconds held, microseconds waited (0 if not),
 *     microseconds to live
 * @param addWaits level, bucket, waits, microseconds waited
 * @param owners the owners of processes that are alive, the newest report first: process, session, label, held, wanted,
 *     held_micros and waiting_micros
 * @param waits level, bucket, waits and waited_micros, of so many hours
 * @param expired the processes that have expired owners
 * @param dropWaits removes rows older than so many hours
 */
public record ReportSql(
        String putOwner,
        String addWaits,
        String owners,
        String waits,
        String expired,
        String dropExpired,
        String dropWaits) {}
