package dev.spream.cli.subscription;

import dev.spream.cli.command.UsageFailure;
import dev.spream.core.consume.TransactionMode;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The flags for the delivery of whole transactions. */
final class TransactionArguments {
    @Option(
            names = "--whole-transactions",
            description = "Deliver the changes of a transaction together, once all of them were read.")
    private boolean whole;

    @Option(
            names = "--commit-order",
            description =
                    "Deliver whole transactions in the order of their commit timestamps over all partitions. An idle"
                            + " partition delays them by about a heartbeat interval.")
    private boolean commitOrder;

    TransactionMode mode() {
        return given().orElse(TransactionMode.OFF);
    }

    /** Returns the mode of the flag; none if there is neither. */
    Optional<TransactionMode> given() {
        if (whole && commitOrder) {
            throw new UsageFailure("--commit-order includes --whole-transactions; remove one of them");
        }
        if (commitOrder) {
            return Optional.of(TransactionMode.COMMIT_ORDER);
        }
        return whole ? Optional.of(TransactionMode.WHOLE) : Optional.empty();
    }
}
