package dev.spream.cli.outbox;

import dev.spream.cli.output.PlainText;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.LongFunction;
import picocli.CommandLine.ExitCode;

/** Changes entries by hand one after the other, says what became of each that was not changed, and counts. */
final class OutboxChange {
    private static final int AT_ONCE = 1_000;

    private final String name;
    private final OutboxOperations outbox;
    private final LongFunction<OperatorResult> change;
    private final PrintWriter err;
    private long changed;
    private long left;

    /** @param name of the command, such as {@code requeue} */
    OutboxChange(String name, OutboxOperations outbox, LongFunction<OperatorResult> change, PrintWriter err) {
        this.name = name;
        this.outbox = outbox;
        this.change = change;
        this.err = err;
    }

    /** These entries. Returns the exit code. */
    int entries(List<Long> ids) {
        ids.forEach(this::one);
        return finish();
    }

    /** All that the filter chooses, once each: those that come to fit it meanwhile may be among them. */
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
                err.printf("left %d: %s%n", id, PlainText.of(refused.why()));
            }
            case OperatorResult.NotFound absent -> {
                left++;
                err.printf("left %d: there is no such entry%n", id);
            }
        }
    }

    private int finish() {
        err.printf("%s: %d changed%s%n", name, changed, left == 0 ? "" : ", %d left".formatted(left));
        return left == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }
}
