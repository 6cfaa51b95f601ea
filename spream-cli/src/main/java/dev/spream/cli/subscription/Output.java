package dev.spream.cli.subscription;

import java.io.OutputStream;

/**
 * The outputs of a command.
 *
 * @param records the standard output
 * @param progress the progress line on standard error
 * @param watched whether the standard error is a terminal
 */
record Output(OutputStream records, WatermarkProgress progress, boolean watched) {

    /** Starts the output of records, and of progress on a terminal. */
    LimitedOutput start(long limit, Runnable limitReached) {
        if (!watched) {
            return new LimitedOutput(records, limit, limitReached);
        }
        progress.line().show();
        return new LimitedOutput(progress.line().clearingBefore(records), limit, limitReached);
    }

    void finish(String summary) {
        progress.line().end();
        System.err.println(summary);
    }
}
