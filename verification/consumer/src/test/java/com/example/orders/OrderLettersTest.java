package com.example.orders;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.DeadLetterSinkContract;
import dev.spream.testkit.consume.DeadLetterSinkFixture;
import java.util.List;

/** The test kit's contract over a sink of this program. */
final class OrderLettersTest extends DeadLetterSinkContract {
    @Override
    protected DeadLetterSinkFixture createFixture() {
        OrderLetters letters = new OrderLetters();
        return new DeadLetterSinkFixture() {
            @Override
            public DeadLetterSink sink() {
                return letters;
            }

            @Override
            public void restart() {}

            @Override
            public List<DataChangeRecord> kept() {
                return letters.orders();
            }

            @Override
            public void close() {}
        };
    }
}
