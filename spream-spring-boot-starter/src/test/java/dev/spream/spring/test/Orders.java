package dev.spream.spring.test;

import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.record.DataChangeRecord;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.springframework.stereotype.Component;

/** A consumer that a component scan finds, and that keeps the ids of the orders. */
@Component
class Orders implements ChangeHandler {
    final BlockingQueue<String> ids = new LinkedBlockingQueue<>();

    @Override
    public void consume(DataChangeRecord change) {
        change.mods().forEach(mod -> ids.add(mod.keys().string("Id").orElseThrow()));
    }
}
