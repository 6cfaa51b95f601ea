package dev.spream.cli.outbox;

import dev.spream.cli.output.PlainText;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.LongFunction;
import picocli.CommandLine.ExitCode;

/** Changes entries one by one, prints the reason for each that is skipped, and counts. */
final class OutboxChange {
    private static final int AT_ONCE = 1_000;

    private final String name;
    private final OutboxOperations outbox;
    private final LongFunction<OperatorResult> change;
    private final PrintWriter err;
    private long changed;
    private long left;

    /** @param name the command, such as {@code requeue} */
    OutboxChange(String name, OutboxOperations outbox, LongFunction<OperatorResult> change, PrintWriter err) {
        this.name = name;
        this.outbox = outbox;
        this.change = change;
        this.err = err;
    }

    /** Changes the given entries. Returns the exit code. */
    int entries(List<Long> ids) {
        ids.forEach(this::one);
        return finish();
    }

    /** Changes all entries that match the filter, once each; entries that start to match meanwhile may be included. */
    int all(OutboxFilterArguments filter) {
        long after = 0;
        List<OutboxRow> page;
        do {
            page = outbox.list(filter.filter(after, AT_ONCE));
            for (OutboxRow row : page) {
                one(row.id());
                after = row.id();
            }
        } while (page.size() == AT_ONCE);
        return finish();
    }

    private void one(long id) {
        switch (change.apply(id)) {
            case OperatorResult.Done done -> {
                changed++;
                err.printf("%s %d: %s%n", name, id, OutboxPrinter.state(done.after()));
            }
            case OperatorResult.Refused refused -> {
                left++;
                err.printf("skipped %d: %s%n", id, PlainText.of(refused.why()));
            }
            case OperatorResult.NotFound absent -> {
                left++;
                err.printf("skipped %d: there is no such entry%n", id);
            }
        }
    }

    private int finish() {
        err.printf("%s: %d changed%s%n", name, changed, left == 0 ? "" : ", %d skipped".formatted(left));
        return left == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
