package com.example.orders;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Dead letters of orders, kept while the program runs. */
final class OrderLetters implements DeadLetterSink {
    private final Map<RecordIdentity, DataChangeRecord> orders = new LinkedHashMap<>();
    private final Set<RecordKey> parked = new LinkedHashSet<>();

    @Override
    public synchronized void accept(DeadLetter letter) {
        orders.put(letter.change().identity(), letter.change());
        if (letter.reason() != DeadLetter.Reason.FAILED) {
            parked.addAll(RecordKey.of(letter.change()));
        }
    }

    @Override
    public synchronized Set<RecordKey> parkedKeys() {
        return Set.copyOf(parked);
    }

    synchronized List<DataChangeRecord> orders() {
        return List.copyOf(orders.values());
    }
}
