package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Keeps letters in a list, which is safe for use by many threads. */
record RecordingDeadLetterSink(List<DeadLetter> letters) implements DeadLetterSink {

    @Override
    public void accept(DeadLetter letter) {
        letters.add(letter);
    }

    @Override
    public Set<RecordKey> parkedKeys() {
        return letters.stream()
                .filter(letter -> letter.reason() != DeadLetter.Reason.FAILED)
                .flatMap(letter -> RecordKey.of(letter.change()).stream())
                .collect(Collectors.toSet());
    }
}
