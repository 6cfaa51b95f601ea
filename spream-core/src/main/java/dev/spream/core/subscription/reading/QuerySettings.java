package dev.spream.core.subscription.reading;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The settings of the queries of a reading.
 *
 * @param heartbeatInterval the interval of heartbeats while the partition is idle
 * @param missedHeartbeats the number of intervals without a record after which a stream has stalled; at least 1
 * @param prefetchBytes the number of bytes that the client may fetch ahead; at least 1
 */
public record QuerySettings(Duration heartbeatInterval, int missedHeartbeats, long prefetchBytes) {
    private static final Duration FIRST_ROW_TIMEOUT = Duration.ofSeconds(10);
    private static final int MAX_DOUBLINGS = 7;

    public QuerySettings {
        requireNonNull(heartbeatInterval, "heartbeatInterval");
    }

    /**
     * Returns how long a stream may return no record before it is cancelled and queried again. Before its first row,
     * the time that it takes to set it up is included, which may be longer than a short heartbeat interval. After
     * failures it is longer as well: the changes of one timestamp, with which a query begins again, may take longer.
     *
     * @param failures how many queries in a row have brought nothing new
     */
    public Duration stallTimeout(boolean beforeFirstRow, int failures) {
        Duration timeout = heartbeatInterval.multipliedBy(missedHeartbeats);
        if (timeout.compareTo(FIRST_ROW_TIMEOUT) >= 0) {
            return timeout;
        }
        Duration patience = timeout.multipliedBy(1L << Math.min(failures, MAX_DOUBLINGS));
        return beforeFirstRow || patience.compareTo(FIRST_ROW_TIMEOUT) > 0 ? FIRST_ROW_TIMEOUT : patience;
    }
}
