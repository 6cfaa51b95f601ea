package dev.spream.cli.subscription;

import static dev.spream.cli.output.Dot.quoted;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.Members;
import dev.spream.cli.output.PartitionLayout;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.PartitionEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A graph of partitions as lines of text, for Graphviz, or as JSON. Confined to one thread. */
final class StreamGraphText {
    private static final String NONE = "-";

    private final StreamGraph graph;
    private final PartitionLayout layout;
    private final Map<PartitionToken, PartitionMetadata> partitions = new HashMap<>();

    StreamGraphText(StreamGraph graph) {
        this.graph = graph;
        this.layout = new PartitionLayout(graph.partitions());
        graph.partitions().forEach(partition -> partitions.put(partition.token(), partition));
    }

    /** Returns a tree, each partition below its first parent. */
    List<String> tree() {
        return Stream.concat(
                        Stream.of(head()),
                        Columns.table(
                                List.of("PARTITION", "FROM", "TO", "LASTED", "CHANGES", ""), layout.lines(), this::row)
                                .stream())
                .toList();
    }

    private String head() {
        boolean mutable = graph.mode() == PartitionMode.MUTABLE_KEY_RANGE;
        return "%s from %s to %s: %s"
                .formatted(
                        graph.stream(),
                        graph.start(),
                        graph.end(),
                        mutable
                                ? "partitions %d, key ranges moved %d times"
                                        .formatted(
                                                graph.partitions().size() - 1,
                                                graph.moves().stream()
                                                        .filter(move -> !move.moveInSources()
                                                                .isEmpty())
                                                        .count())
                                : graph.counts().toString());
    }

    private List<String> row(PartitionLayout.Line line) {
        PartitionMetadata partition = line.partition();
        Optional<Instant> end = end(partition);
        return List.of(
                line.name(),
                time(partition.startTimestamp()),
                end.map(StreamGraphText::time).orElse(NONE),
                end.map(at -> Figures.duration(Duration.between(partition.startTimestamp(), at)))
                        .orElse(NONE),
                Figures.count(changes(partition)),
                notes(partition));
    }

    private long changes(PartitionMetadata partition) {
        return graph.changes().getOrDefault(partition.token(), 0L);
    }

    private static String time(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    /** Returns the end of the partition; empty if it is later than the period. */
    private static Optional<Instant> end(PartitionMetadata partition) {
        return partition
                .endProof()
                .filter(proof -> proof.kind() != PartitionEnd.Kind.BOUNDED_END)
                .map(PartitionEnd::at);
    }

    private String notes(PartitionMetadata partition) {
        List<String> notes = new ArrayList<>();
        partition
                .endProof()
                .map(end -> partition.token().isRoot() ? "begins with " + tokens(end.children()) : ending(end))
                .ifPresent(notes::add);
        String others = tokens(layout.parents(partition).stream().skip(1).toList());
        if (!others.isEmpty()) {
            notes.add("also continues " + others);
        }
        graph.moves(partition).forEach(move -> notes.add(moved(move)));
        return String.join("; ", notes);
    }

    private String ending(PartitionEnd end) {
        return switch (end.kind()) {
            case BOUNDED_END -> "open";
            case CHILD_PARTITIONS -> continued(end.children());
            case PARTITION_END -> "ends" + (end.children().isEmpty() ? "" : ", continues in " + tokens(end.children()));
            case RETENTION_LOST, ADOPTED -> "lost";
        };
    }

    private String continued(List<PartitionToken> children) {
        if (children.size() > 1) {
            return "splits into " + tokens(children);
        }
        PartitionMetadata child = partitions.get(children.getFirst());
        boolean merge = child != null && child.parentTokens().size() > 1;
        return (merge ? "merges into " : "moves to ") + tokens(children);
    }

    private static String moved(PartitionEventRecord move) {
        List<String> parts = new ArrayList<>();
        if (!move.moveInSources().isEmpty()) {
            parts.add("in from " + names(move.moveInSources()));
        }
        if (!move.moveOutDestinations().isEmpty()) {
            parts.add("out to " + names(move.moveOutDestinations()));
        }
        return "keys %s at %s".formatted(String.join(" and ", parts), time(move.commitTimestamp()));
    }

    private static String names(Collection<String> tokens) {
        return tokens(tokens.stream().map(PartitionToken::new).toList());
    }

    private static String tokens(Collection<PartitionToken> tokens) {
        return tokens.stream().map(PartitionToken::abbreviated).collect(Collectors.joining(", "));
    }

    /** Returns a graph for Graphviz: solid edges to children, dashed ones where key ranges moved. */
    List<String> dot() {
        List<String> lines = new ArrayList<>();
        lines.add("digraph partitions {");
        lines.add("  label=%s".formatted(quoted(head())));
        lines.add("  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\"]");
        for (PartitionMetadata partition : graph.partitions()) {
            lines.add("  %s [label=%s%s]"
                    .formatted(
                            quoted(partition.token().value()),
                            quoted("%s\n%s\n%s changes"
                                    .formatted(
                                            partition.token().abbreviated(),
                                            period(partition),
                                            Figures.count(changes(partition)))),
                            end(partition).isPresent() ? ", fillcolor=lightgray" : ""));
        }
        for (PartitionMetadata partition : graph.partitions()) {
            layout.parents(partition)
                    .forEach(parent ->
                            lines.add(edge(parent.value(), partition.token().value(), "")));
        }
        for (PartitionEventRecord move : graph.moves()) {
            String label = " [style=dashed, label=%s]".formatted(quoted(time(move.commitTimestamp())));
            move.moveInSources().forEach(source -> lines.add(edge(source, move.partitionToken(), label)));
        }
        lines.add("}");
        return lines;
    }

    private static String edge(String from, String to, String style) {
        return "  %s -> %s%s".formatted(quoted(from), quoted(to), style);
    }

    private static String period(PartitionMetadata partition) {
        return "%s – %s"
                .formatted(
                        time(partition.startTimestamp()),
                        end(partition).map(StreamGraphText::time).orElse(""));
    }

    /** Returns one JSON object. */
    String json() {
        return new Members()
                .put("stream", graph.stream())
                .put("partition_mode", graph.mode().name())
                .put("start_timestamp", graph.start())
                .put("end_timestamp", graph.end())
                .list("partitions", graph.partitions(), this::partition)
                .toString();
    }

    private Members partition(PartitionMetadata partition) {
        return new Members()
                .put("token", partition.token())
                .put("parent_tokens", partition.parentTokens())
                .put("start_timestamp", partition.startTimestamp())
                .put("end_timestamp", end(partition))
                .put(
                        "child_tokens",
                        partition.endProof().map(PartitionEnd::children).orElse(List.of()))
                .put("changes", changes(partition))
                .list(
                        "moves",
                        graph.moves(partition),
                        move -> new Members()
                                .put("commit_timestamp", move.commitTimestamp())
                                .put("sources", move.moveInSources())
                                .put("destinations", move.moveOutDestinations()));
    }
}
