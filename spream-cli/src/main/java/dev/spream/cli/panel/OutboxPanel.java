package dev.spream.cli.panel;

import dev.spream.cli.http.Panel;
import dev.spream.cli.http.PanelCommand;
import dev.spream.cli.output.Members;
import dev.spream.core.record.JsonObject;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** The outbox: entries by status, the oldest due one, and those that need an operator, with requeue and abort. */
public final class OutboxPanel implements Panel {
    private static final int LISTED = 20;

    private final Opening<OutboxOperations> outbox;
    private final Supplier<Optional<Members>> worker;

    /** @param worker the state of the worker in this process; empty without one */
    public OutboxPanel(Opening<OutboxOperations> outbox, Supplier<Optional<Members>> worker) {
        this.outbox = outbox;
        this.worker = worker;
    }

    @Override
    public String name() {
        return "outbox";
    }

    @Override
    public Members read() throws Exception {
        OutboxOperations open = outbox.get();
        OutboxStats stats = open.stats();
        boolean anyAborted = stats.entries().getOrDefault(OutboxStatus.ABORTED, 0L) > 0;
        return new Members()
                .put("stats", OutboxMembers.stats(stats))
                .put("worker", worker.get())
                .list("parked", stats.parked() > 0 ? parked(open) : List.of(), OutboxMembers::entry)
                .list("aborted", anyAborted ? aborted(open) : List.of(), OutboxMembers::entry)
                .put("listed", LISTED);
    }

    private static List<OutboxRow> parked(OutboxOperations open) {
        return open.list(new OutboxFilter(Set.of(), true, "", Optional.empty(), Optional.empty(), 0, LISTED));
    }

    private static List<OutboxRow> aborted(OutboxOperations open) {
        return open.list(new OutboxFilter(
                Set.of(OutboxStatus.ABORTED), false, "", Optional.empty(), Optional.empty(), 0, LISTED));
    }

    /** Longer than of other panels, since its entries may be found by reading many others. */
    @Override
    public Duration interval() {
        return Duration.ofSeconds(10);
    }

    @Override
    public Map<String, PanelCommand> commands() {
        Map<String, PanelCommand> commands = new LinkedHashMap<>();
        commands.put("requeue", (arguments, actor) -> change("requeued", arguments, actor, OutboxOperations::requeue));
        commands.put("abort", (arguments, actor) -> change("aborted", arguments, actor, OutboxOperations::abort));
        return commands;
    }

    private interface Change {
        OperatorResult make(OutboxOperations outbox, long id, OperatorAction act);
    }

    private PanelCommand.Outcome change(String done, JsonObject given, String actor, Change change) throws Exception {
        CommandArguments arguments = CommandArguments.of(given);
        long id = arguments.id();
        OperatorAction act = new OperatorAction(actor, arguments.text("reason"));
        return switch (change.make(outbox.get(), id, act)) {
            case OperatorResult.Done changed ->
                new PanelCommand.Outcome(
                        true,
                        "entry %d was %s; it is %s now"
                                .formatted(id, done, changed.after().status().text()));
            case OperatorResult.Refused refused ->
                new PanelCommand.Outcome(false, "entry %d was not %s: %s".formatted(id, done, refused.why()));
            case OperatorResult.NotFound absent ->
                new PanelCommand.Outcome(false, "there is no entry %d; nothing was changed".formatted(id));
        };
    }
}
