package dev.spream.sinks;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.testkit.consume.DeadLetterSinkFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A dead letter file in a folder of its own, behind whatever is to be tested. */
final class JsonlFixture implements DeadLetterSinkFixture {
    private final Path folder;
    private final UnaryOperator<DeadLetterStore> spoiler;
    private JsonlDeadLetterSink file;
    private DeadLetterStore sink;

    JsonlFixture() {
        this(store -> store);
    }

    JsonlFixture(UnaryOperator<DeadLetterStore> spoiler) {
        this.spoiler = spoiler;
        try {
            folder = Files.createTempDirectory("dead-letters");
            file = JsonlDeadLetterSink.open(path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        sink = spoiler.apply(file);
    }

    @Override
    public DeadLetterStore sink() {
        return sink;
    }

    @Override
    public void restart() throws IOException {
        file.close();
        file = JsonlDeadLetterSink.open(path());
        sink = spoiler.apply(file);
    }

    @Override
    public List<DataChangeRecord> kept() throws IOException {
        List<StoredDeadLetter> kept = new ArrayList<>();
        for (String line : lines()) {
            switch (DeadLetterJson.read(line)) {
                case DeadLetterLine.Kept(StoredDeadLetter letter) -> {
                    if (letter.reason() != DeadLetter.Reason.FAILED) {
                        kept.removeIf(each -> each.reason() == DeadLetter.Reason.FAILED
                                && each.change().equals(letter.change()));
                    }
                    kept.add(letter);
                }
                case DeadLetterLine.Replayed replayed -> remove(kept, replayed.identity());
                case DeadLetterLine.Discarded discarded -> remove(kept, discarded.identity());
                case DeadLetterLine.Overtaken overtaken -> {}
                case DeadLetterLine.Released released -> {}
            }
        }
        return kept.stream().map(StoredDeadLetter::change).toList();
    }

    private static void remove(List<StoredDeadLetter> kept, RecordIdentity identity) {
        kept.removeIf(each -> each.change().identity().equals(identity));
    }

    List<String> lines() throws IOException {
        return Files.readAllLines(path());
    }

    Path path() {
        return folder.resolve("letters.jsonl");
    }

    @Override
    public void close() throws IOException {
        file.close();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : files.toList()) {
                Files.delete(each);
            }
        }
        Files.delete(folder);
    }
}
