package dev.spream.sinks;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/** Logs the arrival of changes, but never their contents: a key can be a name or a mail address. */
record LogSink(Logger logger, Level level, String subscription) implements Consumer {

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) {
        logger.atLevel(level)
                .log(
                        "[{}/{}] {} {}, mods: {}, {}{}",
                        subscription,
                        delivery.partition().abbreviated(),
                        change.modTypeName(),
                        change.tableName(),
                        change.mods().size(),
                        change.identity(),
                        delivery.attempt() == 1 ? "" : ", attempt " + delivery.attempt());
    }
}
