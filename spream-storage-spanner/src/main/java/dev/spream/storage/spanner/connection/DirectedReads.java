package dev.spream.storage.spanner.connection;

import com.google.spanner.v1.DirectedReadOptions;
import com.google.spanner.v1.DirectedReadOptions.ExcludeReplicas;
import com.google.spanner.v1.DirectedReadOptions.IncludeReplicas;
import com.google.spanner.v1.DirectedReadOptions.ReplicaSelection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Directed reads as text: {@code include:us-east1/read-only,us-east4} prefers these replicas in this order, {@code only:}
 * uses no others, {@code exclude:} avoids them. A replica is a location, a type, or both.
 */
public final class DirectedReads {
    public static final String FORM = "include:, only: or exclude:, and replicas separated by commas";

    private static final String INCLUDE = "include";
    private static final String ONLY = "only";
    private static final Pattern WRITTEN = Pattern.compile("(?<rule>include|only|exclude):(?<replicas>.+)");
    private static final Pattern REPLICA = Pattern.compile(
            "(?:(?<type>read-only|read-write)|(?<location>[a-z][a-z0-9-]{0,62})(?:/(?<of>read-only|read-write))?)");
    /** A limit of Spanner. */
    private static final int MAX_REPLICAS = 10;

    private DirectedReads() {}

    /**
     * Returns the options that a text names.
     *
     * @throws IllegalArgumentException if the text has another form; the message has the expected one
     */
    public static DirectedReadOptions parse(String text) {
        Matcher written = WRITTEN.matcher(text);
        if (!written.matches()) {
            throw malformed();
        }
        List<ReplicaSelection> replicas = Arrays.stream(
                        written.group("replicas").split(",", -1))
                .map(String::strip)
                .map(DirectedReads::replica)
                .toList();
        if (replicas.size() > MAX_REPLICAS) {
            throw new IllegalArgumentException("expected at most %d replicas".formatted(MAX_REPLICAS));
        }
        DirectedReadOptions.Builder options = DirectedReadOptions.newBuilder();
        String rule = written.group("rule");
        return switch (rule) {
            case INCLUDE, ONLY ->
                options.setIncludeReplicas(IncludeReplicas.newBuilder()
                                .addAllReplicaSelections(replicas)
                                .setAutoFailoverDisabled(rule.equals(ONLY)))
                        .build();
            default ->
                options.setExcludeReplicas(ExcludeReplicas.newBuilder().addAllReplicaSelections(replicas))
                        .build();
        };
    }

    private static ReplicaSelection replica(String text) {
        Matcher written = REPLICA.matcher(text);
        if (!written.matches()) {
            throw malformed();
        }
        ReplicaSelection.Builder replica = ReplicaSelection.newBuilder();
        String location = written.group("location");
        String type = written.group(location == null ? "type" : "of");
        if (location != null) {
            replica.setLocation(location);
        }
        if (type != null) {
            replica.setType(ReplicaSelection.Type.valueOf(type.replace('-', '_').toUpperCase(Locale.ROOT)));
        }
        return replica.build();
    }

    private static IllegalArgumentException malformed() {
        return new IllegalArgumentException(
                "expected %s, such as include:us-east1/read-only,us-east4 or exclude:read-write".formatted(FORM));
    }

    /** Returns the text that {@link #parse} accepts. */
    public static String text(DirectedReadOptions options) {
        if (options.hasExcludeReplicas()) {
            return "exclude:" + replicas(options.getExcludeReplicas().getReplicaSelectionsList());
        }
        IncludeReplicas included = options.getIncludeReplicas();
        return "%s:%s"
                .formatted(
                        included.getAutoFailoverDisabled() ? ONLY : INCLUDE,
                        replicas(included.getReplicaSelectionsList()));
    }

    private static String replicas(List<ReplicaSelection> replicas) {
        return replicas.stream().map(DirectedReads::replica).collect(Collectors.joining(","));
    }

    private static String replica(ReplicaSelection replica) {
        List<String> parts = new ArrayList<>();
        if (!replica.getLocation().isEmpty()) {
            parts.add(replica.getLocation());
        }
        if (replica.getType() != ReplicaSelection.Type.TYPE_UNSPECIFIED) {
            parts.add(replica.getType().name().replace('_', '-').toLowerCase(Locale.ROOT));
        }
        return String.join("/", parts);
    }
}
