package com.example.orders;

import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.spring.SpreamSubscription;
import org.springframework.stereotype.Component;

@Component
@SpreamSubscription("orders")
class OrderPrinter implements ChangeHandler {
    @Override
    public void consume(DataChangeRecord change) {
        System.out.println(change.modTypeName() + " " + change.mods());
    }
}
