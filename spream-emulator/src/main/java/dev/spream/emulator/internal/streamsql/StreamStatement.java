package dev.spream.emulator.internal.streamsql;

import dev.spream.emulator.internal.sql.Token;
import java.util.Map;
import java.util.Optional;

/** A DDL statement about a change stream, parsed but not yet checked against the schema. */
public sealed interface StreamStatement {
    String stream();

    record Create(String stream, WatchSpec watched, Map<String, Optional<Token>> options) implements StreamStatement {}

    record SetFor(String stream, WatchSpec watched) implements StreamStatement {}

    record DropForAll(String stream) implements StreamStatement {}

    record SetOptions(String stream, Map<String, Optional<Token>> options) implements StreamStatement {}

    record Drop(String stream) implements StreamStatement {}
}
