package dev.spream.storage.jdbc.projection;

import java.sql.SQLException;

/**
 * What tells the transaction that a projection was handed from one that has taken its place, as after {@code COMMIT AND CHAIN}:
 * a setting that ends with it. It keeps the {@code search_path} that the session had, to which the session returns.
 */
final class HandedTransaction {
    /** Goes before the first statement of the transaction. */
    static final String BEGIN = "SELECT set_config('spream.handed', '=' || current_setting('search_path'), true);\n";

    private static final String IS_KEPT = "SELECT current_setting('spream.handed', true) LIKE '=%' AS kept";

    /** What the transaction has goes on for those who act as it commits, such as deferred triggers. */
    private static final String LEAVE = """
            SELECT kept, set_config('search_path', path, true)
            FROM (SELECT current_setting('spream.handed', true) LIKE '=%' AS kept, current_setting('search_path') AS path,
                    set_config('search_path', substr(current_setting('spream.handed', true), 2), false) AS back) AS session""";

    private HandedTransaction() {}

    /** Adds that the session has its own {@code search_path} once the transaction has committed. */
    static RoundTrip.Rows<Boolean> leave(RoundTrip trip) {
        return trip.rows(LEAVE, p -> {}, row -> row.getBoolean("kept"));
    }

    /** Whether it is what the projection was handed; asks the server, which has to have found no error in it. */
    static boolean isKept(ProjectionTransaction transaction) throws SQLException {
        RoundTrip trip = transaction.next();
        RoundTrip.Rows<Boolean> kept = trip.rows(IS_KEPT, p -> {}, row -> row.getBoolean("kept"));
        trip.run();
        return kept.list().getFirst();
    }
}
