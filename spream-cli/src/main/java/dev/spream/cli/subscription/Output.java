package dev.spream.cli.subscription;

import dev.spream.core.source.ChangeStreamSource;
import java.io.OutputStream;

/**
 * The outputs of a command.
 *
 * @param records the standard output
 * @param format the format of the records
 * @param allRecords whether records that are not delivered are printed
 * @param progress the progress line on standard error
 * @param watched whether the standard error is a terminal
 */
record Output(
        OutputStream records, LineFormat format, boolean allRecords, WatermarkProgress progress, boolean watched) {

    /** Starts the output of records, and of progress on a terminal. */
    LimitedOutput start(long limit, Runnable limitReached) {
        if (!watched) {
            return new LimitedOutput(records, format, limit, limitReached);
        }
        progress.line().show();
        return new LimitedOutput(progress.line().clearingBefore(records), format, limit, limitReached);
    }

    /** Returns the source, with its records printed if all are. */
    ChangeStreamSource printing(ChangeStreamSource source, LimitedOutput lines) {
        return allRecords ? new ReadRecords(source, lines::other) : source;
    }

    void finish(String summary) {
        progress.line().end();
        System.err.println(summary);
    }
}
